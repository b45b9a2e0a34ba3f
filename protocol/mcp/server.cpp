#include "protocol/mcp/server.h"

#include "protocol/codec/writer.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/server_state.h"
#include "protocol/mcp/tools.h"

#include <algorithm>
#include <utility>

namespace upskill::mcp {
namespace {

constexpr CacheHint k_discover_cache{300'000, "public"};

void write_implementation(JsonWriter& json, const ServerInfo& info, Version version) {
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
  }
  json.end_object();
}

// What is declared here must have a handler (requests.cpp), and the other way round.
void write_capabilities(JsonWriter& json, Version version) {
  json.key("capabilities");
  json.begin_object();
  if (!is_modern(version)) {
    json.raw_field("logging", "{}");
  }
  json.raw_field("resources", R"({"subscribe":true,"listChanged":true})");
  json.raw_field("tools", "{}");
  json.end_object();
}

std::string written_meta(const ServerInfo& info) {
  std::string meta;
  JsonWriter json(meta);
  json.begin_object();
  json.key(k_meta_server_info);
  write_implementation(json, info, k_modern);
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

Server::Server(ServerInfo info, std::size_t tools_per_page)
    : m_state(std::make_unique<State>(std::move(info), std::max<std::size_t>(tools_per_page, 1))) {}

Server::~Server() = default;

Server::State::State(ServerInfo server_info, std::size_t page_size)
    : info(std::move(server_info))
    , tools_per_page(page_size) {
  if (info.instructions.empty()) {
    info.instructions = default_instructions();
  }
  meta = written_meta(info);
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
    write_capabilities(json, k_modern);
    json.field("instructions", info.instructions);
    write_modern_tail(json, k_modern, meta, &k_discover_cache);
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
    write_capabilities(json, version);
    json.key("serverInfo");
    write_implementation(json, info, version);
    json.field("instructions", info.instructions);
    json.end_object();
  });
  return once.content;
}

const std::vector<std::string>& Server::State::tools(Version version, Audience audience) const {
  auto& once = m_tools[static_cast<std::size_t>(version)][audience == Audience::people ? 1 : 0];
  std::call_once(once.flag,
                 [&] { once.content = tool_pages(version, audience, meta, tools_per_page); });
  return once.content;
}

} // namespace upskill::mcp
