#include "tests/conformance/fixtures_prompts.h"

#include "tests/conformance/fixtures_reply.h"

namespace upskill::conformance {
namespace {

constexpr std::string_view k_context_schema =
    R"({"type":"object","properties":{"context":{"type":"string"}},"required":["context"]})";

mcp::Prompt prompt(std::string_view name,
                   std::string_view description,
                   std::initializer_list<std::string_view> arguments = {}) {
  mcp::Prompt made;
  made.name = name;
  made.description = description;
  for (std::string_view argument : arguments) {
    made.arguments.push_back({std::string(argument), "", "An argument of the test.", true});
  }
  return made;
}

mcp::Answer messages(std::initializer_list<std::string> contents) {
  mcp::PromptMessages said;
  said.contents = contents;
  return said;
}

mcp::Answer ask_context() {
  mcp::InputRequired required;
  required.requests.push_back(
      elicitation("user_context", "What context should the prompt use?", k_context_schema));
  return required;
}

} // namespace

std::vector<mcp::Prompt> FixturePrompts::prompts() const {
  return {prompt("test_simple_prompt", "A prompt without arguments."),
          prompt("test_prompt_with_arguments", "A prompt with arguments.", {"arg1", "arg2"}),
          prompt("test_prompt_with_embedded_resource", "Holds a resource.", {"resourceUri"}),
          prompt("test_prompt_with_image", "Holds an image."),
          prompt("test_input_required_result_prompt", "Asks the user first.")};
}

asio::awaitable<Result<mcp::Answer>>
FixturePrompts::get(std::string prompt, std::string arguments, RequestContext context) {
  if (prompt == "test_simple_prompt") {
    co_return messages({mcp::text_block("This is a simple prompt for testing.")});
  }
  if (prompt == "test_prompt_with_arguments") {
    co_return messages(
        {mcp::text_block("Prompt with arguments: arg1='" + string_argument(arguments, "arg1")
                         + "', arg2='" + string_argument(arguments, "arg2") + "'")});
  }
  if (prompt == "test_prompt_with_embedded_resource") {
    co_return messages({resource_block(string_argument(arguments, "resourceUri"),
                                       "text/plain",
                                       "Embedded resource content for testing."),
                        mcp::text_block("Please process the embedded resource above.")});
  }
  if (prompt == "test_prompt_with_image") {
    co_return messages({image_block(), mcp::text_block("Please analyze the image above.")});
  }
  if (prompt == "test_input_required_result_prompt") {
    auto text = accepted(context.input_responses, "user_context", "context");
    co_return text ? messages({mcp::text_block("Context: " + *text)}) : ask_context();
  }
  co_return fail(ErrorCode::not_found, "there is no prompt `" + prompt + "`");
}

asio::awaitable<Result<mcp::Completion>> FixturePrompts::complete(
    std::string, std::string argument, std::string value, std::string, RequestContext) {
  mcp::Completion completion;
  for (std::string_view word : {"paris", "park", "party", "test", "testing"}) {
    if (argument == "arg1" && word.starts_with(value)) {
      completion.values.emplace_back(word);
    }
  }
  completion.total = static_cast<std::int64_t>(completion.values.size());
  co_return completion;
}

} // namespace upskill::conformance
