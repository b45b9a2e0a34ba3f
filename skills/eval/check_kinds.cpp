#include "skills/eval/check_kinds.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace upskill::eval {
namespace {

constexpr std::size_t k_shown = 60; // bytes of a text in a name

// In the order of CheckKind.
constexpr std::array<std::string_view, 21> k_names{
    "contains",     "icontains",  "contains_any",    "icontains_any", "regex",         "equals",
    "starts_with",  "is_json",    "json_schema",     "file_exists",   "file_contains", "command",
    "tokens_under", "cost_under", "latency_under",   "skill_used",    "tool_used",     "all_of",
    "any_of",       "judge",      "at_least_as_good"};
static_assert(static_cast<std::size_t>(CheckKind::at_least_as_good) + 1 == k_names.size());

std::string shown(std::string_view text) {
  std::string_view cut = utf8_prefix(text.substr(0, text.find('\n')), k_shown);
  return in_backticks(cut.size() < text.size() ? std::string(cut) + "…" : std::string(cut));
}

std::string shown(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) {
    out += (out.empty() ? "" : ", ") + shown(text);
  }
  return out;
}

std::string shown(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", number);
  return text.data();
}

// What stands behind the kind in a line.
std::string object_of(const Check& check) {
  switch (check.kind) {
  case CheckKind::file_exists:
    return shown(check.path);
  case CheckKind::file_contains:
    return shown(check.path) + ": " + shown(check.values);
  case CheckKind::command:
    return shown(check.argv.size() == 3 && check.argv[1] == "-c" ? check.argv[2]
                                                                 : shown(check.argv));
  case CheckKind::tokens_under:
    return shown(check.limit);
  case CheckKind::cost_under:
    return shown(check.limit) + " USD";
  case CheckKind::latency_under:
    return shown(check.limit) + " s";
  case CheckKind::judge:
    return shown(check.rubric);
  case CheckKind::at_least_as_good:
    return check.reference.empty() ? "as the expected output" : "as " + shown(check.reference);
  case CheckKind::all_of:
  case CheckKind::any_of:
    return std::to_string(check.parts.size()) + " checks";
  default:
    return shown(check.values);
  }
}

} // namespace

std::string_view kind_name(CheckKind kind) {
  return k_names[static_cast<std::size_t>(kind)];
}

std::optional<NamedKind> find_kind(std::string_view name) {
  std::string word(name);
  std::ranges::replace(word, '-', '_');
  NamedKind named;
  if (word.starts_with("not_")) {
    named.negated = true;
    word.erase(0, 4);
  }
  auto at = std::ranges::find(k_names, word);
  if (at == k_names.end()) {
    return std::nullopt;
  }
  named.kind = static_cast<CheckKind>(at - k_names.begin());
  return named;
}

std::vector<std::string> kind_names() {
  return {k_names.begin(), k_names.end()};
}

bool has_values(CheckKind kind) {
  switch (kind) {
  case CheckKind::contains:
  case CheckKind::icontains:
  case CheckKind::contains_any:
  case CheckKind::icontains_any:
  case CheckKind::regex:
  case CheckKind::equals:
  case CheckKind::starts_with:
  case CheckKind::file_contains:
  case CheckKind::skill_used:
  case CheckKind::tool_used:
    return true;
  default:
    return false;
  }
}

std::string describe(const Check& check) {
  if (!check.name.empty()) {
    return check.name;
  }
  std::string line = (check.negated ? "not " : "") + std::string(kind_name(check.kind));
  std::string object = object_of(check);
  return object.empty() ? line : line + " " + object;
}

} // namespace upskill::eval
