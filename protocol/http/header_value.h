#pragma once
#include "protocol/rpc/message.h"

#include <optional>
#include <string>
#include <string_view>

namespace upskill::http {

// What a field that mirrors a part of the body means: the text between `=?base64?` and `?=`
// decoded, anything else as it is. Nothing when that is not base64 in its one spelling (RFC 4648,
// section 4, with padding), or a byte is neither visible ASCII nor a blank (MCP 2026-07-28, Value
// Encoding).
std::optional<std::string> decode_mirrored(std::string_view value);

// Whether the field says the same as a string, integer or boolean of the body; integers are
// compared as numbers, so that `42.0` is 42. False for any other kind.
bool says_the_same(std::string_view field, const rpc::Member& member);

} // namespace upskill::http
