#include "skills/library/way.h"

#include "protocol/base/paths.h"

#include <unistd.h>

#include <climits>
#include <optional>
#include <string_view>

namespace upskill::library {
namespace {

constexpr std::size_t k_max_links = 40; // as path_resolution(7) has it

std::optional<std::string> target_of(const std::string& link) {
  char buffer[PATH_MAX];
  ssize_t length = ::readlink(link.c_str(), buffer, sizeof buffer);
  return length < 0 ? std::nullopt
                    : std::optional<std::string>(std::in_place, buffer, std::size_t(length));
}

} // namespace

Way way_to(const std::string& path) {
  Way way;
  way.end = "/";
  std::string rest = path;
  for (std::size_t at = 0; at < rest.size();) {
    std::size_t end = std::min(rest.find('/', at), rest.size());
    std::string_view name = std::string_view(rest).substr(at, end - at);
    at = end + 1;
    if (name.empty() || name == ".") {
      continue;
    }
    if (name == "..") {
      way.end = parent_path(way.end);
      continue;
    }
    std::string next = join_path(way.end, name);
    std::optional<std::string> target = target_of(next);
    if (!target || way.links.size() == k_max_links) {
      way.end = std::move(next);
      continue;
    }
    way.links.push_back(std::move(next));
    way.end = target->starts_with('/') ? "/" : std::move(way.end);
    rest = *target + "/" + (at < rest.size() ? rest.substr(at) : std::string());
    at = 0;
  }
  return way;
}

} // namespace upskill::library
