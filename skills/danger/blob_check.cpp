#include "skills/danger/checks.h"
#include "skills/danger/compiled_rules.h"

#include <algorithm>
#include <array>

namespace upskill::danger {
namespace {

constexpr std::size_t k_least_decoded = 40;       // characters of base64 that are looked into
constexpr std::size_t k_most_decoded = 16u << 10; // characters
constexpr std::size_t k_large = 2000;             // characters that are told in a program

constexpr Danger k_encoded_command = {"encoded-text",
                                      Severity::severe,
                                      "holds a dangerous command, encoded so that nobody reads it",
                                      "do not use the skill: what is harmless needs no hiding"};
constexpr Danger k_blob = {"encoded-data",
                           Severity::warning,
                           "a program holds a large encoded text",
                           "decode it, or ask what it is; data belongs into a file of its own"};

// Value of a digit of base64 (RFC 4648), also of the alphabet for addresses; -1 for none.
constexpr int value_of(char c) {
  if (c >= 'A' && c <= 'Z') {
    return c - 'A';
  }
  if (c >= 'a' && c <= 'z') {
    return c - 'a' + 26;
  }
  if (c >= '0' && c <= '9') {
    return c - '0' + 52;
  }
  return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

constexpr std::array<std::int8_t, 256> k_digits = [] {
  std::array<std::int8_t, 256> digits{};
  for (std::size_t byte = 0; byte < digits.size(); ++byte) {
    digits[byte] = static_cast<std::int8_t>(value_of(static_cast<char>(byte)));
  }
  return digits;
}();

int digit(char c) {
  return k_digits[static_cast<unsigned char>(c)];
}

// Where the next run of `least` digits begins, from `at` on, where one may begin. Most bytes are
// not looked at: no run that long has the byte in it that is none.
std::size_t next_run(std::string_view text, std::size_t at, std::size_t least) {
  while (text.size() - at >= least) {
    std::size_t last = at + least;
    while (last > at && digit(text[last - 1]) >= 0) {
      --last;
    }
    if (last == at) {
      return at;
    }
    at = last;
  }
  return text.size();
}

std::string decoded(std::string_view text) {
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (char c : text.substr(0, k_most_decoded)) {
    bits = bits << 6 | static_cast<unsigned>(digit(c));
    if (++count == 4) {
      for (int shift : {16, 8, 0}) {
        out += static_cast<char>(bits >> shift & 0xFF);
      }
      bits = 0;
      count = 0;
    }
  }
  if (count == 3) {
    out += static_cast<char>(bits >> 10 & 0xFF);
    out += static_cast<char>(bits >> 2 & 0xFF);
  } else if (count == 2) {
    out += static_cast<char>(bits >> 4 & 0xFF);
  }
  // UTF-16, as PowerShell has it: every second byte is NUL.
  if (out.size() > 8 && out[1] == '\0' && out[3] == '\0') {
    std::erase(out, '\0');
  }
  return out;
}

bool is_text(std::string_view text) {
  auto odd = std::ranges::count_if(text, [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte == 0x7F || byte >= 0x80;
  });
  return odd * 20 <= static_cast<std::ptrdiff_t>(text.size());
}

// Whether a rule that is severe in a program is met by it; not those that need a whole file.
bool is_dangerous(std::string_view text, const CompiledRules& rules) {
  constexpr auto k_script = static_cast<std::size_t>(Place::script);
  bool is_met = false;
  rules.prefilter().scan(text, [&](std::uint32_t keyword, std::size_t, std::size_t) {
    for (std::uint16_t number :
         is_met ? std::span<const std::uint16_t>() : rules.rules_of(keyword)) {
      const Rule& rule = rules.rules()[number];
      const CompiledRule& compiled = rules.compiled(number);
      bool is_download = rule.id == "download-run";
      if ((rule.looks_at[k_script] != Severity::severe && !is_download) || compiled.with) {
        continue;
      }
      auto in_text = [&](const Pattern& one) { return found_in(text, one); };
      is_met = is_met
               || (found_in(text, compiled.regex) && std::ranges::all_of(compiled.unit_has, in_text)
                   && std::ranges::none_of(compiled.unit_lacks, in_text));
    }
  });
  return is_met;
}

bool is_picture(std::string_view before) {
  return before.ends_with(";base64,") || before.ends_with("integrity=\"sha512-")
         || before.ends_with("sha256-") || before.ends_with("sha512-");
}

} // namespace

void check_blobs(const FileView& view, const CompiledRules& rules, Findings& findings) {
  std::string_view text = view.text();
  std::size_t begin = 0;
  for (std::size_t at = 0; (begin = next_run(text, at, k_least_decoded)) < text.size();) {
    at = begin + k_least_decoded;
    while (at < text.size() && digit(text[at]) >= 0) {
      ++at;
    }
    const std::size_t size = at - begin;
    if (is_picture(text.substr(0, begin))) {
      continue;
    }
    std::string inside = decoded(text.substr(begin, size));
    if (is_text(inside) && is_dangerous(inside, rules)) {
      findings.add_quoting(view, k_encoded_command, begin, "decoded: " + inside.substr(0, 400));
    } else if (size >= k_large && view.kind() == FileKind::script) {
      findings.add(view, k_blob, begin, begin + 60);
    }
  }
}

} // namespace upskill::danger
