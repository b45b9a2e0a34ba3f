#include "daemon/handlers/version_named.h"

#include "protocol/base/paths.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>

namespace upskill::daemon {
namespace {

constexpr std::array<std::string_view, 4> k_words{"winner", "loser", "delete", "restore"};

bool is_hash(std::string_view take) {
  constexpr std::string_view k_digits = "0123456789abcdefABCDEF";
  return take.size() >= 4 && take.find_first_not_of(k_digits) == std::string_view::npos;
}

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// Folders are known by where they really are; a version that is kept, by where it was put.
std::string as_it_is_known(const std::string& path, const sync::Engine& engine) {
  Result<std::vector<sync::OpenConflict>> open = engine.open_conflicts();
  bool is_listed = open && std::ranges::any_of(*open, [&](const sync::OpenConflict& conflict) {
                     return std::ranges::find(conflict.paths, path) != conflict.paths.end();
                   });
  char real[PATH_MAX];
  if (is_listed || ::realpath(parent_path(path).c_str(), real) == nullptr) {
    return path;
  }
  return join_path(real, base_name(path));
}

} // namespace

std::string version_named(const std::string& take,
                          const sync::Engine& engine,
                          std::string_view home,
                          std::string_view cwd) {
  if (take.empty() || std::ranges::find(k_words, take) != k_words.end()) {
    return take;
  }
  if (is_hash(take)) {
    return in_small_letters(take);
  }
  std::string path = expand_home(take, home);
  if (path.front() != '/' && cwd.empty()) {
    return take;
  }
  return as_it_is_known(normalized_path(path, cwd), engine);
}

} // namespace upskill::daemon
