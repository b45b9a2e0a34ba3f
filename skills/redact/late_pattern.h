#pragma once
#include "protocol/base/guarded.h"
#include "protocol/base/result.h"

#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <string>

// Only .cpp files include this: re2.h is large.
namespace upskill::redact {

// How RE2 reads a pattern. Always bytes and not UTF-8: a text may be cut anywhere, and hold
// anything.
struct PatternReading {
  std::int64_t max_memory = 0; // bytes, as RE2 counts them
  bool ignores_case = false;
  bool dot_is_any = false; // also the end of a line
};

// A pattern that is compiled when it is first asked for: a text needs few of some hundred, and
// compiling all takes as long as looking through three hundred skills, and ten times the memory.
// Owner: the rules. Thread: any.
class LatePattern {
public:
  LatePattern() = default; // none
  LatePattern(std::string text, PatternReading reading);

  explicit operator bool() const { return m_text != nullptr; }

  // Matches nothing where check() fails.
  const re2::RE2& operator*() const;

  const re2::RE2* operator->() const { return &**this; }

  // Compiles it now. The error says what is wrong, in RE2's words, and is the end of a sentence.
  Result<void> check() const;

private:
  std::unique_ptr<const std::string> m_text = {};
  PatternReading m_reading = {};
  Late<re2::RE2> m_compiled = {};
};

} // namespace upskill::redact
