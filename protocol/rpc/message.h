#pragma once
#include "protocol/codec/reader.h"

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::rpc {

// JSON-RPC 2.0, section 5.1.
inline constexpr int k_parse_error = -32700;
inline constexpr int k_invalid_request = -32600;
inline constexpr int k_method_not_found = -32601;
inline constexpr int k_invalid_params = -32602;
inline constexpr int k_internal_error = -32603;
// All of them, for the reference of the protocol.
inline constexpr std::array k_error_codes{
    k_parse_error, k_invalid_request, k_method_not_found, k_invalid_params, k_internal_error};

inline constexpr std::size_t k_max_id_bytes = 1024; // of a request id or a progress token
inline constexpr std::size_t k_max_members = 64;    // of an envelope, of params, of _meta
inline constexpr std::size_t k_max_batch = 256;     // messages of one batch

// One member of an object: checked JSON, not decoded.
struct Member {
  std::string_view key = {}; // decoded
  JsonKind kind = JsonKind::null;
  std::string_view raw = {};
};

// The members of one object, each key once.
class Members {
public:
  // Null where there is none of that name, or it is null, which MCP's senders mean as absent.
  const Member* find(std::string_view key) const;

  void clear() { m_members.clear(); }

  // False when the key is there already, or there are too many.
  bool add(const Member& member);

private:
  std::vector<Member> m_members = {};
};

// One message. Its views live until the next parse. An `invalid` one has an error to answer with.
struct Message {
  enum class Kind { request, notification, response, invalid };

  Kind kind = Kind::invalid;
  std::string_view id = {}; // JSON text in its one canonical spelling; empty where there is none
  std::string_view method = {};
  Members params = {};
  Members meta = {};   // params._meta
  Member result = {};  // of a response: one of these two has a value, unless it is a bad one,
  Member failure = {}; // which has an error_code

  int error_code = 0;
  std::string error = {};
};

// What one line holds.
struct Parsed {
  int error_code = 0; // not 0: no message could be read at all, answer this error without an id
  std::string error = {};
  bool is_batch = false;
  std::vector<Message> messages = {};
};

// Reads the envelopes of a line in one pass, checking all of it: JSON grammar, UTF-8, depth, ids,
// members given twice. Owned by a session, so that its buffers serve every line.
class MessageParser {
public:
  // Views into `line`, which must live as long as they are used.
  const Parsed& parse(std::string_view line);

private:
  class Reader;

  Parsed m_parsed = {};
  std::vector<Message> m_spare = {};      // messages whose buffers are used again
  std::deque<std::string> m_decoded = {}; // keys, methods and ids that were written with escapes
};

} // namespace upskill::rpc
