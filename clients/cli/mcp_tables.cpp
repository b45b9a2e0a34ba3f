#include "clients/cli/mcp_reference.h"
#include "protocol/base/bounds.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/mcp/output.h"
#include "protocol/rpc/message.h"

#include <array>

namespace upskill::cli {
namespace {

using enum McpEra;

constexpr std::array<McpMethod, 21> k_methods{{
    {"server/discover", modern, "", "Versions, capabilities and instructions, before all else."},
    {"initialize", legacy, "", "The same, and agrees on a revision for the connection."},
    {"ping", legacy, "", "Answers at once."},
    {"tools/list", both, "tools", "The tools below, in one order for everybody."},
    {"tools/call", both, "tools", "Calls one; several calls run at the same time."},
    {"resources/list", both, "resources", "The SKILL.md of each skill, in pages."},
    {"resources/templates/list", both, "resources", "How the addresses of files are made."},
    {"resources/read", both, "resources", "A file of a skill, as text or as base64."},
    {"resources/subscribe", legacy, "resources.subscribe", "Be told when that file changes."},
    {"resources/unsubscribe", legacy, "resources.subscribe", "No more of that."},
    {"subscriptions/listen",
     modern,
     "",
     "One stream of the notices that are asked for; it begins with what was accepted."},
    {"prompts/list", both, "prompts", "The prompts below."},
    {"prompts/get", both, "prompts", "One of them, filled in with what lies on the disk now."},
    {"completion/complete",
     both,
     "completions",
     "Values of a prompt's argument or of a template's expression, at most 100."},
    {"logging/setLevel", legacy, "logging", "Which log messages are sent; `info` until then."},
    {"skills/list",
     both,
     "extensions.io.modelcontextprotocol/skills",
     "Every skill with its front matter, and its files with digests and sizes, in pages."},
    {"skills/get",
     both,
     "extensions.io.modelcontextprotocol/skills",
     "One skill by the address of its SKILL.md."},
    {"resources/directory/read",
     both,
     "extensions.io.modelcontextprotocol/skills",
     "What lies directly in a folder of a skill."},
    {"tasks/get",
     modern,
     "extensions.io.modelcontextprotocol/tasks",
     "How a task stands, with its result or what it asks. A job is one, by its id."},
    {"tasks/update",
     modern,
     "extensions.io.modelcontextprotocol/tasks",
     "Answers what a task asks; keys that are not known are ignored."},
    {"tasks/cancel",
     modern,
     "extensions.io.modelcontextprotocol/tasks",
     "Ends a task; one that has ended stays as it is."},
}};

constexpr std::array<McpMethod, 1> k_client_methods{{
    {"elicitation/create",
     both,
     "elicitation",
     "A form: the person confirms what overwrites or deletes. Where the client has not declared "
     "it, the call is refused instead."},
}};

constexpr std::array<McpNotification, 10> k_notifications{{
    {"notifications/initialized", legacy, false, "Notices of changes may come from here on."},
    {"notifications/cancelled",
     both,
     false,
     "Ends a call by its id, and nothing more is said about it. Over modern HTTP the client "
     "disconnects instead."},
    {"notifications/cancelled",
     both,
     true,
     "Modern: a `subscriptions/listen` has ended. Legacy: what the client was asked need not be "
     "answered any more."},
    {"notifications/subscriptions/acknowledged",
     modern,
     true,
     "First on a stream of `subscriptions/listen`: what was accepted of it."},
    {"notifications/progress",
     both,
     true,
     "How far a call is, where it came with a `progressToken`: `skill_sync` and `skill_validate` "
     "count skills."},
    {"notifications/message",
     both,
     true,
     "A log message of a call: modern where `logLevel` asks for it, legacy from `info` on unless "
     "`logging/setLevel` says otherwise. `skill_sync` says each step (`debug`) and each warning."},
    {"notifications/resources/list_changed", both, true, "Skills came, went or were renamed."},
    {"notifications/resources/updated", both, true, "A resource that is subscribed to changed."},
    {"notifications/tools/list_changed", both, true, "Never sent: the tools do not change."},
    {"notifications/prompts/list_changed", both, true, "Never sent: the prompts do not change."},
}};

constexpr std::array<McpResource, 5> k_resources{{
    {"skill://{name}/SKILL.md", false, "A skill of the user; listed, one for each."},
    {"skill://{project}/{name}/SKILL.md",
     false,
     "The same of a project under sync, whose name is `project-` and eight digits."},
    {"skill://{name}/{+path}",
     true,
     "Any file of a skill, which SKILL.md refers to by the path. `name` can be completed."},
    {"eval://{+skill}",
     true,
     "Whether a watched skill (`upskill eval accept`) became worse, as JSON: `eval://pdf`, or "
     "`eval://project-1a2b3c4d/pdf`; can be subscribed to."},
    {"upskill://job/{id}",
     true,
     "How far a job of the tool `job` is, as JSON; can be subscribed to."},
}};

constexpr std::array<McpExtension, 2> k_extensions{{
    {"io.modelcontextprotocol/skills",
     both,
     R"({"directoryRead":true})",
     "Skills over MCP (SEP-2640): `skills/list`, `skills/get`, `resources/directory/read`."},
    {"io.modelcontextprotocol/tasks",
     modern,
     "{}",
     "Tasks (SEP-2663). No tool of this version answers with a task by itself. A job that the tool "
     "`job` has started is one: `tasks/get`, `tasks/update` and `tasks/cancel` take its id as "
     "`taskId`, from a client that declares the extension with the request."},
}};

constexpr std::array<McpError, 11> k_errors{{
    {rpc::k_parse_error, both, 400, "The line is no JSON.", "Send one message in a line."},
    {rpc::k_invalid_request,
     both,
     400,
     "No JSON-RPC message, longer than 16 MiB, nested deeper than 64, a member given twice, or an "
     "id that is in flight. Over HTTP also what is refused by its status, see below.",
     "Mend the message; give each request an id of its own."},
    {rpc::k_method_not_found,
     both,
     404,
     "No method, or none of this era.",
     "See the table of methods."},
    {rpc::k_invalid_params,
     both,
     200,
     "Parameters that are wrong, missing or over a limit, an unknown tool, prompt, skill, task, "
     "cursor or `requestState`, a file that is too large or is not served; modern: also an unknown "
     "resource (`data.uri`), and `_meta` without what it must hold or in another form. HTTP "
     "answers "
     "400 where `params` or `_meta` is no object, and modern where `_meta` does not hold it.",
     "The message names the parameter; the lists have what exists."},
    {rpc::k_internal_error,
     both,
     200,
     "A bug of ours, or a disk that fails, with the error in the log; the server is stopping; or a "
     "call that was lost when the daemon was restarted, of which nobody knows what it did.",
     "The message says which. Look before calling again; of a bug `upskill daemon logs` has the "
     "request."},
    {mcp::k_resource_not_found,
     legacy,
     200,
     "There is no such resource (`data.uri`).",
     "`resources/list` has them."},
    {mcp::k_header_mismatch,
     modern,
     400,
     "HTTP only: a header is missing or malformed, or is not what the body says.",
     "Send the headers below."},
    {mcp::k_missing_capability,
     modern,
     400,
     "The call needs what the client has not declared (`data.requiredCapabilities`).",
     "Declare it with the request, or do without that call."},
    {mcp::k_unsupported_version,
     modern,
     400,
     "No revision of ours (`data.supported`, `data.requested`).",
     "Ask with one of those."},
    {mcp::k_busy,
     both,
     200,
     "256 calls of this client are in flight or they hold 32 MiB, all clients' hold 128 MiB, it "
     "subscribes to as much as it may, or a queue is full.",
     "Wait for a call to end, or end a subscription."},
    {mcp::k_failed,
     both,
     200,
     "It could not be done this time: no permission, a time limit, what was meant changed "
     "meanwhile, or something that it needs is not there.",
     "The message says what; `data.hint` says what to do."},
}};

constexpr std::array<McpFailure, 16> k_failures{{
    {ErrorCode::invalid_argument,
     "The caller's words are off.",
     "The message names the parameter."},
    {ErrorCode::not_found,
     "There is nothing of that name.",
     "The hint has names that may have been meant."},
    {ErrorCode::already_exists, "It is there already.", "Take another name."},
    {ErrorCode::permission, "The system refused.", "Look at the permissions of the path."},
    {ErrorCode::no_space, "The disk is full.", "Make room; nothing was half written."},
    {ErrorCode::io, "The disk or a system call failed.", "Look at the path that is named."},
    {ErrorCode::corrupt, "Stored data does not say what it must.", "`upskill doctor` says more."},
    {ErrorCode::too_large, "It is over one of the limits below.", "Ask for a part of it."},
    {ErrorCode::busy,
     "A queue is full, somebody else holds it, or git is at work there.",
     "Try again."},
    {ErrorCode::cancelled, "The client cancelled it, or the daemon stops.", ""},
    {ErrorCode::timed_out, "It took longer than it may.", "Try again, or ask for less."},
    {ErrorCode::refused,
     "It is not done without a person's word.",
     "The person decides, at a terminal or where the client can ask."},
    {ErrorCode::changed, "What was meant changed meanwhile.", "Look again, then call again."},
    {ErrorCode::unsupported, "This system does not have it.", ""},
    {ErrorCode::unavailable, "The network, a program or the store is not there.", "See the hint."},
    {ErrorCode::internal, "A bug of ours.", "`upskill daemon logs` has the request."},
}};

constexpr std::array<McpRow, 17> k_http_headers{{
    {"`Authorization: Bearer TOKEN`",
     "On every request. The token is in the state's `run/http.json`, for its owner only."},
    {"`Host`", "`localhost`, `127.0.0.1` or `[::1]`, with any port."},
    {"`Origin`", "The same, where there is one."},
    {"`Content-Type`", "`application/json` for POST."},
    {"`Content-Encoding`", "Not sent, or `identity`: a body is not compressed."},
    {"`Expect: 100-continue`",
     "POST: who is let in is answered with 100 before the body comes, others with the refusal."},
    {"`Accept`", "POST: `application/json` and `text/event-stream`; GET: `text/event-stream`."},
    {"`MCP-Protocol-Version`",
     "Modern: on every POST, as in `_meta`. Legacy: what `initialize` agreed on; absent means "
     "2025-03-26."},
    {"`Mcp-Method`", "Modern: the method, as in the body."},
    {"`Mcp-Name`",
     "Modern: the tool or prompt, the URI of `resources/read`, the id of `tasks/*`, as in the "
     "body; `=?base64?...?=` where it is not plain ASCII."},
    {"`Mcp-Param-*`", "Modern: arguments that the tool's schema marks with `x-mcp-header`."},
    {"`Mcp-Session-Id`",
     "Legacy: given with the answer to `initialize`, and sent with everything after it; DELETE "
     "ends the session."},
    {"`Last-Event-ID`", "Legacy, GET: go on with a stream after that event."},
    {"`Cache-Control: no-cache, no-transform`", "Of answers that are streams."},
    {"`X-Accel-Buffering: no`", "Of answers that are streams: hold nothing back on the way."},
    {"`Allow`", "Of an answer 405: the methods that can be used."},
    {"`WWW-Authenticate`", "Of an answer 401."},
}};

constexpr std::array<McpRow, 15> k_http_statuses{{
    {"100", "Send the body (`Expect`)."},
    {"200", "An answer, as JSON or as a stream."},
    {"202", "A notification or an answer of the client was taken; no body."},
    {"204", "The session has ended (DELETE)."},
    {"400", "An error of the protocol, see above; legacy: no or a wrong session or version."},
    {"401", "The token is missing or wrong."},
    {"403", "`Host` or `Origin` is not this machine."},
    {"404", "A path that is not served; modern: an unknown method; legacy: the session is over."},
    {"405", "Another method than POST, GET and DELETE; modern, and at `/hook`: another than POST."},
    {"406", "`Accept` does not list what the answer may be."},
    {"411", "It is not said how long the body is."},
    {"413", "The body is longer than 16 MiB; at `/hook`, than 1 MiB."},
    {"415", "The body is no `application/json`, or compressed."},
    {"431", "The head of the request, or of a chunk of its body, is longer than 16 KiB."},
    {"503", "The daemon is stopping, or has too many connections; try again."},
}};

// What the texts above say by a number.
static_assert(k_max_line == 16u << 20 && k_max_json_depth == 64);
static_assert(k_max_calls_in_flight == 256 && k_max_completions == 100);
static_assert(k_max_http_head == 16u << 10 && k_max_http_hook == 1u << 20);
static_assert(k_max_held_bytes == 32u << 20 && k_max_held_bytes_all == 128u << 20);

} // namespace

std::span<const McpMethod> mcp_methods() {
  return k_methods;
}

std::span<const McpMethod> mcp_client_methods() {
  return k_client_methods;
}

std::span<const McpNotification> mcp_notifications() {
  return k_notifications;
}

std::span<const McpResource> mcp_resources() {
  return k_resources;
}

std::span<const McpExtension> mcp_extensions() {
  return k_extensions;
}

std::span<const McpError> mcp_errors() {
  return k_errors;
}

std::span<const McpFailure> mcp_failures() {
  return k_failures;
}

std::span<const McpRow> http_headers() {
  return k_http_headers;
}

std::span<const McpRow> http_statuses() {
  return k_http_statuses;
}

} // namespace upskill::cli
