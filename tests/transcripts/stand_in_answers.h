#pragma once
#include "protocol/mcp/answer.h"
#include "protocol/mcp/call.h"
#include "protocol/mcp/server.h"
#include "tests/transcripts/pattern.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

// What a script says, as the answers of mcp/answer.h. Members are named as there.
namespace upskill::transcripts {

inline ErrorCode code_from(const std::string& name) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    if (to_string(static_cast<ErrorCode>(code)) == name) {
      return static_cast<ErrorCode>(code);
    }
  }
  return ErrorCode::internal;
}

inline Error error_from(const Json& json) {
  return {code_from(json.value("code", "")), json.value("message", ""), json.value("hint", "")};
}

inline std::string bytes_from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  }
  return bytes;
}

// The JSON of a member; empty where there is none.
inline std::string raw_member(const Json& json, const char* name) {
  return json.contains(name) ? json[name].dump() : std::string();
}

inline mcp::ToolAnswer tool_from(const Json& json) {
  return {raw_member(json, "structured"),
          json.value("text", ""),
          raw_member(json, "content"),
          json.value("is_error", false)};
}

inline std::vector<mcp::Resource> resources_from(const Json& json) {
  std::vector<mcp::Resource> resources;
  for (const Json& entry : json["resources"]) {
    mcp::Resource& resource = resources.emplace_back();
    resource.uri = entry.value("uri", "");
    resource.name = entry.value("name", "");
    resource.title = entry.value("title", "");
    resource.mime_type = entry.value("mime", "");
    if (entry.contains("size")) {
      resource.size = entry["size"].get<std::int64_t>();
    }
  }
  return resources;
}

inline mcp::ResourceContents contents_from(const Json& json) {
  mcp::ResourceContents contents{json.value("uri", ""), json.value("mime", "")};
  contents.is_text = json.contains("text");
  contents.bytes =
      contents.is_text ? json.value("text", "") : bytes_from_hex(json.value("hex", ""));
  return contents;
}

inline mcp::ResourceTemplatePage templates_from(const Json& json) {
  mcp::ResourceTemplatePage page;
  for (const Json& entry : json) {
    page.templates.push_back({entry.value("uri", ""), entry.value("name", "")});
  }
  return page;
}

inline mcp::SkillEntry skill_from(const Json& json) {
  mcp::SkillEntry skill;
  skill.uri = json.value("uri", "");
  skill.front_matter = raw_member(json, "front_matter");
  skill.is_dynamic = json.value("dynamic", false);
  for (const Json& file : json.value("files", Json::array())) {
    skill.files.push_back({file.value("uri", ""), file.value("digest", ""), file.value("size", 0)});
  }
  return skill;
}

inline mcp::SkillPage skills_from(const Json& json) {
  mcp::SkillPage page;
  for (const Json& skill : json["skills"]) {
    page.skills.push_back(skill_from(skill));
  }
  page.next_cursor = json.value("next", "");
  return page;
}

inline std::vector<mcp::InputRequest> requests_from(const Json& json) {
  std::vector<mcp::InputRequest> requests;
  for (const Json& entry : json) {
    mcp::InputRequest& request = requests.emplace_back();
    request.key = entry.value("key", "");
    request.params = raw_member(entry, "params");
    std::string kind = entry.value("kind", "");
    request.kind = kind == "sampling" ? mcp::InputKind::sampling
                   : kind == "roots"  ? mcp::InputKind::roots
                                      : mcp::InputKind::elicitation;
  }
  return requests;
}

inline mcp::InputRequired input_required_from(const Json& json) {
  return {requests_from(json.value("requests", Json::array())), json.value("state", "")};
}

inline mcp::PromptMessages prompt_from(const Json& json) {
  mcp::PromptMessages prompt{json.value("description", "")};
  for (const Json& content : json["contents"]) {
    prompt.contents.push_back(content.dump());
  }
  return prompt;
}

inline mcp::Completion completion_from(const Json& json) {
  mcp::Completion completion;
  for (const Json& value : json["values"]) {
    completion.values.push_back(value.get<std::string>());
  }
  completion.total = json.value("total", std::int64_t(completion.values.size()));
  return completion;
}

inline mcp::TaskStatus task_from(const Json& json) {
  static constexpr std::array<std::string_view, 5> k_states{
      "working", "input_required", "completed", "failed", "cancelled"};
  mcp::TaskStatus task;
  task.id = json.value("id", "");
  for (std::size_t i = 0; i < k_states.size(); ++i) {
    if (k_states[i] == json.value("state", "")) {
      task.state = static_cast<mcp::TaskStatus::State>(i);
    }
  }
  task.message = json.value("message", "");
  task.created_at = json.value("created_at", "2026-11-22T10:00:00Z");
  task.updated_at = json.value("updated_at", task.created_at);
  if (json.contains("ttl")) {
    task.ttl_ms = json["ttl"].get<std::int64_t>();
  }
  task.requests = requests_from(json.value("requests", Json::array()));
  if (json.contains("result")) {
    task.outcome = tool_from(json["result"]);
  } else if (json.contains("error")) {
    task.outcome = fail(error_from(json["error"]));
  }
  return task;
}

// Nothing for a word that is no answer.
inline std::optional<Result<mcp::Answer>> answer_from(std::string_view word, const Json& json) {
  auto is = [&](std::string_view other) { return word == other; };
  auto of = [](mcp::Answer answer) {
    return std::optional<Result<mcp::Answer>>(std::move(answer));
  };
  if (is("answer")) {
    return of(mcp::ToolAnswer{json.dump()});
  }
  if (is("result")) {
    return of(tool_from(json));
  }
  if (is("error")) {
    return Result<mcp::Answer>(fail(error_from(json)));
  }
  if (is("refuse")) {
    return of(
        mcp::Refusal{json.value("code", 0), json.value("message", ""), raw_member(json, "data")});
  }
  if (is("missing")) {
    return of(mcp::missing_capability(json.dump()));
  }
  if (is("ask")) {
    return of(input_required_from(json));
  }
  if (is("resources")) {
    return of(mcp::ResourcePage{resources_from(json), json.value("next", "")});
  }
  if (is("directory")) {
    return of(mcp::DirectoryPage{resources_from(json), json.value("next", "")});
  }
  if (is("templates")) {
    return of(templates_from(json));
  }
  if (is("contents")) {
    return of(contents_from(json));
  }
  if (is("skills")) {
    return of(skills_from(json));
  }
  if (is("skill")) {
    return of(skill_from(json));
  }
  if (is("prompt")) {
    return of(prompt_from(json));
  }
  if (is("completion")) {
    return of(completion_from(json));
  }
  if (is("task")) {
    return of(task_from(json));
  }
  if (is("done")) {
    return of(mcp::Done{});
  }
  return std::nullopt;
}

// What a daemon without skills answers.
inline Result<mcp::Answer> default_answer(const mcp::Call& call) {
  using Kind = mcp::Call::Kind;
  switch (call.kind) {
  case Kind::tool:
    return mcp::ToolAnswer{"{}"};
  case Kind::list_resources:
    return mcp::ResourcePage{};
  case Kind::list_resource_templates:
    return mcp::ResourceTemplatePage{};
  case Kind::list_skills:
    return mcp::SkillPage{};
  case Kind::complete:
    return mcp::Completion{};
  case Kind::get_prompt:
    return mcp::PromptMessages{"", {mcp::text_block("what the prompt says")}};
  case Kind::get_task:
  case Kind::update_task:
  case Kind::cancel_task:
    return fail(ErrorCode::not_found, "there is no task `" + call.name + "`");
  case Kind::read_resource:
  case Kind::read_directory:
  case Kind::get_skill:
    break;
  }
  return fail(ErrorCode::not_found, "there is no `" + call.uri + "`");
}

inline Json description(const mcp::Call& call) {
  Json client = Json::array();
  auto add = [&](bool has, const char* name) {
    if (has) {
      client.push_back(name);
    }
  };
  add(call.client.form, "form");
  add(call.client.url, "url");
  add(call.client.sampling, "sampling");
  add(call.client.sampling_tools, "sampling_tools");
  add(call.client.roots, "roots");
  add(call.client.tasks, "tasks");
  auto parsed = [](const std::string& text) { return text.empty() ? Json() : Json::parse(text); };
  Json json{{"id", Json::parse(call.client_id)},
            {"uri", call.uri},
            {"cursor", call.cursor},
            {"name", call.name},
            {"argument", call.argument},
            {"value", call.value},
            {"arguments", parsed(call.arguments)},
            {"input_responses", parsed(call.input_responses)},
            {"request_state", call.request_state},
            {"client", client},
            {"accepts_task", call.accepts_task},
            {"wants_progress", call.wants_progress},
            {"wants_log", call.wants_log},
            {"context", call.context}};
  if (call.method != nullptr) {
    json["tool"] = call.method->name;
  }
  return json;
}

// What the product offers, and a tool and prompts to try the rest of the protocol with.
inline mcp::Offer stand_in_offer(bool lists_change) {
  static constexpr std::array<MethodInfo, 1> k_tools{
      {{"untyped",
        "",
        "A tool without an output schema.",
        "",
        Effect::writes,
        Audience::agents,
        Pace::slow,
        [] { return std::string(R"({"type":"object","$defs":{"a":{"type":"string"}}})"); },
        [] { return std::string(); }}}};
  mcp::Offer offer;
  offer.tools = k_tools;
  offer.prompts = {
      {"review_skill",
       "Review a skill",
       "Reviews a skill.",
       {{"skill", "Skill", "Its name.", true}, {"focus", "", "What to look at.", false}}},
      {"plain", "", "Takes nothing.", {}}};
  offer.completion = offer.skills = offer.tasks = true;
  offer.list_changes = lists_change;
  return offer;
}

} // namespace upskill::transcripts
