#pragma once
#include "protocol/catalog.h"
#include "protocol/mcp/batches.h"
#include "protocol/mcp/byte_budget.h"
#include "protocol/mcp/call.h"
#include "protocol/mcp/declared.h"
#include "protocol/mcp/questions.h"
#include "protocol/mcp/server_state.h"
#include "protocol/mcp/session.h"
#include "protocol/mcp/subscriptions.h"
#include "protocol/mcp/version.h"
#include "protocol/rpc/message.h"
#include "protocol/rpc/peer.h"
#include "protocol/rpc/simdjson_reader.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace upskill::mcp {

// What is kept of a call in flight, to answer it in the words of its era.
struct CallNote {
  Version version = k_modern;
  Call::Kind kind = Call::Kind::tool;
  bool accepts_task = false;
  bool reads_structured = false; // a client of our own, which needs no second copy as text
  std::uint8_t rounds = 0;       // of questions
  Batches::Id batch = 0;
  ClientCapabilities client = {};
  std::optional<LogLevel> log_level = {};       // modern; the legacy one is the session's
  std::string uri = {};                         // what is read, for an error
  std::shared_ptr<ByteBudget::Share> held = {}; // with who works on it
  std::shared_ptr<ByteBudget::Share> held_answers = {};
  // Legacy: the call itself, to be made again when the client has answered. Null where the client
  // has declared nothing that it could be asked for.
  std::unique_ptr<Call> again = {};
};

struct SessionState {
  SessionState(const Server& the_server, Audience the_audience)
      : server(&the_server.state())
      , audience(the_audience)
      , held(k_max_held_bytes, server->held) {}

  const Server::State* server;
  Audience audience;
  ByteBudget held;
  Era era = Era::undecided;
  std::optional<Version> legacy = {};  // agreed in `initialize`
  ClientCapabilities client = {};      // legacy: declared in `initialize`
  LogLevel log_level = LogLevel::info; // legacy: as of logging/setLevel
  bool is_initialized = false;         // the client has said so: legacy notices may be pushed
  bool is_closed = false;
  DeclaredReader declared = {}; // of modern requests
  Subscriptions subscriptions = {};
  rpc::Peer<CallNote> peer = {};
  Questions questions = {};
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
  ClientCapabilities client = {};         // of this request
  std::optional<LogLevel> log_level = {}; // modern, of this request
};

// Finds the era of a request and runs it (MCP facts, section 2).
void receive_request(SessionState& state,
                     const rpc::Message& message,
                     Batches::Id batch,
                     Outcome& out,
                     std::string& output);
// Never answers (JSON-RPC 2.0, section 4.1).
void receive_notification(SessionState& state, const rpc::Message& message, Outcome& out);
// To a question of ours; anything else is ignored.
void receive_response(SessionState& state, const rpc::Message& message, Outcome& out);

// Ends a call with its answer, or asks the client first; see Session::answer, also for what is
// returned here and below.
std::optional<Error>
answer_call(SessionState& state, CallId call, Result<Answer>&& answer, std::string& output);

// Writes the answer to a call as one line. An InputRequired is one only in the modern era.
std::optional<Error> write_answer(const SessionState& state,
                                  const rpc::Reply<CallNote>& reply,
                                  const Result<Answer>& answer,
                                  std::string& output);

} // namespace upskill::mcp
