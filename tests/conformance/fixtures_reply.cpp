#include "tests/conformance/fixtures_reply.h"

#include "protocol/mcp/base64.h"

#include <nlohmann/json.hpp>

namespace upskill::conformance {
namespace {

using namespace std::string_view_literals;

constexpr auto k_picture =
    "\211PNG\r\n\032\n\000\000\000\rIHDR\000\000\000\001\000\000\000\001\010\002\000\000\000"
    "\220wS\336\000\000\000\014IDATx\332c\370\317\300\000\000\003\001\001\000\367\003A\103"
    "\000\000\000\000IEND\256B`\202"sv;

// Four samples of silence, 8 bits at 8,000 a second.
constexpr auto k_sound =
    "RIFF(\000\000\000WAVEfmt \020\000\000\000\001\000\001\000@\037\000\000@\037\000\000\001\000"
    "\010\000data\004\000\000\000\200\200\200\200"sv;

Json field_of(const Json& object, std::string_view name) {
  auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? Json() : *found;
}

std::string media_block(std::string_view type, std::string_view mime_type, std::string_view bytes) {
  return Json{{"type", type}, {"mimeType", mime_type}, {"data", mcp::base64(bytes)}}.dump();
}

} // namespace

std::string no_arguments() {
  return R"({"type":"object","properties":{},"additionalProperties":false})";
}

MethodInfo tool_info(std::string_view name, std::string_view summary, std::string (*schema)()) {
  return {name, {}, summary, {}, Effect::reads, Audience::agents, Pace::slow, schema, [] {
            return std::string();
          }};
}

mcp::Answer text_answer(std::string text) {
  mcp::ToolAnswer answer;
  answer.text = std::move(text);
  return answer;
}

mcp::Answer error_answer(std::string text) {
  mcp::ToolAnswer answer;
  answer.text = std::move(text);
  answer.is_error = true;
  return answer;
}

mcp::Answer content_answer(std::initializer_list<std::string> blocks) {
  mcp::ToolAnswer answer;
  for (const std::string& block : blocks) {
    answer.content += (answer.content.empty() ? "[" : ",") + block;
  }
  answer.content += "]";
  return answer;
}

std::string image_block() {
  return media_block("image", "image/png", k_picture);
}

std::string audio_block() {
  return media_block("audio", "audio/wav", k_sound);
}

std::string
resource_block(std::string_view uri, std::string_view mime_type, std::string_view text) {
  return Json{{"type", "resource"},
              {"resource", {{"uri", uri}, {"mimeType", mime_type}, {"text", text}}}}
      .dump();
}

std::string_view picture() {
  return k_picture;
}

Json object_of(std::string_view text) {
  Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_object() ? parsed : Json::object();
}

std::string string_argument(std::string_view arguments, std::string_view name) {
  Json value = field_of(object_of(arguments), name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

mcp::InputRequest
elicitation(std::string_view key, std::string_view message, std::string_view schema) {
  Json params{{"message", message}, {"requestedSchema", Json::parse(schema)}};
  return {std::string(key), mcp::InputKind::elicitation, params.dump()};
}

mcp::InputRequest sampling(std::string_view key, std::string_view prompt, int max_tokens) {
  Json message{{"role", "user"}, {"content", {{"type", "text"}, {"text", prompt}}}};
  Json params{{"messages", Json::array({message})}, {"maxTokens", max_tokens}};
  return {std::string(key), mcp::InputKind::sampling, params.dump()};
}

mcp::InputRequest roots(std::string_view key) {
  return {std::string(key), mcp::InputKind::roots, "{}"};
}

Json answer_to(std::string_view input_responses, std::string_view key) {
  Json answer = field_of(object_of(input_responses), key);
  return answer.is_object() ? answer : Json();
}

std::optional<std::string>
accepted(std::string_view input_responses, std::string_view key, std::string_view field) {
  Json answer = answer_to(input_responses, key);
  Json value = field_of(field_of(answer, "content"), field);
  if (field_of(answer, "action") != "accept" || !value.is_string()) {
    return std::nullopt;
  }
  return value.get<std::string>();
}

std::optional<std::string> sampled(std::string_view input_responses, std::string_view key) {
  Json text = field_of(field_of(answer_to(input_responses, key), "content"), "text");
  return text.is_string() ? std::optional(text.get<std::string>()) : std::nullopt;
}

} // namespace upskill::conformance
