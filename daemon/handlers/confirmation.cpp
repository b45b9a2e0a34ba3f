#include "daemon/handlers/confirmation.h"

#include "protocol/codec/codec.h"
#include "protocol/codec/writer.h"
#include "protocol/rpc/simdjson_reader.h"

#include <optional>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::string_view k_confirmation = "confirm"; // names the question and its one field

// The client's answer to the question. Whatever it is not, it is not a confirmation.
struct Confirmation {
  static constexpr bool k_lenient = true;
  bool confirm = false;

  static void describe(auto& f) { f.optional(&Confirmation::confirm, k_confirmation, ""); }
};

struct Elicited {
  static constexpr bool k_lenient = true;
  std::string action = {};
  Confirmation content = {};

  static void describe(auto& f) {
    f.required(&Elicited::action, "action", "");
    f.optional(&Elicited::content, "content", "");
  }
};

struct Responses {
  static constexpr bool k_lenient = true;
  std::optional<Elicited> confirm = {};

  static void describe(auto& f) { f.optional(&Responses::confirm, k_confirmation, ""); }
};

// The parameters of elicitation/create, in the words that every revision has.
std::string confirmation_form(std::string_view question) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.field("message", question);
  json.key("requestedSchema");
  json.begin_object();
  json.field("type", "object");
  json.key("properties");
  json.begin_object();
  json.key(k_confirmation);
  json.begin_object();
  json.field("type", "boolean");
  json.field("title", "Do this");
  json.field("description", "Nothing is changed unless you say so.");
  json.field("default", false);
  json.end_object();
  json.end_object();
  json.key("required");
  json.begin_array();
  json.value(k_confirmation);
  json.end_array();
  json.end_object();
  json.end_object();
  return text;
}

} // namespace

PersonSaid said_in(const std::string& input_responses) {
  if (input_responses.empty()) {
    return PersonSaid::nothing;
  }
  Result<Responses> responses = Responses();
  rpc::JsonParser parser;
  Result<void> read = parser.read(input_responses, "inputResponses", [&](JsonReader& reader) {
    responses = decode<Responses>(reader, "inputResponses");
  });
  if (!read || !responses || !responses->confirm) {
    return PersonSaid::nothing;
  }
  const Elicited& answer = *responses->confirm;
  return answer.action == "accept" && answer.content.confirm ? PersonSaid::yes : PersonSaid::no;
}

mcp::InputRequired confirmation_of(std::string_view question, std::string state) {
  mcp::InputRequired asked;
  mcp::InputRequest& request = asked.requests.emplace_back();
  request.key = k_confirmation;
  request.kind = mcp::InputKind::elicitation;
  request.params = confirmation_form(question);
  asked.state = std::move(state);
  return asked;
}

} // namespace upskill::daemon
