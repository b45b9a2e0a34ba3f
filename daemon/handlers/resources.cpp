#include "daemon/handlers/resources.h"

#include "daemon/await.h"
#include "daemon/handlers/mime_type.h"
#include "daemon/handlers/skill_files.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/bounds.h"
#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"
#include "skills/library/skill_uri.h"

namespace upskill::daemon {
namespace {

mcp::Resource resource_of(const Catalogue& catalogue, const Catalogue::Row& row) {
  mcp::Resource resource;
  resource.uri = library::skill_uri(catalogue.project(row), catalogue.name(row), "SKILL.md");
  resource.name = catalogue.title(row);
  resource.description = catalogue.description(row);
  resource.mime_type = "text/markdown";
  resource.size = row.document_size;
  resource.last_modified = rfc3339(row.mtime_ms);
  return resource;
}

// Skills that are nothing but links out of the known roots are passed over: they cannot be read.
mcp::ResourcePage page_of(const Catalogue& catalogue, std::uint32_t from) {
  mcp::ResourcePage page;
  for (std::uint32_t i = from; i < catalogue.size(); ++i) {
    if (page.resources.size() == k_max_page) {
      page.next_cursor = catalogue.cursor_after(i - 1);
      break;
    }
    if (catalogue.row(i).newest != Catalogue::k_none) {
      page.resources.push_back(resource_of(catalogue, catalogue.row(i)));
    }
  }
  return page;
}

tl::unexpected<Error> no_resource(std::string_view uri) {
  return fail(ErrorCode::not_found,
              "there is no resource `" + to_valid_utf8(utf8_prefix(uri, 256)) + "`",
              "`resources/list` has them");
}

Result<SkillPlace>
place_of_uri(const Catalogue& catalogue, const library::SkillUri& address, std::string_view uri) {
  auto [first, last] = catalogue.find(address.skill);
  for (std::uint32_t i = first; i < last; ++i) {
    if (library::project_id(catalogue.project(catalogue.row(i))) == address.project) {
      return place_of(catalogue, i);
    }
  }
  return no_resource(uri);
}

Result<mcp::ResourceContents> read_uri(const Catalogue& catalogue, const std::string& uri) {
  std::vector<std::string> projects;
  for (const std::string& project : catalogue.projects()) {
    projects.push_back(library::project_id(project));
  }
  TRY_ASSIGN(library::SkillUri address, library::parse_skill_uri(uri, projects));
  TRY_ASSIGN(SkillPlace place, place_of_uri(catalogue, address, uri));
  TRY_ASSIGN(UniqueFd skill, open_skill(place));
  std::string file = address.file == "SKILL.md" ? document_name(skill.get()) : address.file;
  Result<FilePart> part = read_part(skill.get(), file, 0, k_mcp_skill_bytes);
  if (!part && part.error().code == ErrorCode::not_found) {
    return no_resource(uri);
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
  contents.mime_type = mime_type(address.file, contents.is_text);
  contents.bytes = std::move(part->bytes);
  return contents;
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
    co_return fail(ErrorCode::invalid_argument, "the cursor is none that was given out");
  }
  mcp::ResourceTemplate file;
  file.uri_template = "skill://{name}/{+path}";
  file.name = "skill file";
  file.title = "File of a skill";
  file.description = "Any file of a skill; `SKILL.md` says what the others are for.";
  mcp::ResourceTemplatePage page;
  page.templates.push_back(std::move(file));
  co_return page;
}

asio::awaitable<Result<mcp::ResourceContents>> SkillResources::read(std::string uri,
                                                                    RequestContext context) {
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto job = [&] { return read_uri(**catalogue, uri); };
  AWAIT(Result<mcp::ResourceContents> contents, runtime::offload(m_library.pool(), std::move(job)));
  co_return contents;
}

} // namespace upskill::daemon
