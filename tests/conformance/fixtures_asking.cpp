#include "tests/conformance/fixtures.h"
#include "tests/conformance/fixtures_reply.h"

#include <nlohmann/json.hpp>

namespace upskill::conformance {
namespace {

using Requests = std::vector<mcp::InputRequest>;

constexpr std::string_view k_name_schema =
    R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})";
constexpr std::string_view k_color_schema =
    R"({"type":"object","properties":{"color":{"type":"string"}},"required":["color"]})";
constexpr std::string_view k_ok_schema =
    R"({"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]})";
constexpr std::string_view k_person_schema =
    R"({"type":"object","properties":{)"
    R"("username":{"type":"string","description":"User's response"},)"
    R"("email":{"type":"string","description":"User's email address"}},)"
    R"("required":["username","email"]})";
constexpr std::string_view k_defaults_schema =
    R"({"type":"object","properties":{"name":{"type":"string","default":"John Doe"},)"
    R"("age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},)"
    R"("status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},)"
    R"("verified":{"type":"boolean","default":true}}})";
constexpr std::string_view k_enums_schema =
    R"({"type":"object","properties":{)"
    R"("untitledSingle":{"type":"string","enum":["option1","option2","option3"]},)"
    R"("titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},)"
    R"({"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},)"
    R"("legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],)"
    R"("enumNames":["Option One","Option Two","Option Three"]},)"
    R"("untitledMulti":{"type":"array","items":{"type":"string",)"
    R"("enum":["option1","option2","option3"]}},)"
    R"("titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},)"
    R"({"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}})";

std::string message_argument() {
  return R"({"type":"object","properties":{"message":{"type":"string",)"
         R"("description":"What to ask the user."}},"required":["message"],)"
         R"("additionalProperties":false})";
}

std::string prompt_argument() {
  return R"({"type":"object","properties":{"prompt":{"type":"string",)"
         R"("description":"What to ask the model."}},"required":["prompt"],)"
         R"("additionalProperties":false})";
}

// Asks all of it at once, as often as it takes, then answers.
struct Asking {
  std::string_view name;
  std::string_view summary;
  Requests (*questions)(const std::string& arguments, const RequestContext& context);
  // Nothing: what came back is no answer.
  std::optional<mcp::Answer> (*finish)(const std::string& input_responses);
  std::string_view state = {}; // what must come back with the answers; empty: nothing
  std::string (*schema)() = &no_arguments;
};

Tool tool_of(const Asking& asking) {
  auto handler = [asking](std::string arguments, RequestContext context) -> Reply {
    if (!context.input_responses.empty() && context.state == asking.state) {
      std::optional<mcp::Answer> answer = asking.finish(context.input_responses);
      if (answer) {
        co_return std::move(*answer);
      }
    }
    mcp::InputRequired required;
    required.requests = asking.questions(arguments, context);
    required.state = asking.state;
    co_return mcp::Answer(std::move(required));
  };
  return {tool_info(asking.name, asking.summary, asking.schema), std::move(handler)};
}

// The action and the content of what the user answered.
std::optional<mcp::Answer> told(const std::string& input_responses, std::string_view before) {
  Json answer = answer_to(input_responses, "answer");
  if (!answer.is_object()) {
    return std::nullopt;
  }
  return text_answer(std::string(before) + "action=" + answer.value("action", std::string())
                     + ", content=" + answer.value("content", Json::object()).dump());
}

std::optional<mcp::Answer> confirmed(const std::string& input_responses) {
  if (!answer_to(input_responses, "confirm").is_object()) {
    return std::nullopt;
  }
  return text_answer("state-ok");
}

std::optional<mcp::Answer> greeted(const std::string& input_responses) {
  std::optional<std::string> name = accepted(input_responses, "user_name", "name");
  return name ? std::optional(text_answer("Hello, " + *name + "!")) : std::nullopt;
}

Requests ask_confirmation(const std::string&, const RequestContext&) {
  return {elicitation("confirm", "Please confirm", k_ok_schema)};
}

const Asking k_legacy[] = {
    {"test_sampling",
     "Asks the client's model.",
     [](const std::string& arguments, const RequestContext&) -> Requests {
       return {sampling("answer", string_argument(arguments, "prompt"), 100)};
     },
     [](const std::string& input_responses) -> std::optional<mcp::Answer> {
       std::optional<std::string> text = sampled(input_responses, "answer");
       return text ? std::optional(text_answer("LLM response: " + *text)) : std::nullopt;
     },
     {},
     &prompt_argument},
    {"test_elicitation",
     "Asks the user for a name and an address.",
     [](const std::string& arguments, const RequestContext&) -> Requests {
       return {elicitation("answer", string_argument(arguments, "message"), k_person_schema)};
     },
     [](const std::string& answers) { return told(answers, "User response: "); },
     {},
     &message_argument},
    {"test_elicitation_sep1034_defaults",
     "Asks the user with a default for each kind of field.",
     [](const std::string&, const RequestContext&) -> Requests {
       return {elicitation("answer", "Please review and update the form", k_defaults_schema)};
     },
     [](const std::string& answers) { return told(answers, "Elicitation completed: "); }},
    {"test_elicitation_sep1330_enums",
     "Asks the user with each kind of choice.",
     [](const std::string&, const RequestContext&) -> Requests {
       return {elicitation("answer", "Please select options", k_enums_schema)};
     },
     [](const std::string& answers) { return told(answers, "Elicitation completed: "); }},
    {"test_missing_capability",
     "Cannot do without the client's model.",
     [](const std::string&, const RequestContext&) -> Requests {
       return {sampling("answer", "Is anybody there?", 10)};
     },
     [](const std::string&) { return std::optional(text_answer("There is a model")); }}};

const Asking k_modern[] = {
    {"test_input_required_result_elicitation",
     "Asks the user for a name.",
     [](const std::string&, const RequestContext&) -> Requests {
       return {elicitation("user_name", "What is your name?", k_name_schema)};
     },
     &greeted},
    {"test_input_required_result_sampling",
     "Asks the client's model.",
     [](const std::string&, const RequestContext&) -> Requests {
       return {sampling("capital_question", "What is the capital of France?", 100)};
     },
     [](const std::string& input_responses) -> std::optional<mcp::Answer> {
       std::optional<std::string> text = sampled(input_responses, "capital_question");
       return text ? std::optional(text_answer(*text)) : std::nullopt;
     }},
    {"test_input_required_result_list_roots",
     "Asks the client for its roots.",
     [](const std::string&, const RequestContext&) -> Requests { return {roots("client_roots")}; },
     [](const std::string& input_responses) -> std::optional<mcp::Answer> {
       Json answer = answer_to(input_responses, "client_roots");
       return answer.contains("roots") ? std::optional(text_answer(answer["roots"].dump()))
                                       : std::nullopt;
     }},
    {"test_input_required_result_request_state",
     "Asks, and wants its state back.",
     &ask_confirmation,
     &confirmed,
     "waits for a confirmation"},
    {"test_input_required_result_tampered_state",
     "Asks, and wants its state back unchanged.",
     &ask_confirmation,
     &confirmed,
     "waits for an honest confirmation"},
    {"test_input_required_result_multiple_inputs",
     "Asks for three things at once.",
     [](const std::string&, const RequestContext&) -> Requests {
       return {elicitation("user_name", "What is your name?", k_name_schema),
               sampling("greeting", "Generate a greeting", 50),
               roots("client_roots")};
     },
     [](const std::string& input_responses) -> std::optional<mcp::Answer> {
       std::optional<std::string> greeting = sampled(input_responses, "greeting");
       bool is_all = greeting && answer_to(input_responses, "client_roots").contains("roots");
       return is_all ? greeted(input_responses) : std::nullopt;
     },
     "waits for three answers"},
    {"test_input_required_result_capabilities",
     "Asks for nothing that the client has not declared.",
     [](const std::string&, const RequestContext& context) -> Requests {
       Requests requests;
       if (context.client.form) {
         requests.push_back(elicitation("user_name", "What is your name?", k_name_schema));
       }
       if (context.client.sampling) {
         requests.push_back(sampling("greeting", "Generate a greeting", 50));
       }
       return requests;
     },
     [](const std::string&) { return std::optional(text_answer("All that could be asked")); }}};

// The second question stands on the first answer, which only the state still has then.
Reply ask_in_rounds(std::string, RequestContext context) {
  mcp::InputRequired required;
  Json state = object_of(context.state);
  if (!state.contains("name")) {
    std::optional<std::string> name =
        context.state.empty() ? std::nullopt : accepted(context.input_responses, "step1", "name");
    if (!name) {
      required.requests = {elicitation("step1", "Step 1: What is your name?", k_name_schema)};
      required.state = R"({"round":1})";
      co_return mcp::Answer(std::move(required));
    }
    state["name"] = *name;
  } else if (auto color = accepted(context.input_responses, "step2", "color")) {
    co_return text_answer(state["name"].get<std::string>() + " likes " + *color);
  }
  state["round"] = 2;
  required.requests = {
      elicitation("step2", "Step 2: What is your favorite color?", k_color_schema)};
  required.state = state.dump();
  co_return mcp::Answer(std::move(required));
}

} // namespace

std::vector<Tool> asking_tools() {
  std::vector<Tool> tools;
  for (const Asking& asking : k_legacy) {
    tools.push_back(tool_of(asking));
  }
  for (const Asking& asking : k_modern) {
    tools.push_back(tool_of(asking));
  }
  tools.push_back(
      {tool_info("test_input_required_result_multi_round", "Asks twice."), &ask_in_rounds});
  return tools;
}

} // namespace upskill::conformance
