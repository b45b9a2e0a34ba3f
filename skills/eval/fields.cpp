#include "skills/eval/fields.h"

#include "protocol/base/utf8.h"
#include "skills/eval/case_paths.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace upskill::eval {
namespace {

using nlohmann::json;

constexpr std::size_t k_max_list = 1000;   // texts of one field
constexpr std::size_t k_shown = 80;        // bytes of a name in a message
constexpr std::size_t k_longest_word = 40; // that a near one is looked for

std::string shown(std::string_view name) {
  std::string out(utf8_prefix(name, k_shown));
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return in_backticks(out);
}

// Levenshtein's, of short words.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

} // namespace

void Findings::refuse(std::string message, std::string hint) {
  if (!problem) {
    problem = Error{ErrorCode::invalid_argument, std::move(message), std::move(hint)};
  }
}

void Findings::warn(std::string message) {
  if (warnings.size() < k_max_warnings) {
    warnings.push_back(std::move(message));
  }
}

std::string meant(std::string_view written, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t nearest = 3; // more letters than two are another word
  for (const std::string& candidate : candidates) {
    if (written.size() <= k_longest_word && candidate.size() <= k_longest_word) {
      if (std::size_t far = distance(written, candidate);
          far < std::min(nearest, candidate.size())) {
        nearest = far;
        best = &candidate;
      }
    }
  }
  return best != nullptr ? "did you mean `" + *best + "`?" : "";
}

std::string known(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) {
    out += (out.empty() ? "known are `" : ", `") + word + "`";
  }
  return out;
}

Fields::Fields(const json& object, std::string where, std::string what, Findings& findings)
    : m_object(object)
    , m_where(std::move(where))
    , m_what(std::move(what))
    , m_findings(findings) {
  if (!object.is_object()) {
    m_findings.refuse(m_where + ": " + m_what + " must be an object");
  }
}

std::string Fields::line(std::string_view name, std::string_view what) const {
  return m_where + ": " + shown(name) + " " + std::string(what);
}

void Fields::refuse(std::string_view name, std::string_view what, std::string hint) {
  m_findings.refuse(line(name, what), std::move(hint));
}

const json* Fields::find(std::string_view name) {
  m_asked.emplace(name);
  if (!m_object.is_object()) {
    return nullptr;
  }
  auto at = m_object.find(name);
  return at == m_object.end() || at->is_null() ? nullptr : &*at;
}

std::string Fields::text_of(const json& value, std::string_view name, std::size_t limit) {
  if (!value.is_string()) {
    refuse(name, "must be text", value.is_number() ? "put the number into quotes" : "");
    return {};
  }
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > limit) {
    refuse(name, "has more than " + std::to_string(limit) + " bytes");
    return {};
  }
  // No program takes it in an argument, and C's functions end at it.
  if (text.find('\0') != std::string::npos) {
    refuse(name, "has a NUL character");
    return {};
  }
  return text;
}

std::string Fields::text(std::string_view name, std::size_t limit) {
  const json* value = find(name);
  return value != nullptr ? text_of(*value, name, limit) : std::string();
}

std::vector<std::string> Fields::texts(std::string_view name) {
  const json* value = find(name);
  std::vector<std::string> out;
  if (value == nullptr) {
    return out;
  }
  if (!value->is_array()) {
    out.push_back(text_of(*value, name, k_max_case_text));
  } else if (value->size() > k_max_list) {
    refuse(name, "has more than " + std::to_string(k_max_list) + " texts");
  } else {
    for (const json& one : *value) {
      out.push_back(text_of(one, name, k_max_case_text));
    }
  }
  if (std::ranges::find(out, "") != out.end()) {
    refuse(name, "has an empty text", "every answer has that; take it out");
  }
  return out;
}

std::optional<double> Fields::number(std::string_view name, double least, double most) {
  const json* value = find(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  double number = value->is_number() ? value->get<double>() : std::nan("");
  if (!(number >= least && number <= most)) {
    std::string range = json(least).dump() + " to " + json(most).dump();
    refuse(name, "must be a number from " + range);
    return std::nullopt;
  }
  return number;
}

std::optional<bool> Fields::flag(std::string_view name) {
  const json* value = find(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_boolean()) {
    refuse(name, "must be true or false");
    return std::nullopt;
  }
  return value->get<bool>();
}

std::string Fields::path(std::string_view name) {
  std::string text = this->text(name);
  if (find(name) == nullptr || m_findings.problem) {
    return {};
  }
  Result<std::string> inside = inside_path(text);
  if (!inside) {
    refuse(name, inside.error().message, inside.error().hint);
    return {};
  }
  return *inside;
}

void Fields::refuse_others() {
  if (!m_object.is_object()) {
    return;
  }
  std::vector<std::string> fields(m_asked.begin(), m_asked.end());
  for (const auto& [name, value] : m_object.items()) {
    if (!m_asked.contains(name)) {
      std::string hint = meant(name, fields);
      refuse(name, "is not a field of " + m_what, hint.empty() ? known(fields) : hint);
    }
  }
}

void Fields::warn_of_others() {
  if (!m_object.is_object()) {
    return;
  }
  for (const auto& [name, value] : m_object.items()) {
    if (!m_asked.contains(name)) {
      m_findings.warn(line(name, "is not read"));
    }
  }
}

} // namespace upskill::eval
