#include "skills/archive/project_place.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

namespace upskill::archive {
namespace {

constexpr std::string_view k_cursor_below = "/agent-transcripts/";
constexpr std::string_view k_gemini_below = "/chats/";
constexpr std::string_view k_gemini_root = "/.project_root";
constexpr std::size_t k_max_root = 4096; // bytes, as the system's limit for paths
constexpr std::size_t k_max_looks = 256; // folders of which some name fits

// Cursor's: letters and digits stay (facts: traces.md, 1.3). How it writes several other characters
// in a row is not certain, so they count as one.
std::string slug_of(std::string_view name) {
  std::string slug;
  for (char c : name) {
    bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (is_plain) {
      slug += c;
    } else if (!slug.ends_with('-')) {
      slug += '-';
    }
  }
  return slug;
}

// Folders that have a slug, found by going down where names fit.
class Search {
public:
  std::vector<std::string> found = {};

  void below(const std::string& folder, std::string_view slug) {
    if (++m_looks > k_max_looks || found.size() > 1) {
      return;
    }
    std::error_code error;
    std::filesystem::directory_iterator entries(folder, error);
    for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
      std::string name = slug_of("/" + entries->path().filename().string()).substr(1);
      std::error_code ignored;
      bool fits = !name.empty() && slug.starts_with(name) && entries->is_directory(ignored);
      if (fits && slug.size() == name.size()) {
        found.push_back(entries->path().string());
      } else if (fits && (slug[name.size()] == '-' || name.ends_with('-'))) {
        std::string_view rest = slug.substr(name.size());
        below(entries->path().string(), rest.substr(rest.starts_with('-') ? 1 : 0));
      }
    }
  }

private:
  std::size_t m_looks = 0;
};

std::string cursor_project(const std::string& path) {
  std::size_t at = path.rfind(k_cursor_below);
  if (at == std::string::npos) {
    return {};
  }
  std::string slug = slug_of(base_name(std::string_view(path).substr(0, at)));
  Search search;
  search.below("/", slug);
  return search.found.size() == 1 ? search.found.front() : std::string();
}

std::string gemini_project(const std::string& path) {
  std::size_t at = path.rfind(k_gemini_below);
  if (at == std::string::npos) {
    return {};
  }
  Result<std::string> root = read_file(path.substr(0, at) + std::string(k_gemini_root), k_max_root);
  if (!root) {
    return {};
  }
  root->erase(std::min(root->find_last_not_of("\r\n") + 1, root->size()));
  const bool is_folder = root->starts_with('/') && root->find('\n') == std::string::npos
                         && root->find('\0') == std::string::npos;
  return is_folder ? std::move(*root) : std::string();
}

} // namespace

std::string project_by_place(std::string_view harness, const std::string& path) {
  return harness == "cursor"       ? cursor_project(path)
         : harness == "gemini-cli" ? gemini_project(path)
                                   : std::string();
}

} // namespace upskill::archive
