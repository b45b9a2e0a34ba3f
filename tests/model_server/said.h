#pragma once
#include <string>
#include <string_view>

namespace upskill::model_server {

// A response with its length.
std::string response(std::string_view status,
                     std::string_view type,
                     std::string_view body,
                     std::string_view headers = {});

// What stands between the quotes of a text of JSON.
std::string escaped(std::string_view text);

// The answer `content` (escaped, as JSON has it) as a stream of Chat Completions, with usage: 900
// tokens in, 11 out.
std::string completion(std::string_view content);

// The call of a tool with these arguments (escaped, as `content`), as such a stream.
std::string tool_call(std::string_view name, std::string_view arguments);

// An error as OpenAI-compatible servers write it.
std::string server_error(std::string_view status,
                         std::string_view message,
                         std::string_view type,
                         std::string_view headers = {});

} // namespace upskill::model_server
