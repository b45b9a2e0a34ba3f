#pragma once
#include "protocol/mcp/byte_budget.h"
#include "protocol/mcp/origin.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace upskill {
struct MethodInfo;
}

namespace upskill::mcp {

// Ours; unique within a session and never reused.
using CallId = std::uint64_t;

// Severity of a log message, least first (RFC 5424, as MCP names them).
enum class LogLevel { debug, info, notice, warning, error, critical, alert, emergency };

inline constexpr std::array<std::string_view, 8> k_log_level_names{
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};

// What a client has declared: of a session once, in the modern era with every request.
struct ClientCapabilities {
  bool form = false;     // elicitation of fields
  bool url = false;      // elicitation by a page
  bool sampling = false; // also with tools: `sampling_tools`
  bool sampling_tools = false;
  bool roots = false;
  bool tasks = false; // the extension io.modelcontextprotocol/tasks

  friend bool operator==(const ClientCapabilities&, const ClientCapabilities&) = default;
};

// What a message asks of the outside. Whoever takes it answers it with Session::answer, unless it
// is cancelled first.
struct Call {
  enum class Kind {
    tool,
    list_resources,
    list_resource_templates,
    read_resource,
    read_directory,
    list_skills,
    get_skill,
    get_prompt,
    complete,
    get_task,
    update_task,
    cancel_task
  };

  CallId id = 0;
  Kind kind = Kind::tool;
  const MethodInfo* method = nullptr; // tool: never null
  // tool: the raw JSON object of the parameters on one line, `{}` when the client sent none. Valid
  // JSON in every part, at most 64 deep, and followed by spare capacity for rpc::JsonParser, which
  // then need not copy it. get_prompt: of the prompt's arguments, all strings, with the same
  // promises; complete: of those that are known already.
  std::string arguments = {};
  // read_resource, read_directory, get_skill: has a scheme, no control characters, at most 4 KiB;
  // complete: the template, where it is not a prompt's argument.
  std::string uri = {};
  std::string cursor = {}; // lists: as the last page gave it; empty for the first page
  std::string name = {};   // get_prompt and complete: the prompt, which exists; tasks: the id
  // complete: which argument, and how it begins.
  std::string argument = {};
  std::string value = {};
  // The raw JSON object of the answers to what InputRequired asked, by key: each is the result that
  // the client gave ({"action":...} of an elicitation). Empty on the first try. Also update_task's.
  std::string input_responses = {};
  // As the client gave it, so not to be trusted; empty where there is none.
  std::string request_state = {};
  ClientCapabilities client = {};
  bool accepts_task = false; // tool: a TaskStatus is an answer that this client understands
  // The raw JSON of `_meta["upskill/context"]` (types/server.h: CallContext), which only clients of
  // our own may send: empty in a session of agents.
  std::string context = {};
  Origin origin = {};         // tool: the session of the agent that calls, where it tells
  std::string client_id = {}; // the JSON-RPC id as JSON text, for the handover table
  bool wants_progress = false;
  bool wants_log = false; // whether Session::log can write anything for it
  // Of the parameters, and of what the client said to questions: whoever works on the call keeps
  // them until nothing of it is left, which may be after it was cancelled.
  std::shared_ptr<ByteBudget::Share> held = {};
  std::shared_ptr<ByteBudget::Share> held_answers = {};
};

// What the lines received so far led to. The receiver adds to it; the owner empties it. A call may
// be in both `calls` and `cancelled`: start first, then stop. A call whose questions the client has
// answered (legacy) comes again in `calls`, under the same id; one that it would not answer is
// answered already, and is in `cancelled`.
struct Outcome {
  std::string output = {};            // bytes to write, whole lines
  std::vector<Call> calls = {};       // to start
  std::vector<CallId> cancelled = {}; // to stop; they need no answer
  bool state_changed = false;         // save() would now answer something else

  void clear() {
    output.clear();
    calls.clear();
    cancelled.clear();
    state_changed = false;
  }
};

} // namespace upskill::mcp
