#pragma once
#include "protocol/base/result.h"
#include "protocol/codec/codec.h"
#include "protocol/codec/reader.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace upskill::rpc {

// Spare bytes after a document that simdjson may read, though not use.
inline constexpr std::size_t k_json_padding = 64;

// Reads JSON through simdjson on-demand: no tree is built. Keep one for many documents; it owns the
// buffers. One thread at a time, and not again from within `use`.
class JsonParser {
public:
  JsonParser();
  ~JsonParser();
  JsonParser(JsonParser&&) noexcept;
  JsonParser& operator=(JsonParser&&) noexcept;

  using Use = std::function<void(JsonReader&)>;

  // Checks all of `json` (grammar, UTF-8, at most 64 deep), then gives `use` a reader of it. The
  // error, invalid_argument, calls the document `what`.
  Result<void> read(std::string_view json, std::string_view what, const Use& use);
  // The same for what JsonScanner or MessageParser has checked already, such as
  // mcp::Call::arguments. With k_json_padding spare bytes of capacity it is not copied.
  Result<void> read_checked(const std::string& json, std::string_view what, const Use& use);

private:
  struct State;
  std::unique_ptr<State> m_state;
};

// Decodes a call's parameters; errors say where: `params.agents[1]: expected a string`.
template <class T> Result<T> decode_arguments(JsonParser& parser, const std::string& arguments) {
  Result<T> decoded = fail(ErrorCode::internal, "nothing was read");
  TRY(parser.read_checked(
      arguments, "params", [&](JsonReader& reader) { decoded = decode<T>(reader, "params"); }));
  return decoded;
}

} // namespace upskill::rpc
