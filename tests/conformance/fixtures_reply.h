#pragma once
#include "daemon/binder.h"
#include "protocol/catalog.h"
#include "protocol/mcp/answer.h"

#include <nlohmann/json_fwd.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::conformance {

using daemon::RequestContext;
using Json = nlohmann::json;
using Reply = daemon::Awaitable<mcp::Answer>;

// The input schema of a tool without arguments.
std::string no_arguments();
MethodInfo
tool_info(std::string_view name, std::string_view summary, std::string (*schema)() = &no_arguments);

mcp::Answer text_answer(std::string text);
mcp::Answer error_answer(std::string text);
// Content blocks, each as JSON.
mcp::Answer content_answer(std::initializer_list<std::string> blocks);
// The JSON of content blocks.
std::string image_block();
std::string audio_block();
std::string resource_block(std::string_view uri, std::string_view mime_type, std::string_view text);
// A PNG of one red point.
std::string_view picture();

// A JSON object; empty for what is none.
Json object_of(std::string_view text);
// A string of the arguments; empty where there is none.
std::string string_argument(std::string_view arguments, std::string_view name);

mcp::InputRequest
elicitation(std::string_view key, std::string_view message, std::string_view schema);
mcp::InputRequest sampling(std::string_view key, std::string_view prompt, int max_tokens);
mcp::InputRequest roots(std::string_view key);

// What the client answered to `key`: an object, or null where it did not, or not with one.
Json answer_to(std::string_view input_responses, std::string_view key);
// The string `field` of what the user accepted; nothing where it must be asked for again.
std::optional<std::string>
accepted(std::string_view input_responses, std::string_view key, std::string_view field);
// The text that a model gave.
std::optional<std::string> sampled(std::string_view input_responses, std::string_view key);

} // namespace upskill::conformance
