#pragma once
#include "protocol/codec/reader.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Small answers about pieces of JSON text that a JsonScanner has already found to be valid.
namespace upskill::rpc {

// The value of a JSON string, given with its quotes. An unpaired surrogate (`\ud800`), which UTF-8
// cannot say but JavaScript sends when a text was cut inside an emoji, becomes U+FFFD.
std::string string_value(std::string_view literal);

// One spelling for equal strings: without needless escapes. Anything but a string stays as it is.
std::string canonical_scalar(std::string_view literal);

// The same JSON without line ends, which between tokens are white space, so that it may be a part
// of a line; where it is long, without any white space between tokens. Followed by k_json_padding
// spare bytes of capacity (simdjson_reader.h).
std::string with_padding(std::string_view json);

// The keys of an object whose values are all of one kind; nothing when it is no object, has another
// value, a key twice, or more than k_max_members.
std::optional<std::vector<std::string>> uniform_keys(std::string_view json, JsonKind kind);

// Whether `text`, from a source that is not trusted, is a JSON string or integer: what a request id
// may be (MCP: never null, never a fraction).
bool is_request_id(std::string_view text);

} // namespace upskill::rpc
