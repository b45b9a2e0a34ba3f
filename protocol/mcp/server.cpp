#include "protocol/mcp/server.h"

#include "protocol/base/random.h"
#include "protocol/codec/writer.h"
#include "protocol/mcp/capabilities.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/prompts.h"
#include "protocol/mcp/server_state.h"
#include "protocol/mcp/tools.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace upskill::mcp {
namespace {

constexpr CacheHint k_discover_cache{300'000, "public"};

// The icon is longer than most results, so it is left out of those.
enum class Icon { with, without };

void write_implementation(JsonWriter& json, const ServerInfo& info, Version version, Icon icon) {
  json.begin_object();
  json.field("name", info.name);
  if (has_structured_content(version)) {
    json.field("title", info.title);
  }
  json.field("version", info.version);
  if (has_visible_argument_errors(version)) {
    if (!info.description.empty()) {
      json.field("description", info.description);
    }
    if (!info.website_url.empty()) {
      json.field("websiteUrl", info.website_url);
    }
    if (!info.icon.empty() && icon == Icon::with) {
      json.key("icons");
      json.begin_array();
      json.begin_object();
      json.field("src", info.icon);
      json.field("mimeType", "image/svg+xml");
      json.raw_field("sizes", R"(["any"])");
      json.end_object();
      json.end_array();
    }
  }
  json.end_object();
}

// What is declared here must have a handler (requests.cpp), and the other way round.
void write_capabilities(JsonWriter& json, const Offer& offer, Version version) {
  std::string_view list = offer.list_changes ? R"({"listChanged":true})" : "{}";
  bool has_tasks = offer.tasks && is_modern(version);
  json.key("capabilities");
  json.begin_object();
  if (offer.completion && has_completions(version)) {
    json.raw_field("completions", "{}");
  }
  if ((offer.skills || has_tasks) && has_extensions(version)) {
    json.key("extensions");
    json.begin_object();
    if (offer.skills) {
      json.raw_field(k_skills_extension, R"({"directoryRead":true})");
    }
    if (has_tasks) {
      json.raw_field(k_tasks_extension, "{}");
    }
    json.end_object();
  }
  json.raw_field("logging", "{}");
  if (!offer.prompts.empty()) {
    json.raw_field("prompts", list);
  }
  if (offer.resources) {
    json.raw_field("resources", R"({"subscribe":true,"listChanged":true})");
  }
  json.raw_field("tools", list);
  json.end_object();
}

std::string written_meta(const ServerInfo& info, Icon icon) {
  std::string meta;
  JsonWriter json(meta);
  json.begin_object();
  json.key(k_meta_server_info);
  write_implementation(json, info, k_modern, icon);
  json.end_object();
  return meta;
}

} // namespace

std::string default_instructions() {
  return "upskill keeps agent skills (folders with a SKILL.md that teach a task) on this machine "
         "and "
         "in sync across coding agents. Before a task that a skill may cover, call skill_list with "
         "words of the task, then skill_read, and follow what it says. After writing or editing a "
         "SKILL.md, call skill_validate; copies in other agents' folders follow by themselves.";
}

Server::Server(ServerInfo info, Offer offer, std::size_t tools_per_page)
    : m_state(std::make_unique<State>(
        std::move(info), std::move(offer), std::max<std::size_t>(tools_per_page, 1))) {}

Server::~Server() = default;

const MethodInfo* Server::find_tool(std::string_view name, Audience audience) const {
  return m_state->find_tool(name, audience);
}

Server::State::State(ServerInfo server_info, Offer the_offer, std::size_t page_size)
    : info(std::move(server_info))
    , offer(std::move(the_offer))
    , per_page(page_size)
    , m_request_ids("\"upskill-" + random_hex(8) + '-') {
  if (info.instructions.empty()) {
    info.instructions = default_instructions();
  }
  meta = written_meta(info, Icon::without);
  for (std::span<const MethodInfo> methods : {catalog(), offer.tools}) {
    for (const MethodInfo& method : methods) {
      m_tools_by_name.emplace(method.name, &method); // the catalogue's stays
    }
  }
}

const MethodInfo* Server::State::find_tool(std::string_view name, Audience audience) const {
  auto found = m_tools_by_name.find(name);
  if (found == m_tools_by_name.end()) {
    return nullptr;
  }
  const MethodInfo& method = *found->second;
  bool is_allowed = audience == Audience::people || method.audience == Audience::agents
                    || (method.audience == Audience::people && method.effect == Effect::reads);
  return is_allowed ? &method : nullptr;
}

const Prompt* Server::State::find_prompt(std::string_view name) const {
  auto found = std::find_if(offer.prompts.begin(), offer.prompts.end(), [&](const Prompt& prompt) {
    return prompt.name == name;
  });
  return found == offer.prompts.end() ? nullptr : &*found;
}

std::string Server::State::next_request_id() const {
  return m_request_ids + std::to_string(m_last_request.fetch_add(1) + 1) + '"';
}

const std::string& Server::State::discover() const {
  std::call_once(m_discover.flag, [this] {
    JsonWriter json(m_discover.content);
    json.begin_object();
    write_modern_head(json, k_modern);
    json.key("supportedVersions");
    json.begin_array();
    json.value(name_of(k_modern));
    json.end_array();
    write_capabilities(json, offer, k_modern);
    json.field("instructions", info.instructions);
    write_modern_tail(json, k_modern, written_meta(info, Icon::with), &k_discover_cache);
    json.end_object();
  });
  return m_discover.content;
}

const std::string& Server::State::initialize(Version version) const {
  auto& once = m_initialize[static_cast<std::size_t>(version)];
  std::call_once(once.flag, [&] {
    JsonWriter json(once.content);
    json.begin_object();
    json.field("protocolVersion", name_of(version));
    write_capabilities(json, offer, version);
    json.key("serverInfo");
    write_implementation(json, info, version, Icon::with);
    json.field("instructions", info.instructions);
    json.end_object();
  });
  return once.content;
}

const std::vector<std::string>& Server::State::tools(Version version, Audience audience) const {
  auto& once = m_tools[static_cast<std::size_t>(version)][audience == Audience::people ? 1 : 0];
  std::call_once(once.flag, [&] {
    once.content = tool_pages(version, audience, offer.tools, meta, per_page);
  });
  return once.content;
}

const std::vector<std::string>& Server::State::prompts(Version version) const {
  auto& once = m_prompts[static_cast<std::size_t>(version)];
  std::call_once(once.flag,
                 [&] { once.content = prompt_pages(version, offer.prompts, meta, per_page); });
  return once.content;
}

} // namespace upskill::mcp
