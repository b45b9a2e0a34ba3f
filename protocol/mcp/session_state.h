#pragma once
#include "protocol/catalog.h"
#include "protocol/mcp/batches.h"
#include "protocol/mcp/call.h"
#include "protocol/mcp/server_state.h"
#include "protocol/mcp/session.h"
#include "protocol/mcp/subscriptions.h"
#include "protocol/mcp/version.h"
#include "protocol/rpc/message.h"
#include "protocol/rpc/peer.h"
#include "protocol/rpc/simdjson_reader.h"

#include <optional>
#include <string>

namespace upskill::mcp {

// What is kept of a call in flight, to answer it in the words of its era.
struct CallNote {
  Version version = k_modern;
  Call::Kind kind = Call::Kind::tool;
  Batches::Id batch = 0;
  std::string uri = {}; // read_resource
};

struct SessionState {
  SessionState(const Server& the_server, Audience the_audience)
      : server(&the_server.state())
      , audience(the_audience) {}

  const Server::State* server;
  Audience audience;
  Era era = Era::undecided;
  std::optional<Version> legacy = {}; // agreed in `initialize`
  bool is_initialized = false;        // the client has said so: legacy change notices may be pushed
  bool is_closed = false;
  Subscriptions subscriptions = {};
  rpc::Peer<CallNote> peer = {};
  Batches batches = {};
  rpc::MessageParser parser = {};
  rpc::JsonParser json = {}; // for the nested parameters of rare requests
  std::string scratch = {};  // an answer on its way into a batch
};

// One request being answered. What it writes goes to `output`, which is not always out.output: the
// answers of a batch are collected.
struct Exchange {
  const rpc::Message& message;
  Version version;
  Batches::Id batch;
  Outcome& out;
  std::string& output;
};

// Finds the era of a request and runs it (MCP facts, section 2).
void receive_request(SessionState& state,
                     const rpc::Message& message,
                     Batches::Id batch,
                     Outcome& out,
                     std::string& output);
// Never answers (JSON-RPC 2.0, section 4.1).
void receive_notification(SessionState& state, const rpc::Message& message, Outcome& out);

// Writes the answer to a call as one line.
void write_answer(const SessionState& state,
                  rpc::Reply<CallNote> reply,
                  Result<Answer> answer,
                  std::string& output);

} // namespace upskill::mcp
