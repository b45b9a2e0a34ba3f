#pragma once
#include "protocol/base/result.h"
#include "protocol/codec/codec.h"
#include "protocol/codec/reader.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace upskill {

// Parses with a bound on depth (64), so that hostile nesting cannot exhaust the stack. `what` names
// the document in the error, for example "`config.json`"; what is no JSON is told with its line and
// column (corrupt).
Result<nlohmann::json> parse_json(std::string_view text, std::string_view what);

// Calls `use` with a reader of `document`.
void read_json(const nlohmann::json& document, const std::function<void(JsonReader&)>& use);

// For small and rare documents: configuration, and answers in the command line.
template <class T>
Result<T> decode_document(const nlohmann::json& document, std::string_view root) {
  Result<T> decoded = fail(ErrorCode::internal, "nothing was read");
  read_json(document, [&](JsonReader& reader) { decoded = decode<T>(reader, root); });
  return decoded;
}

} // namespace upskill
