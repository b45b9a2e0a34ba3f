#pragma once
#include "protocol/base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace upskill::eval {

inline constexpr std::size_t k_max_pattern = 4096;              // bytes
inline constexpr std::size_t k_max_pattern_memory = 512u << 10; // bytes, as RE2 counts them

// A regular expression in RE2's syntax: time linear in the text, memory bounded, whatever the
// pattern says. Case counts unless it begins with `(?i)`.
class Pattern {
public:
  // The error is the end of a sentence.
  static Result<Pattern> compile(std::string_view pattern);

  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  // Whether it matches somewhere. `text` is UTF-8.
  bool found_in(std::string_view text) const;

private:
  explicit Pattern(std::unique_ptr<re2::RE2> compiled);

  std::unique_ptr<re2::RE2> m_compiled;
};

} // namespace upskill::eval
