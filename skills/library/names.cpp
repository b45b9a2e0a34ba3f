#include "skills/library/names.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

namespace upskill::library {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view k_workspace = "-workspace";

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? char(c + ('a' - 'A')) : c;
  });
  return lower;
}

// The device names of Windows count with any extension: `nul.txt` is `nul`. The superscripts one to
// three count as digits there.
bool is_reserved_on_windows(std::string_view name) {
  std::string stem = ascii_lower(name.substr(0, name.find('.')));
  while (!stem.empty() && stem.back() == ' ') {
    stem.pop_back();
  }
  static const std::set<std::string_view> devices = {
      "con", "prn", "aux", "nul", "conin$", "conout$"};
  if (devices.contains(stem)) {
    return true;
  }
  if (!stem.starts_with("com") && !stem.starts_with("lpt")) {
    return false;
  }
  std::string_view number = std::string_view(stem).substr(3);
  return (number.size() == 1 && number[0] >= '1' && number[0] <= '9') || number == "\u00B9"
         || number == "\u00B2" || number == "\u00B3";
}

} // namespace

bool ignored_in_skill(std::string_view name) {
  return name == ".git" || name == "node_modules" || name == "__pycache__" || name == ".DS_Store"
         || name == "4913" || name.starts_with(".#") || name.ends_with('~')
         || name.ends_with(".swp") || name.ends_with(".tmp");
}

bool ignored_name(std::string_view name) {
  return ignored_in_skill(name) || name == ".trash" || name == "synced" || name == ".system";
}

std::string_view workspace_owner(std::string_view name) {
  return name.ends_with(k_workspace) ? name.substr(0, name.size() - k_workspace.size())
                                     : std::string_view();
}

bool is_workspace(std::string_view name, bool has_sibling, bool has_document) {
  return !workspace_owner(name).empty() && (has_sibling || !has_document);
}

std::optional<std::string> refused_name(std::string_view name) {
  if (name.empty()) {
    return "is empty";
  }
  if (name.front() == '.') {
    return "begins with a dot";
  }
  if (name.size() > k_max_file_name) {
    return "is longer than 255 bytes";
  }
  if (!is_utf8(name)) {
    return "is not UTF-8";
  }
  bool control = std::ranges::any_of(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  if (control || name.find('/') != std::string_view::npos) {
    return "has a control character or a slash";
  }
  if (is_reserved_on_windows(name)) {
    return "is reserved on Windows";
  }
  return std::nullopt;
}

std::string folded_key(std::string_view name) {
  if (is_ascii(name)) {
    return ascii_lower(name);
  }
  utf8proc_uint8_t* mapped = nullptr;
  utf8proc_ssize_t length = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
      static_cast<utf8proc_ssize_t>(name.size()),
      &mapped,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD));
  std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  return length < 0
             ? std::string(name)
             : std::string(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
}

std::vector<std::vector<std::string>> find_collisions(std::span<const std::string> names) {
  std::vector<std::pair<std::string, const std::string*>> keyed;
  keyed.reserve(names.size());
  for (const std::string& name : names) {
    keyed.emplace_back(folded_key(name), &name);
  }
  std::ranges::sort(keyed, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : *a.second < *b.second;
  });
  std::vector<std::vector<std::string>> collisions;
  for (std::size_t at = 0; at < keyed.size();) {
    std::vector<std::string> group;
    std::size_t end = at;
    for (; end < keyed.size() && keyed[end].first == keyed[at].first; ++end) {
      if (group.empty() || group.back() != *keyed[end].second) {
        group.push_back(*keyed[end].second);
      }
    }
    if (group.size() > 1) {
      collisions.push_back(std::move(group));
    }
    at = end;
  }
  return collisions;
}

} // namespace upskill::library
