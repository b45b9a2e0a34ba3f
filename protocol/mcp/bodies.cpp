#include "protocol/mcp/bodies.h"

#include "protocol/base/mcp_bounds.h"
#include "protocol/base/utf8.h"
#include "protocol/mcp/base64.h"
#include "protocol/mcp/output.h"

#include <algorithm>
#include <array>

namespace upskill::mcp {
namespace {

constexpr std::array<std::string_view, 5> k_task_states{
    "working", "input_required", "completed", "failed", "cancelled"};

void write_optional(JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) {
    json.field(name, text);
  }
}

void write_resource(JsonWriter& json, const Resource& resource, Version version) {
  json.begin_object();
  json.field("uri", resource.uri);
  json.field("name", resource.name);
  if (has_structured_content(version)) {
    write_optional(json, "title", resource.title);
  }
  write_optional(json, "description", resource.description);
  write_optional(json, "mimeType", resource.mime_type);
  if (resource.size) {
    json.field("size", *resource.size);
  }
  if (has_structured_content(version) && !resource.last_modified.empty()) {
    json.key("annotations");
    json.begin_object();
    json.field("lastModified", resource.last_modified);
    json.end_object();
  }
  json.end_object();
}

void write_template(JsonWriter& json, const ResourceTemplate& entry, Version version) {
  json.begin_object();
  json.field("uriTemplate", entry.uri_template);
  json.field("name", entry.name);
  if (has_structured_content(version)) {
    write_optional(json, "title", entry.title);
  }
  write_optional(json, "description", entry.description);
  write_optional(json, "mimeType", entry.mime_type);
  json.end_object();
}

void write_text_content(JsonWriter& json, std::string_view text) {
  json.key("content");
  json.begin_array();
  json.begin_object();
  json.field("type", "text");
  json.field("text", text);
  json.end_object();
  json.end_array();
}

// Structured content stays out of errors: it MUST match the tool's output schema. `once`: who reads
// it is not sent it as text as well.
void write_tool(JsonWriter& json, const ToolAnswer& answer, Version version, bool once = false) {
  bool is_structured =
      !answer.is_error && !answer.structured.empty() && has_structured_content(version);
  if (once && is_structured) {
    json.raw_field("content", "[]");
  } else if (answer.content.empty()) {
    write_text_content(json, answer.text.empty() ? answer.structured : answer.text);
  } else {
    json.raw_field("content", answer.content);
  }
  if (answer.is_error) {
    json.field("isError", true);
  } else if (is_structured) {
    json.raw_field("structuredContent", answer.structured);
  }
}

// What a task was about, in the form of the request that it came from: of a tool.
void write_task_result(JsonWriter& json, const Result<ToolAnswer>& outcome) {
  json.key("result");
  json.begin_object();
  write_modern_head(json, k_modern);
  if (outcome) {
    write_tool(json, *outcome, k_modern);
  } else {
    write_failed_tool(json, outcome.error());
  }
  json.end_object();
}

void write_task_error(JsonWriter& json, const Error& error) {
  json.key("error");
  json.begin_object();
  json.field("code", code_of(error));
  json.field("message", error.message);
  if (!error.hint.empty()) {
    json.key("data");
    json.begin_object();
    json.field("hint", error.hint);
    json.end_object();
  }
  json.end_object();
}

// What a task is, without what it asks or has come to.
void write_task(JsonWriter& json, const TaskStatus& task) {
  json.field("taskId", task.id);
  json.field("status", k_task_states[static_cast<std::size_t>(task.state)]);
  write_optional(json, "statusMessage", task.message);
  json.field("createdAt", task.created_at);
  json.field("lastUpdatedAt", task.updated_at);
  json.key("ttlMs");
  if (task.ttl_ms) {
    json.value(*task.ttl_ms);
  } else {
    json.null();
  }
  json.field("pollIntervalMs", task.poll_interval_ms);
}

void write_task_details(JsonWriter& json, const TaskStatus& task) {
  static const Result<ToolAnswer> k_lost = fail(ErrorCode::internal, "the outcome was lost");
  const Result<ToolAnswer>& outcome = task.outcome ? *task.outcome : k_lost;
  switch (task.state) {
  case TaskStatus::State::input_required:
    write_input_requests(json, task.requests);
    break;
  case TaskStatus::State::completed:
    write_task_result(json, outcome);
    break;
  case TaskStatus::State::failed:
    write_task_error(json, outcome ? k_lost.error() : outcome.error());
    break;
  case TaskStatus::State::working:
  case TaskStatus::State::cancelled:
    break;
  }
}

void write_skill(JsonWriter& json, const SkillEntry& skill) {
  json.begin_object();
  json.field("uri", skill.uri);
  json.raw_field("frontmatter",
                 skill.front_matter.empty() ? std::string_view("{}") : skill.front_matter);
  json.key("resources");
  if (skill.is_dynamic) {
    json.value("dynamic");
  } else {
    json.begin_array();
    for (const SkillEntry::File& file : skill.files) {
      json.begin_object();
      json.field("uri", file.uri);
      json.field("digest", file.digest);
      json.field("size", file.size);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

struct BodyWriter {
  JsonWriter& json;
  const CallNote& note;

  void operator()(const ToolAnswer& answer) const {
    write_tool(json, answer, note.version, note.reads_structured);
  }

  void operator()(const InputRequired&) const {}

  void operator()(const Refusal&) const {}

  void operator()(const Done&) const {}

  void operator()(const TaskStatus& task) const {
    write_task(json, task);
    if (note.kind == Call::Kind::get_task) {
      write_task_details(json, task);
    }
  }

  void operator()(const ResourcePage& page) const {
    write_resources(page.resources, page.next_cursor);
  }

  void operator()(const DirectoryPage& page) const {
    write_resources(page.resources, page.next_cursor);
  }

  void operator()(const ResourceTemplatePage& page) const {
    json.key("resourceTemplates");
    json.begin_array();
    for (const ResourceTemplate& entry : page.templates) {
      write_template(json, entry, note.version);
    }
    json.end_array();
    write_optional(json, "nextCursor", page.next_cursor);
  }

  void operator()(const ResourceContents& contents) const {
    json.key("contents");
    json.begin_array();
    json.begin_object();
    json.field("uri", contents.uri);
    write_optional(json, "mimeType", contents.mime_type);
    if (contents.is_text && is_utf8(contents.bytes)) {
      json.field("text", contents.bytes);
    } else {
      json.field("blob", base64(contents.bytes));
    }
    json.end_object();
    json.end_array();
  }

  void operator()(const PromptMessages& prompt) const {
    write_optional(json, "description", prompt.description);
    json.key("messages");
    json.begin_array();
    for (const std::string& content : prompt.contents) {
      json.begin_object();
      json.field("role", "user");
      json.raw_field("content", content);
      json.end_object();
    }
    json.end_array();
  }

  void operator()(const Completion& completion) const {
    std::size_t sent = std::min(completion.values.size(), k_max_completions);
    std::int64_t total =
        std::max(completion.total, static_cast<std::int64_t>(completion.values.size()));
    json.key("completion");
    json.begin_object();
    json.key("values");
    json.begin_array();
    for (std::size_t i = 0; i < sent; ++i) {
      json.value(std::string_view(completion.values[i]));
    }
    json.end_array();
    json.field("total", total);
    json.field("hasMore", total > static_cast<std::int64_t>(sent));
    json.end_object();
  }

  void operator()(const SkillPage& page) const {
    json.key("skills");
    json.begin_array();
    for (const SkillEntry& skill : page.skills) {
      write_skill(json, skill);
    }
    json.end_array();
    write_optional(json, "nextCursor", page.next_cursor);
  }

  void operator()(const SkillEntry& skill) const {
    json.key("skill");
    write_skill(json, skill);
  }

private:
  void write_resources(const std::vector<Resource>& resources, std::string_view next) const {
    json.key("resources");
    json.begin_array();
    for (const Resource& resource : resources) {
      write_resource(json, resource, note.version);
    }
    json.end_array();
    write_optional(json, "nextCursor", next);
  }
};

} // namespace

void write_body(JsonWriter& json, const Answer& answer, const CallNote& note) {
  std::visit(BodyWriter{json, note}, answer);
}

void write_failed_tool(JsonWriter& json, const Error& error) {
  write_text_content(json, error_text(error));
  json.field("isError", true);
}

int code_of(const Error& error) {
  switch (error.code) {
  case ErrorCode::invalid_argument:
  case ErrorCode::not_found:
  case ErrorCode::already_exists:
  case ErrorCode::too_large:
  case ErrorCode::refused:
    return rpc::k_invalid_params;
  case ErrorCode::busy:
    return k_busy;
  case ErrorCode::permission:
  case ErrorCode::cancelled:
  case ErrorCode::timed_out:
  case ErrorCode::changed:
  case ErrorCode::unsupported:
  case ErrorCode::unavailable:
    return k_failed;
  case ErrorCode::no_space:
  case ErrorCode::io:
  case ErrorCode::corrupt:
  case ErrorCode::internal:
    break;
  }
  return rpc::k_internal_error;
}

} // namespace upskill::mcp
