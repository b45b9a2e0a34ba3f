#include "daemon/fetch/mcp_fetch.h"

#include "daemon/await.h"
#include "daemon/fetch/found.h"
#include "daemon/fetch/mcp_client.h"
#include "daemon/fetch/mcp_skills.h"
#include "daemon/models/wire_json.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/document/document.h"
#include "skills/install/discover.h"
#include "skills/install/skill_front.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace upskill::fetch {

using Json = nlohmann::json;

namespace {

constexpr std::size_t k_most_pages = 1'000;
constexpr std::size_t k_most_left_out = 20;         // warnings
constexpr std::size_t k_longest_name = 256;         // bytes, as of skills in folders
constexpr std::size_t k_longest_description = 4096; // bytes, likewise

Offered offered_of(ServerSkill skill) {
  Offered offered;
  offered.name = install::one_line(skill.name, k_longest_name);
  offered.description = install::one_line(skill.description, k_longest_description);
  offered.from = std::move(skill.uri);
  offered.digest = std::move(skill.digest);
  return offered;
}

std::string document_alone(const std::string& name) {
  return "of " + in_backticks(install::one_line(name, k_longest_name))
         + " the server sends the SKILL.md alone, without a digest";
}

void add(Offer& offer, Result<ServerSkill> skill) {
  if (!skill) {
    if (offer.warnings.size() < k_most_left_out) {
      offer.warnings.push_back(std::move(skill.error().message));
    }
    return;
  }
  if (skill->digest.empty() && offer.warnings.size() < k_most_left_out) {
    offer.warnings.push_back(document_alone(skill->name));
  }
  offer.skills.push_back(offered_of(std::move(*skill)));
}

// All pages of a list.
asio::awaitable<Result<void>> list(McpClient& client, Offer& offer) {
  const bool has_skills = client.has_skills();
  const std::string method = has_skills ? "skills/list" : "resources/list";
  Json params = Json::object();
  for (std::size_t page = 0; page < k_most_pages; ++page) {
    AWAIT(Result<Json> result, client.call(method, params));
    CO_TRY(result);
    const char* member = has_skills ? "skills" : "resources";
    auto entries = result->find(member);
    if (entries == result->end() || !entries->is_array()) {
      co_return fail(ErrorCode::corrupt,
                     "the MCP server at " + in_backticks(client.where()) + " sent no list of "
                         + member);
    }
    for (const Json& entry : *entries) {
      if (offer.skills.size() >= install::k_most_found) {
        co_return fail(ErrorCode::too_large,
                       "the MCP server at " + in_backticks(client.where())
                           + " has more than 10,000 skills");
      }
      if (has_skills) {
        add(offer, read_server_skill(entry));
      } else if (Result<ServerSkill> skill = read_skill_resource(entry)) {
        add(offer, std::move(skill)); // all other resources are none of ours
      }
    }
    std::string next = models::text_member(*result, "nextCursor");
    if (next.empty()) {
      co_return Result<void>();
    }
    params["cursor"] = std::move(next);
  }
  co_return fail(ErrorCode::too_large,
                 "the list of the MCP server at " + in_backticks(client.where()) + " has no end");
}

asio::awaitable<Result<ServerSkill>> get(McpClient& client, std::string uri) {
  if (!client.has_skills()) {
    co_return read_skill_resource(Json{{"uri", uri}});
  }
  AWAIT(Result<Json> result, client.call("skills/get", Json{{"uri", uri}}));
  CO_TRY(result);
  CO_TRY_ASSIGN(ServerSkill skill, read_server_skill(models::object_member(*result, "skill")));
  if (skill.uri != uri) {
    co_return fail(ErrorCode::corrupt,
                   "the MCP server at " + in_backticks(client.where()) + " sent another skill than "
                       + in_backticks(uri));
  }
  co_return skill;
}

Result<void> write(const std::string& folder, const std::string& path, const std::string& bytes) {
  const std::string file = join_path(folder, path);
  TRY(make_directories(parent_path(file), 0700));
  return write_file_atomically(file, bytes, 0644, Durability::process_crash);
}

Result<void> check_file(const ServerFile& file, const std::string& bytes) {
  if (bytes.size() == file.bytes && sha256(bytes) == file.digest) {
    return {};
  }
  return fail(ErrorCode::corrupt,
              in_backticks(file.uri) + " is not what the server's digest says",
              "the server changed it meanwhile, or somebody in between did");
}

// What the server lists is what a person was shown: it must be what the document says.
Result<void> check_document(const ServerSkill& skill, const std::string& bytes) {
  const document::Document document = document::read_document(bytes);
  if (document.name == skill.name && document.description == skill.description) {
    return {};
  }
  return fail(ErrorCode::corrupt,
              "the server lists " + in_backticks(skill.uri)
                  + " by another name or description than its SKILL.md has");
}

// Of a skill without digests, its document. `skill` was read from the same server just now.
std::vector<ServerFile> files_of(const ServerSkill& skill) {
  return skill.files.empty() ? std::vector<ServerFile>{{skill.uri, "SKILL.md", {}, 0}}
                             : skill.files;
}

asio::awaitable<Result<void>> bring_files(McpClient& client,
                                          const ServerSkill& skill,
                                          std::string folder,
                                          runtime::Pool::Share pool) {
  const bool has_digests = !skill.digest.empty();
  for (const ServerFile& file : files_of(skill)) {
    AWAIT(Result<Json> result, client.call("resources/read", Json{{"uri", file.uri}}));
    CO_TRY(result);
    CO_TRY_ASSIGN(std::string bytes, bytes_of(*result, file.uri));
    auto keep = [&]() -> Result<void> {
      if (has_digests) {
        TRY(check_file(file, bytes));
      }
      if (has_digests && file.path == "SKILL.md") {
        TRY(check_document(skill, bytes));
      }
      return write(folder, file.path, bytes);
    };
    AWAIT(Result<void> kept, runtime::offload(pool, std::move(keep)));
    CO_TRY(kept);
  }
  co_return Result<void>();
}

Result<void> make_place(Offer& offer, const std::string& scratch) {
  TRY(make_directories(scratch, 0700));
  TRY_ASSIGN(offer.fetched, sandbox::PrivateFolder::make(scratch));
  return {};
}

} // namespace

asio::awaitable<Result<Offer>> look_at_server(models::Http& http,
                                              std::string scratch,
                                              install::Source source,
                                              FetchSetting setting,
                                              runtime::Pool::Share pool) {
  Offer offer;
  RemovedUnlessOffered guard(offer, pool);
  offer.source = std::move(source);
  setting.progress("asking " + offer.source.name);
  AWAIT(Result<McpClient> client,
        McpClient::connect(http, install::address_of(offer.source), setting));
  CO_TRY(client);
  if (!client->has_skills() && !client->has_resources()) {
    co_return fail(ErrorCode::not_found,
                   "the MCP server at " + in_backticks(client->where())
                       + " has neither skills nor resources");
  }
  std::vector<std::string> named;
  for (const std::string& skill : offer.source.skills) {
    if (skill.starts_with("skill://")) {
      named.push_back(skill);
    }
  }
  for (const std::string& uri : named) {
    AWAIT(Result<ServerSkill> skill, get(*client, uri));
    CO_TRY(skill);
    add(offer, std::move(skill));
  }
  if (named.empty()) {
    AWAIT(Result<void> listed, list(*client, offer));
    CO_TRY(listed);
  }
  if (offer.skills.empty()) {
    co_return fail(ErrorCode::not_found,
                   "the MCP server at " + in_backticks(client->where()) + " has no skills",
                   offer.warnings.empty() ? "" : offer.warnings.front());
  }
  auto make = [&] { return make_place(offer, scratch); };
  AWAIT(Result<void> made, runtime::offload(pool, std::move(make)));
  CO_TRY(made);
  co_return offer;
}

asio::awaitable<Result<void>> bring_from_server(models::Http& http,
                                                Offer& offer,
                                                std::size_t which,
                                                FetchSetting setting,
                                                runtime::Pool::Share pool) {
  Offered& offered = offer.skills.at(which);
  AWAIT(Result<McpClient> client,
        McpClient::connect(http, install::address_of(offer.source), setting));
  CO_TRY(client);
  AWAIT(Result<ServerSkill> skill, get(*client, offered.from));
  CO_TRY(skill);
  if (skill->digest != offered.digest) {
    co_return fail(ErrorCode::changed,
                   in_backticks(offered.from) + " has changed since it was listed",
                   "try again");
  }
  setting.progress("fetching " + offered.name);
  std::string folder = join_path(offer.fetched->path(), std::to_string(which));
  AWAIT(Result<void> brought, bring_files(*client, *skill, folder, pool));
  CO_TRY(brought);
  offered.folder = std::move(folder);
  co_return Result<void>();
}

} // namespace upskill::fetch
