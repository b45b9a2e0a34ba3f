#include "daemon/handlers/resources.h"

#include "daemon/await.h"
#include "daemon/handlers/matches.h"
#include "daemon/handlers/mime_type.h"
#include "daemon/handlers/resource_page.h"
#include "daemon/handlers/short_answers.h"
#include "daemon/handlers/skill_address.h"
#include "daemon/handlers/skill_files.h"
#include "daemon/handlers/skill_folder.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/runtime/offload.h"
#include "daemon/unknown_cursor.h"
#include "protocol/base/bounds.h"
#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"
#include "skills/library/skill_uri.h"

#include <string_view>
#include <utility>
#include <vector>

namespace upskill::daemon {
namespace {

constexpr std::string_view k_template = "skill://{name}/{+path}";
constexpr std::string_view k_results = "eval://";

mcp::Resource resource_of(const Catalogue& catalogue, const Catalogue::Row& row) {
  mcp::Resource resource;
  resource.uri = document_uri(catalogue, row);
  resource.name = catalogue.title(row);
  resource.description = catalogue.description(row);
  cut_text(resource.name, k_listed_description);
  cut_text(resource.description, k_listed_description);
  resource.mime_type = "text/markdown";
  resource.size = row.document_size;
  resource.last_modified = rfc3339(row.mtime_ms);
  return resource;
}

// Skills that are nothing but links out of the known roots are passed over: they cannot be read.
mcp::ResourcePage page_of(const Catalogue& catalogue, std::uint32_t from) {
  mcp::ResourcePage page;
  ResourcePageRoom room;
  for (std::uint32_t i = from; i < catalogue.size(); ++i) {
    if (catalogue.row(i).newest == Catalogue::k_none) {
      continue;
    }
    mcp::Resource resource = resource_of(catalogue, catalogue.row(i));
    if (!room.take(resource)) {
      page.next_cursor = catalogue.cursor_after(i - 1);
      break;
    }
    page.resources.push_back(std::move(resource));
  }
  return page;
}

Result<mcp::Answer> read_uri(const Catalogue& catalogue, const std::string& uri) {
  TRY_ASSIGN(SkillAddress address, find_file_address(catalogue, uri));
  TRY_ASSIGN(SkillPlace place, place_of(catalogue, address.row));
  TRY_ASSIGN(UniqueFd skill, open_skill(place));
  std::string file = address.path == "SKILL.md" ? document_name(skill.get()) : address.path;
  Result<FilePart> part = read_part(skill.get(), file, 0, k_mcp_skill_bytes);
  if (!part && part.error().code == ErrorCode::not_found) {
    return fail(no_resource(uri));
  }
  TRY(part);
  if (part->size > static_cast<std::int64_t>(k_mcp_skill_bytes)) {
    return fail(ErrorCode::too_large,
                "`" + file + "` of skill `" + place.name + "` is larger than 16 MiB",
                "it lies in `" + place.folder + "`");
  }
  mcp::ResourceContents contents;
  contents.uri = uri;
  contents.is_text = is_utf8(part->bytes) && part->bytes.find('\0') == std::string::npos;
  contents.mime_type = mime_type(address.path, contents.is_text);
  contents.bytes = std::move(part->bytes);
  return contents;
}

Result<mcp::DirectoryPage>
read_folder(const Catalogue& catalogue, const std::string& uri, std::string cursor) {
  TRY_ASSIGN(SkillAddress address, find_folder_address(catalogue, uri));
  TRY_ASSIGN(SkillPlace place, place_of(catalogue, address.row));
  TRY_ASSIGN(UniqueFd skill, open_skill(place));
  const Catalogue::Row& row = catalogue.row(address.row);
  FolderRequest request;
  request.skill = skill.get();
  request.prefix = library::skill_prefix(catalogue.project(row), catalogue.name(row));
  request.folder = std::move(address.path);
  request.cursor = std::move(cursor);
  return read_skill_folder(request);
}

// In the user's scope only: a project's skills have addresses of another form.
mcp::Completion names_like(const Catalogue& catalogue, std::string_view value) {
  Matches matches(value);
  for (std::uint32_t i = 0; i < catalogue.size(); ++i) {
    const Catalogue::Row& row = catalogue.row(i);
    if (row.scope == 0 && row.newest != Catalogue::k_none) {
      matches.offer(catalogue.name(row));
    }
  }
  return std::move(matches).finish();
}

} // namespace

asio::awaitable<Result<mcp::ResourcePage>> SkillResources::list(std::string cursor,
                                                                RequestContext context) {
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  CO_TRY_ASSIGN(std::uint32_t from, (*catalogue)->row_after(cursor));
  co_return page_of(**catalogue, from);
}

asio::awaitable<Result<mcp::ResourceTemplatePage>>
SkillResources::list_templates(std::string cursor, RequestContext) {
  if (!cursor.empty()) {
    co_return fail(unknown_cursor());
  }
  mcp::ResourceTemplate file;
  file.uri_template = k_template;
  file.name = "skill file";
  file.title = "File of a skill";
  file.description = "Any file of a skill; `SKILL.md` says what the others are for.";
  mcp::ResourceTemplatePage page;
  page.templates.push_back(std::move(file));
  mcp::ResourceTemplate result;
  result.uri_template = "eval://{+skill}";
  result.name = "skill verdict";
  result.title = "Whether a watched skill became worse";
  result.description = "JSON: verdict, rates and reasons; subscribe to be told when it changes.";
  result.mime_type = "application/json";
  page.templates.push_back(std::move(result));
  co_return page;
}

asio::awaitable<Result<mcp::Answer>> SkillResources::read(std::string uri, RequestContext context) {
  if (uri.starts_with(k_results)) {
    std::optional<std::string> result = m_results ? m_results(uri) : std::nullopt;
    if (!result) {
      co_return fail(no_resource(uri));
    }
    mcp::ResourceContents contents;
    contents.uri = uri;
    contents.mime_type = "application/json";
    contents.bytes = std::move(*result);
    co_return contents;
  }
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto job = [&] { return read_uri(**catalogue, uri); };
  AWAIT(Result<mcp::Answer> contents, runtime::offload(m_library.pool(context), std::move(job)));
  if (!contents && contents.error().code == ErrorCode::refused) {
    contents.error().code = ErrorCode::not_found; // a link out of the skill is none of its files
  }
  co_return contents;
}

asio::awaitable<Result<mcp::DirectoryPage>>
SkillResources::read_directory(std::string uri, std::string cursor, RequestContext context) {
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto job = [&] { return read_folder(**catalogue, uri, std::move(cursor)); };
  AWAIT(Result<mcp::DirectoryPage> page, runtime::offload(m_library.pool(context), std::move(job)));
  bool is_unknown =
      !page
      && (page.error().code == ErrorCode::not_found || page.error().code == ErrorCode::refused);
  if (is_unknown) {
    co_return fail(ErrorCode::not_found,
                   no_resource(uri).message + " that is a folder",
                   "a folder is named without a slash at its end: `skill://NAME/FOLDER`");
  }
  co_return page;
}

asio::awaitable<Result<mcp::Completion>> SkillResources::complete(std::string uri_template,
                                                                  std::string argument,
                                                                  std::string value,
                                                                  RequestContext context) {
  if (uri_template != k_template || argument != "name") {
    co_return mcp::Completion{};
  }
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  co_return names_like(**catalogue, value);
}

} // namespace upskill::daemon
