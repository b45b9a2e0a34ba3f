#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::bench::echo {

// What the smallest server that deserves the name does with a `tools/call`: parses it with
// nlohmann, takes the id and the tool's name out of it, builds a result, writes that with nlohmann.
// Throws on anything else than such a call.
class Answers {
public:
  // An answer to a call with an id of one digit has `bytes` bytes, its text being the tool's name
  // and as many letters as that takes.
  explicit Answers(std::size_t bytes);

  std::string to(std::string_view request) const;

private:
  std::size_t m_text = 0;
};

} // namespace upskill::bench::echo
