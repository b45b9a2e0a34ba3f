#include "protocol/base/utf8.h"
#include "skills/document/tokens.h"
#include "skills/generate/draft.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace upskill::generate {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_plain(char c) {
  return is_letter(c) || (c >= '0' && c <= '9')
         || std::string_view(" .,;()/_+-'?!=").find(c) != std::string_view::npos;
}

// Words that YAML 1.1 takes for something else than text.
bool is_yaml_word(std::string_view text) {
  constexpr std::array<std::string_view, 9> k_words{
      "y", "n", "yes", "no", "on", "off", "true", "false", "null"};
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  return std::ranges::find(k_words, lower) != k_words.end();
}

// Whether no reader of YAML, nor of lines, can take it for anything but this text.
bool is_plain_scalar(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && text.back() != ' '
         && std::ranges::all_of(text, is_plain) && text.find("---") == std::string_view::npos
         && !is_yaml_word(text);
}

void append_escape(std::string& out, std::uint8_t byte) {
  constexpr std::string_view k_digits = "0123456789ABCDEF";
  out += "\\x";
  out += k_digits[byte >> 4];
  out += k_digits[byte & 0xF];
}

// Characters of two and three bytes that YAML forbids, or takes for the end of a line.
std::string_view escape_of(std::string_view sequence) {
  if (sequence.starts_with("\xC2\x85")) {
    return "\\N";
  }
  if (sequence.starts_with("\xE2\x80\xA8")) {
    return "\\L";
  }
  if (sequence.starts_with("\xE2\x80\xA9")) {
    return "\\P";
  }
  if (sequence.starts_with("\xEF\xBB\xBF")) {
    return "\\uFEFF";
  }
  if (sequence.starts_with("\xEF\xBF\xBE")) {
    return "\\uFFFE";
  }
  return sequence.starts_with("\xEF\xBF\xBF") ? "\\uFFFF" : "";
}

// In double quotes, where everything can be written.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto byte = static_cast<std::uint8_t>(text[at]);
    std::string_view rest = text.substr(at);
    if (text[at] == '"' || text[at] == '\\') {
      out += '\\';
      out += text[at];
    } else if (byte < 0x20 || byte == 0x7F) {
      append_escape(out, byte);
    } else if (text[at] == '-' && out.ends_with("--")) {
      append_escape(out, byte); // the reference validator ends the front matter at any `---`
    } else if (std::string_view escape = escape_of(rest); !escape.empty()) {
      out += escape;
      at += byte == 0xC2 ? 1 : 2;
    } else if (byte == 0xC2 && static_cast<std::uint8_t>(rest[1]) < 0xA0) {
      append_escape(out, static_cast<std::uint8_t>(rest[1])); // a control character
      ++at;
    } else {
      out += text[at];
    }
  }
  return out += '"';
}

std::string scalar(std::string_view text) {
  return is_plain_scalar(text) ? std::string(text) : in_quotes(to_valid_utf8(text));
}

} // namespace

std::string write_document(const Draft& draft) {
  return "---\nname: " + scalar(draft.name) + "\ndescription: " + scalar(draft.description) + "\n"
         + draft.front_matter + "---\n\n" + draft.body;
}

std::vector<FileTokens> token_report(const Draft& draft) {
  std::vector<FileTokens> report{{"SKILL.md", document::estimate_tokens(write_document(draft))}};
  for (const auto& [path, file] : draft.files) {
    report.push_back({path, document::estimate_tokens(file.text)});
  }
  return report;
}

} // namespace upskill::generate
