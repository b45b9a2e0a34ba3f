#include "skills/document/tokens.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace upskill::document {
namespace {

enum class Run : std::uint8_t {
  letters,
  digits,
  space,
  newline,
  punctuation,
  syllables,
  ideographs,
  none // a byte that continues a character
};

constexpr Run run_of(std::uint8_t byte) {
  if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') {
    return Run::letters;
  }
  if (byte >= '0' && byte <= '9') {
    return Run::digits;
  }
  if (byte == ' ' || byte == '\t') {
    return Run::space;
  }
  if (byte == '\n' || byte == '\r') {
    return Run::newline;
  }
  if (byte < 0x80) {
    return Run::punctuation;
  }
  if ((byte & 0xC0) == 0x80) {
    return Run::none;
  }
  // Lead bytes E3..EE: kana, CJK, Hangul; four bytes: emoji and rare ideographs.
  return byte >= 0xE3 ? Run::ideographs : Run::syllables;
}

constexpr std::array<Run, 256> k_runs = [] {
  std::array<Run, 256> runs{};
  for (std::size_t byte = 0; byte < runs.size(); ++byte) {
    runs[byte] = run_of(static_cast<std::uint8_t>(byte));
  }
  return runs;
}();

std::int64_t tokens_of(Run run, std::int64_t length) {
  switch (run) {
  case Run::letters:
    return length <= 8 ? 1 : 1 + (length - 8 + 3) / 4;
  case Run::digits:
    return (length + 2) / 3;
  case Run::space:
    return length > 1 ? 1 : 0;
  case Run::newline:
    return 1;
  case Run::punctuation:
  case Run::syllables:
    return (length + 1) / 2;
  case Run::ideographs:
  case Run::none:
    return length;
  }
  return length;
}

} // namespace

std::int64_t estimate_tokens(std::string_view text) {
  std::int64_t tokens = 0;
  for (std::size_t at = 0; at < text.size();) {
    Run run = k_runs[static_cast<std::uint8_t>(text[at])];
    run = run == Run::none ? Run::syllables : run; // a character that lacks its beginning
    std::int64_t length = 0;
    for (; at < text.size(); ++at) {
      const Run next = k_runs[static_cast<std::uint8_t>(text[at])];
      if (next == run) {
        ++length;
      } else if (next != Run::none) {
        break;
      }
    }
    tokens += tokens_of(run, length);
  }
  return tokens;
}

} // namespace upskill::document
