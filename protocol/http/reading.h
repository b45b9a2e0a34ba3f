#pragma once
#include "protocol/http/head.h"
#include "protocol/http/param_headers.h"
#include "protocol/http/status.h"
#include "protocol/mcp/declared.h"
#include "protocol/mcp/session.h"
#include "protocol/rpc/message.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace upskill {
struct MethodInfo;
}

namespace upskill::http {

// What a POST is, before a session takes it.
struct Reading {
  enum class Kind {
    request,
    batch, // legacy; it may hold no request at all
    notification,
    response,
    refused // answer with `status` and `answer`, and go no further
  };

  Kind kind = Kind::refused;
  mcp::Era era = mcp::Era::legacy; // never undecided
  bool is_initialize = false;      // legacy: a session is to begin
  Status status = 400;
  std::string answer = {}; // a JSON-RPC error as one line
};

// Whether the version field, by its absence too, may be of a request of the legacy era.
bool is_legacy_version(const Head& head);

// Decides the era of each message that came by HTTP and holds the headers against it (MCP facts,
// sections 2 and 5). A refused message never reaches a session.
// Owner: the HTTP server. Thread: one.
class MessageReader {
public:
  // `server` must outlive it.
  MessageReader(const mcp::Server& server, Audience audience);

  Reading read(const Head& head, std::string_view body);

private:
  Reading read_modern(const Head& head, const rpc::Message& message);
  std::string check_mirrors(const Head& head, const rpc::Message& message);
  const std::vector<ParamHeader>& headers_of(const MethodInfo& tool);

  const mcp::Server& m_server;
  Audience m_audience;
  rpc::MessageParser m_parser = {};
  mcp::DeclaredReader m_declared = {};
  // Of the tools that were called; there are only so many.
  std::map<const MethodInfo*, std::vector<ParamHeader>> m_param_headers = {};
};

} // namespace upskill::http
