#include "skills/document/repair.h"

#include "skills/document/yaml_library.h"

#include <algorithm>

namespace upskill::document {
namespace {

constexpr std::size_t k_max_repairs = 256; // each costs a parse of its line

struct KeyLine {
  std::string_view key;
  std::string_view value; // trimmed
};

// `key: value` from column 0; nothing for any other line.
std::optional<KeyLine> split_key_line(std::string_view line) {
  constexpr std::string_view k_key =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  std::size_t colon = line.find_first_not_of(k_key);
  if (colon == 0 || colon == std::string_view::npos || line[colon] != ':') {
    return std::nullopt;
  }
  std::string_view value = line.substr(colon + 1);
  std::size_t start = value.find_first_not_of(" \t");
  if (start == 0 || start == std::string_view::npos) {
    return std::nullopt;
  }
  value = value.substr(start, value.find_last_not_of(" \t\r") + 1 - start);
  return KeyLine{line.substr(0, colon), value};
}

bool needs_quotes(std::string_view line, std::string_view value) {
  // Quoted and block scalars may go on in the next line: not ours to mend.
  constexpr std::string_view k_not_plain = "'\"|>";
  if (value.empty() || k_not_plain.find(value[0]) != std::string_view::npos) {
    return false;
  }
  return !parse_yaml(std::string(line) + "\n");
}

std::string in_quotes(std::string_view value) {
  std::string out = "'";
  for (char c : value) {
    out.append(c == '\'' ? 2 : 1, c);
  }
  return out += '\'';
}

} // namespace

std::optional<RepairedYaml> repair_yaml(std::string_view text, std::size_t first_line) {
  if (text.size() > k_max_front_matter) {
    return std::nullopt;
  }
  std::string mended;
  std::vector<Repair> repairs;
  std::size_t number = first_line;
  std::size_t tried = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    auto entry = split_key_line(line);
    if (entry && ++tried <= k_max_repairs && needs_quotes(line, entry->value)) {
      (mended += entry->key) += ": ";
      mended += in_quotes(entry->value);
      repairs.push_back(Repair{std::string(entry->key), number});
    } else {
      mended += line;
    }
    mended += '\n';
  }
  if (repairs.empty()) {
    return std::nullopt;
  }
  auto document = parse_yaml(mended, first_line);
  if (!document || !document->root.is_mapping()) {
    return std::nullopt;
  }
  return RepairedYaml{std::move(*document), std::move(repairs)};
}

} // namespace upskill::document
