#include "skills/regression/yaml_fields.h"

#include "protocol/base/utf8.h"
#include "skills/document/yaml_json.h"

#include <algorithm>
#include <charconv>

namespace upskill::regression {
namespace {

using document::CoreType;
using document::Yaml;

constexpr std::size_t k_shown = 80; // bytes of a foreign text in a message

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// A decimal number and nothing else: none of `.nan`, `.inf`, `0x10` and what no double holds.
template <class Number> std::optional<Number> read_number(const Yaml& value) {
  Number number = 0;
  const char* end = value.text.data() + value.text.size();
  auto read = std::from_chars(value.text.data(), end, number);
  bool whole = read.ec == std::errc{} && read.ptr == end;
  return whole ? std::optional(number) : std::nullopt;
}

bool is_a(const Yaml& value, CoreType type) {
  return value.is_scalar() && document::core_type(value) == type;
}

// `0.05`, not `0.050000`.
std::string as_text(double number) {
  char digits[32];
  auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return {digits, end};
}

std::string text_problem(const Yaml& item, std::size_t bytes) {
  if (!is_a(item, CoreType::string)) {
    return item.is_scalar() ? "must be text" : "must be a text, or a list of texts";
  }
  if (item.text.empty()) {
    return "has an empty text";
  }
  if (item.text.size() > bytes) {
    return "has a text of more than " + std::to_string(bytes) + " bytes";
  }
  return std::ranges::any_of(item.text, is_control) ? "has a control character" : "";
}

} // namespace

std::string shown(std::string_view text) {
  std::string out(utf8_prefix(text, k_shown));
  std::ranges::replace_if(out, is_control, '?');
  return in_backticks(out);
}

YamlFields::YamlFields(const Yaml& mapping,
                       std::string before_line,
                       std::string path,
                       eval::Findings& findings)
    : m_mapping(mapping)
    , m_before_line(std::move(before_line))
    , m_path(std::move(path))
    , m_findings(findings) {}

const Yaml* YamlFields::find(std::string_view key) {
  m_asked.emplace(key);
  const Yaml* value = m_mapping.find(key);
  return value == nullptr || value->is_null() || is_a(*value, CoreType::null) ? nullptr : value;
}

std::optional<std::string> YamlFields::word(std::string_view key,
                                            std::span<const std::string_view> known) {
  const Yaml* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (value->is_scalar() && std::ranges::find(known, value->text) != known.end()) {
    return value->text;
  }
  std::string words;
  for (std::string_view one : known) {
    words += words.empty() ? "" : one == known.back() ? " or " : ", ";
    words += in_backticks(one);
  }
  refuse(key, "must be " + words);
  return std::nullopt;
}

std::optional<std::int64_t>
YamlFields::whole(std::string_view key, std::int64_t least, std::int64_t most) {
  const Yaml* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  std::optional<std::int64_t> number;
  if (is_a(*value, CoreType::integer)) {
    number = read_number<std::int64_t>(*value);
  }
  if (!number || *number < least || *number > most) {
    refuse(key,
           "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return std::nullopt;
  }
  return number;
}

std::optional<double> YamlFields::number(std::string_view key, double least, double most) {
  const Yaml* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  std::optional<double> number;
  if (is_a(*value, CoreType::integer) || is_a(*value, CoreType::real)) {
    number = read_number<double>(*value);
  }
  if (!number || *number < least || *number > most) {
    refuse(key, "must be a number from " + as_text(least) + " to " + as_text(most));
    return std::nullopt;
  }
  return number;
}

std::optional<bool> YamlFields::flag(std::string_view key) {
  const Yaml* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!is_a(*value, CoreType::boolean)) {
    refuse(key, "must be `true` or `false`");
    return std::nullopt;
  }
  return value->text.front() == 't' || value->text.front() == 'T';
}

std::vector<std::string>
YamlFields::texts(std::string_view key, std::size_t most, std::size_t bytes) {
  const Yaml* value = find(key);
  if (value == nullptr) {
    return {};
  }
  std::span<const Yaml> items =
      value->is_sequence() ? std::span<const Yaml>(value->items) : std::span<const Yaml>(value, 1);
  if (items.empty()) {
    refuse(key, "is empty", "take the line out");
    return {};
  }
  if (items.size() > most) {
    refuse(key, "has more than " + std::to_string(most) + " entries");
    return {};
  }
  std::vector<std::string> texts;
  for (const Yaml& item : items) {
    if (std::string problem = text_problem(item, bytes); !problem.empty()) {
      refuse(key, problem, item.is_scalar() ? "put it into quotes" : "");
      return {};
    }
    texts.push_back(item.text);
  }
  return texts;
}

std::optional<YamlFields> YamlFields::inner(std::string_view key) {
  const Yaml* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_mapping()) {
    refuse(key, "must be keys with values");
    return std::nullopt;
  }
  return YamlFields(*value, m_before_line, m_path + std::string(key) + ".", m_findings);
}

void YamlFields::warn_of_others() {
  std::vector<std::string> keys(m_asked.begin(), m_asked.end());
  for (const document::YamlMember& member : m_mapping.members) {
    if (m_findings.warnings.size() >= eval::k_max_warnings) {
      return; // each costs a search
    }
    if (!m_asked.contains(member.key)) {
      std::string hint = eval::meant(member.key, keys);
      warn(member.key, "is not a key that we know" + (hint.empty() ? "" : ", " + hint));
    }
  }
}

void YamlFields::refuse(std::string_view key, std::string_view what, std::string hint) {
  m_findings.refuse(line(key, what), std::move(hint));
}

void YamlFields::warn(std::string_view key, std::string_view what) {
  m_findings.warn(line(key, what));
}

std::string YamlFields::line(std::string_view key, std::string_view what) const {
  auto at = std::ranges::find(m_mapping.members, key, &document::YamlMember::key);
  int number = at == m_mapping.members.end() ? m_mapping.line : at->line;
  return m_before_line + std::to_string(number) + ": " + shown(m_path + std::string(key)) + " "
         + std::string(what);
}

} // namespace upskill::regression
