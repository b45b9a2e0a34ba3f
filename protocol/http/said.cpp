#include "protocol/http/said.h"

#include "protocol/mcp/output.h"
#include "protocol/rpc/message.h"

#include <algorithm>
#include <charconv>

namespace upskill::http {
namespace {

bool skip(std::string_view& text, std::string_view prefix) {
  bool is_there = text.starts_with(prefix);
  text.remove_prefix(is_there ? prefix.size() : 0);
  return is_there;
}

// A string or a number.
void skip_scalar(std::string_view& text) {
  if (!skip(text, "\"")) {
    text.remove_prefix(std::min(text.size(), text.find(',')));
    return;
  }
  std::size_t at = 0;
  while (at < text.size() && text[at] != '"') {
    at += text[at] == '\\' ? 2 : 1;
  }
  text.remove_prefix(std::min(text.size(), at + 1));
}

} // namespace

Said look_at(std::string_view line) {
  skip(line, R"({"jsonrpc":"2.0")");
  if (skip(line, R"(,"id":)")) {
    skip_scalar(line);
  }
  if (line.starts_with(R"(,"result":)")) {
    return {Said::Kind::result};
  }
  if (!skip(line, R"(,"error":{"code":)")) {
    return {Said::Kind::message};
  }
  Said said{Said::Kind::error};
  std::from_chars(line.data(), line.data() + line.size(), said.code);
  return said;
}

Status status_of(mcp::Era era, const Said& said) {
  if (era != mcp::Era::modern || said.kind != Said::Kind::error) {
    return 200;
  }
  switch (said.code) {
  case rpc::k_method_not_found:
    return 404;
  case rpc::k_parse_error:
  case rpc::k_invalid_request:
  case mcp::k_header_mismatch:
  case mcp::k_missing_capability:
  case mcp::k_unsupported_version:
    return 400;
  default:
    return 200;
  }
}

} // namespace upskill::http
