#include "skills/agent_events/skill_paths.h"

#include "skills/agent_events/agent_run.h"
#include "skills/agent_events/event_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace upskill::agent_events {
namespace {

constexpr std::string_view k_document = "SKILL.md";
constexpr std::string_view k_folder = "skills/";
constexpr std::array<std::string_view, 6> k_paths{
    "file_path", "absolute_path", "filePath", "path", "command", "cmd"};

bool is_in_name(char c) {
  return c == '-' || c == '_' || c == '.' || c == '*' || static_cast<unsigned char>(c) >= 0x80
         || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void add(std::set<std::string>& names, std::string_view name) {
  if (!name.empty() && name.size() <= k_max_name && name != "." && name != ".."
      && (name == "*" || name.find('*') == std::string_view::npos)) {
    names.emplace(name);
  }
}

// The part of a path that ends before `end`, which is behind its slash.
std::string_view folder_before(std::string_view text, std::size_t end) {
  std::size_t start = end;
  while (start > 0 && is_in_name(text[start - 1])) {
    --start;
  }
  return text.substr(start, end - start);
}

} // namespace

std::set<std::string> skills_named_in(std::string_view text) {
  std::set<std::string> names;
  bool is_relative = false;
  for (std::size_t at = text.find(k_document); at != std::string_view::npos;
       at = text.find(k_document, at + k_document.size())) {
    if (at > 0 && text[at - 1] == '/') {
      add(names, folder_before(text, at - 1));
    } else {
      is_relative = is_relative || at == 0 || !is_in_name(text[at - 1]);
    }
  }
  if (!is_relative || !names.empty()) {
    return names;
  }
  for (std::size_t at = text.find(k_folder); at != std::string_view::npos;
       at = text.find(k_folder, at + k_folder.size())) {
    std::size_t end = at + k_folder.size();
    while (end < text.size() && is_in_name(text[end])) {
      ++end;
    }
    add(names, folder_before(text, end));
  }
  return names;
}

std::set<std::string> skills_read_by(const nlohmann::json& arguments) {
  std::set<std::string> names;
  for (std::string_view key : k_paths) {
    names.merge(skills_named_in(text_of(arguments, key)));
  }
  return names;
}

std::set<std::string> skill_called(std::string_view name) {
  if (std::size_t colon = name.rfind(':'); colon != std::string_view::npos) {
    name.remove_prefix(colon + 1);
  }
  if (name.starts_with('/')) {
    name.remove_prefix(1);
  }
  std::set<std::string> names;
  if (name.find('*') == std::string_view::npos) {
    add(names, name);
  }
  return names;
}

} // namespace upskill::agent_events
