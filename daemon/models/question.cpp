#include "daemon/models/question.h"

#include "daemon/models/wire_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::models {
namespace {

using Json = nlohmann::json;

constexpr std::size_t k_most_respondents = 256;
constexpr std::size_t k_digests = 8;

std::string_view word_of(Wire wire) {
  switch (wire) {
  case Wire::anthropic:
    return "anthropic";
  case Wire::chat:
    return "chat";
  case Wire::responses:
    return "responses";
  case Wire::scripted:
    break;
  }
  return "scripted";
}

// Without the name and password that a URL may have, and without its query, which may be a key.
std::string server_of(std::string_view url) {
  std::string where = host_and_port(url);
  std::size_t authority = url.find("://");
  if (where.empty() || authority == std::string_view::npos) {
    return {};
  }
  url.remove_prefix(authority + 3);
  url = url.substr(0, url.find_first_of("?#"));
  std::size_t path = url.find('/');
  return path == std::string_view::npos ? where : where + std::string(url.substr(path));
}

Json message_json(const Message& message) {
  Json object{{"role", message.role == Role::user ? "user" : "assistant"}, {"text", message.text}};
  for (const ToolCall& call : message.calls) {
    object["calls"].push_back(
        {{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  }
  for (const ToolResult& result : message.results) {
    object["results"].push_back(
        {{"call_id", result.call_id}, {"text", result.text}, {"failed", result.failed}});
  }
  return object;
}

// All but the system text.
Json head_of(const Respondent& who, const Request& request) {
  Json object{{"provider", who.provider},
              {"wire", who.wire},
              {"server", who.server},
              {"model", who.model},
              {"effort", who.effort},
              {"max_tokens", request.max_tokens},
              {"messages", Json::array()}};
  for (const Message& message : request.messages) {
    object["messages"].push_back(message_json(message));
  }
  for (const Tool& tool : request.tools) {
    object["tools"].push_back(
        {{"name", tool.name}, {"description", tool.description}, {"schema", tool.schema}});
  }
  if (!request.answer_schema.empty()) {
    object["schema"] = request.answer_schema;
  }
  return object;
}

// Of the text as JSON has it: what is no UTF-8 is the same before and after a file.
std::string text_digest(const Json& text) {
  return sha256(dump(text)).hex();
}

} // namespace

Respondent respondent_of(const ResolvedModel& model) {
  return {.provider = model.provider,
          .wire = std::string(word_of(model.wire)),
          .server = server_of(model.base_url),
          .model = model.id,
          .effort = model.effort};
}

Identify identify_by(std::string base_url, Environment environment) {
  return [base_url = std::move(base_url),
          environment = std::move(environment)](const std::string& name) -> Result<Respondent> {
    TRY_ASSIGN(ResolvedModel model, resolve_model(name, base_url, environment));
    return respondent_of(model);
  };
}

Identify identify_script(std::string_view script) {
  Respondent who{.provider = "scripted", .wire = "scripted", .model = sha256(script).hex()};
  return [who = std::move(who)](const std::string&) { return Result<Respondent>(who); };
}

Result<const Respondent*> Questions::respondent(const std::string& model) {
  auto known = m_respondents.find(model);
  if (known == m_respondents.end()) {
    TRY_ASSIGN(Respondent who, m_identify(model));
    if (m_respondents.size() >= k_most_respondents) {
      m_respondents.clear();
    }
    known = m_respondents.emplace(model, std::move(who)).first;
  }
  return &known->second;
}

const std::string& Questions::digest_of(const std::string& system) {
  auto known = std::ranges::find(m_digests, system, &std::pair<std::string, std::string>::first);
  if (known != m_digests.end()) {
    return known->second;
  }
  if (m_digests.size() < k_digests) {
    return m_digests.emplace_back(system, text_digest(system)).second;
  }
  auto& oldest = m_digests[m_next_digest++ % k_digests];
  oldest = {system, text_digest(system)};
  return oldest.second;
}

Result<AnswerKey> Questions::key(const Request& request) {
  TRY_ASSIGN(const Respondent* who, respondent(request.model));
  Json object = head_of(*who, request);
  object["system_sha256"] = digest_of(request.system);
  return AnswerKey{sha256(dump(object)), request.sample};
}

Result<Json> Questions::readable(const Request& request) {
  TRY_ASSIGN(const Respondent* who, respondent(request.model));
  Json object = head_of(*who, request);
  object["system"] = request.system;
  return object;
}

Digest question_digest(Json readable) {
  readable["system_sha256"] = text_digest(readable["system"]);
  readable.erase("system");
  return sha256(dump(readable));
}

} // namespace upskill::models
