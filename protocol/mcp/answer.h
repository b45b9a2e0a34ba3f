#pragma once
#include "protocol/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace upskill::mcp {

// The answer to Call::Kind::tool.
struct ToolAnswer {
  // The result as a JSON object on one line, which matches the output schema; empty where the tool
  // has no such schema.
  std::string structured = {};
  std::string text = {};    // what a model reads instead of that JSON; empty: the JSON itself
  std::string content = {}; // a JSON array of content blocks, in place of `text`; empty: none
  bool is_error = false;    // the tool failed, and `text` or `content` says why
};

enum class InputKind { elicitation, sampling, roots };

// One thing that the client is to say before a call can be answered.
struct InputRequest {
  std::string key = {}; // names it among the answers
  InputKind kind = InputKind::elicitation;
  // The JSON object of the parameters of elicitation/create, sampling/createMessage or roots/list.
  std::string params = {};
};

// In place of an answer to a tool call, a prompt or a resource: the call is made again, with
// Call::input_responses, once the client has answered (MCP facts, section 3: MRTR). In the legacy
// era the session asks by requests of its own and makes the call again by itself, so that whoever
// answers need not know the era. A client that has not declared what is asked for gets an error.
struct InputRequired {
  std::vector<InputRequest> requests = {};
  // Comes back as Call::request_state. Whoever gives it protects it: the client may change it.
  std::string state = {};
};

// A task of the extension io.modelcontextprotocol/tasks, as tasks/get shows it. In place of an
// answer to a tool call it says that the call goes on as this task, which only a call that
// `accepts_task` may be told.
struct TaskStatus {
  enum class State { working, input_required, completed, failed, cancelled };

  std::string id = {};
  State state = State::working;
  std::string message = {};    // what it does now, for a person; may be empty
  std::string created_at = {}; // RFC 3339 in UTC, as is updated_at
  std::string updated_at = {};
  std::optional<std::int64_t> ttl_ms = {}; // how long it is kept; none: without end
  std::int64_t poll_interval_ms = 1000;
  std::vector<InputRequest> requests = {};        // input_required: what is not answered yet
  std::optional<Result<ToolAnswer>> outcome = {}; // completed and failed: never empty
};

// The answer to update_task and cancel_task: an empty result.
struct Done {};

// An error of the protocol, whatever was asked: of a tool too, whose own errors are results.
struct Refusal {
  int code = 0;
  std::string message = {};
  std::string data = {}; // JSON; empty: none
};

// That the client has not declared a capability which this call needs (-32021). `required` is the
// JSON object of capabilities, `{"sampling":{}}`.
Refusal missing_capability(std::string required);

struct Resource {
  std::string uri = {};
  std::string name = {};
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
  std::optional<std::int64_t> size = {}; // bytes
  std::string last_modified = {};        // RFC 3339 in UTC
};

// The answer to list_resources. An empty next_cursor ends the list.
struct ResourcePage {
  std::vector<Resource> resources = {};
  std::string next_cursor = {};
};

struct ResourceTemplate {
  std::string uri_template = {}; // RFC 6570
  std::string name = {};
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
};

// The answer to list_resource_templates.
struct ResourceTemplatePage {
  std::vector<ResourceTemplate> templates = {};
  std::string next_cursor = {};
};

// The answer to read_resource. What is not text is sent in base64; bytes that claim to be text and
// are not UTF-8 are sent so too.
struct ResourceContents {
  std::string uri = {};
  std::string mime_type = {};
  std::string bytes = {};
  bool is_text = true;
};

struct PromptArgument {
  std::string name = {};
  std::string title = {};
  std::string description = {};
  bool required = false;
};

struct Prompt {
  std::string name = {};
  std::string title = {};
  std::string description = {};
  std::vector<PromptArgument> arguments = {};
};

// The answer to get_prompt. Each message is said by the user.
struct PromptMessages {
  std::string description = {};
  std::vector<std::string> contents = {}; // of each message: the JSON of its content block
};

// The answer to complete.
struct Completion {
  std::vector<std::string> values = {};
  std::int64_t total = 0; // that match, those not sent included
};

// One skill of the extension io.modelcontextprotocol/skills (SEP-2640).
struct SkillEntry {
  struct File {
    std::string uri = {};
    std::string digest = {}; // `sha256:` and 64 lower-case hexadecimal digits
    std::int64_t size = 0;   // bytes
  };

  std::string uri = {};          // of its SKILL.md
  std::string front_matter = {}; // all of it, as a JSON object on one line
  std::vector<File> files = {};  // every file, SKILL.md among them
  bool is_dynamic = false;       // its files cannot be listed: `"dynamic"` is said in their place
};

// The answer to list_skills.
struct SkillPage {
  std::vector<SkillEntry> skills = {};
  std::string next_cursor = {};
};

// The answer to read_directory: the direct children; folders have the type `inode/directory`.
struct DirectoryPage {
  std::vector<Resource> resources = {};
  std::string next_cursor = {};
};

using Answer = std::variant<ToolAnswer,
                            InputRequired,
                            TaskStatus,
                            Done,
                            Refusal,
                            ResourcePage,
                            ResourceTemplatePage,
                            ResourceContents,
                            PromptMessages,
                            Completion,
                            SkillPage,
                            SkillEntry,
                            DirectoryPage>;

// The JSON of a text content block.
std::string text_block(std::string_view text);

} // namespace upskill::mcp
