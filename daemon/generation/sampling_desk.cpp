#include "daemon/generation/sampling_desk.h"

#include "daemon/await.h"
#include "protocol/base/hash.h"
#include "protocol/codec/codec.h"
#include "protocol/codec/writer.h"
#include "protocol/rpc/simdjson_reader.h"

#include <optional>
#include <utility>

namespace upskill::generation {
namespace {

constexpr std::size_t k_most_at_once = 8; // mcp::Questions::k_max_at_once
constexpr std::size_t k_key_digits = 32;

struct SampledBlock {
  static constexpr bool k_lenient = true;
  std::string type = {};
  std::string text = {};

  static void describe(auto& f) {
    f.optional(&SampledBlock::type, "type", "");
    f.optional(&SampledBlock::text, "text", "");
  }
};

struct Sampled {
  static constexpr bool k_lenient = true;
  std::string model = {};
  std::string stop_reason = {};
  JsonText content = {};

  static void describe(auto& f) {
    f.optional(&Sampled::model, "model", "");
    f.optional(&Sampled::stop_reason, "stopReason", "");
    f.required(&Sampled::content, "content", "");
  }
};

// What a question is known by, over the calls that it takes.
std::string key_of(const models::Request& request, const std::string& params) {
  Sha256 hash;
  hash.update_framed(params);
  hash.update_framed(std::to_string(request.sample));
  return "sample-" + hash.finish().brief(k_key_digits);
}

std::string system_text(const models::Request& request) {
  if (request.answer_schema.empty()) {
    return request.system;
  }
  return request.system + "\n\nReply with one JSON object that this JSON Schema describes:\n"
         + request.answer_schema;
}

std::string params_of(const models::Request& request) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("messages");
  json.begin_array();
  for (const models::Message& message : request.messages) {
    json.begin_object();
    json.field("role", message.role == models::Role::user ? "user" : "assistant");
    json.key("content");
    json.begin_object();
    json.field("type", "text");
    json.field("text", message.text);
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.field("systemPrompt", system_text(request));
  json.field("maxTokens", request.max_tokens);
  json.end_object();
  return text;
}

// One block, or as many as there are (MCP 2025-11-25: an array). What is no text, such as a picture
// or the call of a tool, says nothing here.
Result<std::string> text_of(const JsonText& content) {
  std::optional<std::string> text;
  std::optional<Error> problem;
  auto add = [&](JsonReader& reader) {
    Result<SampledBlock> block = decode<SampledBlock>(reader, "answer.content");
    if (!block) {
      problem = std::move(block).error();
    } else if (block->type == "text" || block->type.empty()) {
      text = text.value_or("") + block->text;
    }
  };
  rpc::JsonParser parser;
  TRY(parser.read(content.text, "the client's answer", [&](JsonReader& reader) {
    if (reader.kind() == JsonKind::array) {
      reader.each_element([&](std::size_t, JsonReader& element) { add(element); });
    } else {
      add(reader);
    }
  }));
  if (problem || !text) {
    return fail(ErrorCode::corrupt, "the calling agent's answer is no text");
  }
  return *std::move(text);
}

Result<models::Answer> read_answer(const std::string& text) {
  Result<Sampled> sampled = fail(ErrorCode::corrupt, "nothing was read");
  rpc::JsonParser parser;
  TRY(parser.read(text, "the client's answer", [&](JsonReader& reader) {
    sampled = decode<Sampled>(reader, "answer");
  }));
  if (!sampled) {
    return fail(ErrorCode::corrupt, "the calling agent's answer is no text");
  }
  models::Answer answer;
  TRY_ASSIGN(answer.text, text_of(sampled->content));
  answer.stop = sampled->stop_reason == "maxTokens" ? models::Stop::length : models::Stop::end;
  answer.model = sampled->model;
  answer.provider = std::string(k_sampling);
  return answer;
}

} // namespace

SamplingDesk::SamplingDesk(asio::any_io_executor executor, const std::string& responses)
    : m_never(std::move(executor)) {
  if (responses.empty()) {
    return;
  }
  rpc::JsonParser parser;
  Result<void> read = parser.read(responses, "inputResponses", [&](JsonReader& reader) {
    reader.each_field([&](std::string_view key, JsonReader& value) {
      if (key.starts_with("sample-")) {
        m_answers.emplace(key, value.raw().value_or(std::string()));
      }
    });
  });
  static_cast<void>(read); // what cannot be read is no answer: it is asked again
}

std::vector<mcp::InputRequest> SamplingDesk::questions() const {
  std::vector<mcp::InputRequest> questions;
  for (const auto& [key, params] : m_waiting) {
    if (questions.size() < k_most_at_once) {
      questions.push_back({key, mcp::InputKind::sampling, params});
    }
  }
  return questions;
}

asio::awaitable<Result<models::Answer>> SamplingDesk::ask(models::Request request) {
  std::string params = params_of(request);
  std::string key = key_of(request, params);
  auto known = m_answers.find(key);
  if (known != m_answers.end()) {
    co_return read_answer(known->second);
  }
  m_waiting.emplace(key, std::move(params));
  if (m_tell) {
    m_tell();
  }
  for (;;) {
    AWAIT_DONE(m_never.wait()); // until it is cancelled
  }
}

asio::awaitable<Result<models::Answer>> SamplingModel::answer(models::Request request) {
  AWAIT(Result<models::Answer> answer, m_desk.ask(std::move(request)));
  co_return answer;
}

models::Identify identify_client(const std::string& client) {
  return [client](const std::string& model) -> Result<models::Respondent> {
    return models::Respondent{std::string(k_sampling), "mcp", client, model, {}};
  };
}

} // namespace upskill::generation
