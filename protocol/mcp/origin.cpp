#include "protocol/mcp/origin.h"

#include "protocol/base/json_escape.h"
#include "protocol/hook/member_scanner.h"

#include <algorithm>
#include <initializer_list>

namespace upskill::mcp {
namespace {

constexpr std::size_t k_max_id = 128;
constexpr std::size_t k_max_metadata = 8192; // bytes that are looked at

bool is_id(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
         || c == '_';
}

// The id that `text` begins with; empty where it is longer than any is.
std::string leading_id(std::string_view text) {
  auto end = std::find_if_not(text.begin(), text.end(), is_id);
  std::string id(text.begin(), end);
  return id.size() <= k_max_id && id != "null" ? id : std::string();
}

// The metadata is an object, or a string that holds one. Only its own members count: it also names
// the thread that asked this one, and folders, which may be called anything.
std::string member_of(std::string_view json, std::initializer_list<std::string_view> names) {
  json = json.substr(0, k_max_metadata);
  std::string text;
  if (json.starts_with('"')) {
    append_json_unescaped(text, json.substr(1));
    json = text;
  }
  for (std::string_view name : names) {
    hook::MemberScanner members(json);
    while (members.next()) {
      if (members.key() == name && members.value().starts_with('"')) {
        return leading_id(members.value().substr(1));
      }
    }
  }
  return {};
}

} // namespace

Origin read_origin(const rpc::Members& meta) {
  Origin origin;
  if (const rpc::Member* codex = meta.find("x-codex-turn-metadata")) {
    origin.session = member_of(codex->raw, {"thread_id", "session_id", "threadId", "sessionId"});
  }
  const rpc::Member* claude = meta.find("claudecode/toolUseId");
  if (claude != nullptr && claude->raw.size() > 2 && claude->raw.front() == '"') {
    origin.tool_use = leading_id(claude->raw.substr(1));
  }
  return origin;
}

} // namespace upskill::mcp
