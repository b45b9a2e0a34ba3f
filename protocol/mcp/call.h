#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace upskill {
struct MethodInfo;
}

namespace upskill::mcp {

// Ours; unique within a session and never reused.
using CallId = std::uint64_t;

// What a message asks of the outside. Whoever takes it answers it with Session::answer, unless it
// is cancelled first.
struct Call {
  enum class Kind { tool, list_resources, list_resource_templates, read_resource };

  CallId id = 0;
  Kind kind = Kind::tool;
  const MethodInfo* method = nullptr; // tool: never null
  // tool: the raw JSON object of the parameters on one line, `{}` when the client sent none. Valid
  // JSON in every part, at most 64 deep, and followed by spare capacity for rpc::JsonParser, which
  // then need not copy it.
  std::string arguments = {};
  std::string uri = {};    // read_resource: has a scheme, no control characters, at most 4 KiB
  std::string cursor = {}; // lists: as the last page gave it; empty for the first page
  // The raw JSON of `_meta["upskill/context"]` (types/server.h: CallContext), which only clients of
  // our own may send: empty in a session of agents.
  std::string context = {};
  std::string client_id = {}; // the JSON-RPC id as JSON text, for the handover table
  bool wants_progress = false;
};

// What the lines received so far led to. The receiver adds to it; the owner empties it. A call may
// be in both `calls` and `cancelled`: start first, then stop.
struct Outcome {
  std::string output = {};            // bytes to write, whole lines
  std::vector<Call> calls = {};       // to start
  std::vector<CallId> cancelled = {}; // to stop; they get no answer
  bool state_changed = false;         // save() would now answer something else

  void clear() {
    output.clear();
    calls.clear();
    cancelled.clear();
    state_changed = false;
  }
};

} // namespace upskill::mcp
