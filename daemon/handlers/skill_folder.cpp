#include "daemon/handlers/skill_folder.h"

#include "daemon/handlers/mime_type.h"
#include "daemon/handlers/resource_page.h"
#include "daemon/handlers/skill_files.h"
#include "daemon/unknown_cursor.h"
#include "protocol/base/bounds.h"
#include "protocol/base/utc.h"
#include "skills/library/skill_uri.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::daemon {
namespace {

constexpr std::string_view k_after = "after-"; // begins a cursor; the last name as in its address
constexpr std::size_t k_max_cursor = k_after.size() + 3 * k_max_file_name; // bytes

// By the name alone; nothing where only a look at the content would tell.
std::string known_type(std::string_view name) {
  std::string_view type = mime_type(name, true);
  return type == mime_type(name, false) ? std::string(type) : std::string();
}

mcp::Resource resource_of(std::string uri, std::string name, const struct stat& status) {
  mcp::Resource resource;
  resource.uri = std::move(uri);
  resource.last_modified =
      rfc3339(std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000);
  if (S_ISDIR(status.st_mode)) {
    resource.mime_type = "inode/directory";
  } else {
    resource.mime_type = known_type(name);
    resource.size = status.st_size;
  }
  resource.name = std::move(name);
  return resource;
}

} // namespace

Result<mcp::DirectoryPage> read_skill_folder(const FolderRequest& request) {
  TRY_ASSIGN(std::vector<FolderChild> children, list_folder(request.skill, request.folder));
  std::string document;
  std::string below;
  std::optional<std::string> beginning = request.prefix;
  if (request.folder.empty()) {
    document = document_name(request.skill);
  } else {
    below = request.folder + "/";
    beginning = library::uri_below(request.prefix, request.folder);
    if (!beginning) { // it was found by a shorter spelling
      return fail(ErrorCode::not_found, "the address of the folder is too long");
    }
    *beginning += '/';
  }
  std::vector<std::pair<std::string, FolderChild*>> found; // by address
  for (FolderChild& child : children) {
    if (child.name == document) {
      child.name = "SKILL.md"; // as it is read, whatever the case of its name
    }
    if (std::optional<std::string> uri = library::uri_below(request.prefix, below + child.name)) {
      found.emplace_back(std::move(*uri), &child);
    }
  }
  auto address = [](const auto& one) -> const std::string& { return one.first; };
  std::ranges::sort(found, {}, address);
  auto next = found.begin();
  if (!request.cursor.empty()) {
    if (!request.cursor.starts_with(k_after) || request.cursor.size() > k_max_cursor) {
      return fail(unknown_cursor());
    }
    // The last one of the page before need not be there any more.
    std::string last = *beginning + request.cursor.substr(k_after.size());
    next = std::ranges::upper_bound(found, last, {}, address);
  }
  mcp::DirectoryPage page;
  ResourcePageRoom room;
  for (; next != found.end(); ++next) {
    mcp::Resource resource =
        resource_of(std::move(next->first), std::move(next->second->name), next->second->status);
    if (!room.take(resource)) {
      page.next_cursor = k_after;
      page.next_cursor += page.resources.back().uri.substr(beginning->size());
      break;
    }
    page.resources.push_back(std::move(resource));
  }
  return page;
}

} // namespace upskill::daemon
