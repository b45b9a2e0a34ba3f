#include "protocol/base/utf8.h"
#include "protocol/mcp/base64.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/session_state.h"

namespace upskill::mcp {
namespace {

using Reply = rpc::Reply<CallNote>;

// Resources follow the files of the user, and change notices tell when.
constexpr CacheHint k_resources_cache{0, "private"};

int code_of(const Error& error, Version version, Call::Kind kind) {
  switch (error.code) {
  case ErrorCode::invalid_argument:
    return rpc::k_invalid_params;
  case ErrorCode::not_found:
    return kind == Call::Kind::read_resource && !is_modern(version) ? k_resource_not_found
                                                                    : rpc::k_invalid_params;
  case ErrorCode::busy:
    return k_busy;
  default:
    return rpc::k_internal_error;
  }
}

void write_protocol_error(const Reply& reply, const Error& error, std::string& output) {
  std::string data;
  if (!reply.note().uri.empty() || !error.hint.empty()) {
    JsonWriter json(data);
    json.begin_object();
    if (!reply.note().uri.empty()) {
      json.field("uri", reply.note().uri);
    }
    if (!error.hint.empty()) {
      json.field("hint", error.hint);
    }
    json.end_object();
  }
  write_error(output,
              reply.id(),
              code_of(error, reply.note().version, reply.note().kind),
              error.message,
              data);
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

// structuredContent stays out of errors: it MUST match the tool's output schema.
// For our own clients, whose exit code depends on the kind of the error: a result with `isError`
// has no place for it but `_meta`.
std::string meta_with_error(std::string_view server_meta, const Error& error) {
  std::string meta(server_meta.substr(0, server_meta.size() - 1));
  meta += R"(,"upskill/error":)";
  JsonWriter json(meta);
  json.begin_object();
  json.field("code", to_string(error.code));
  json.field("message", error.message);
  json.field("hint", error.hint);
  json.end_object();
  meta += '}';
  return meta;
}

void write_tool_error(const SessionState& state,
                      const Reply& reply,
                      const Error& error,
                      std::string& output) {
  Version version = reply.note().version;
  bool is_protocol_error =
      error.code == ErrorCode::internal
      || (error.code == ErrorCode::invalid_argument && !has_visible_argument_errors(version));
  if (is_protocol_error) {
    write_protocol_error(reply, error, output);
    return;
  }
  ResultWriter result(output, reply.id(), version);
  write_text_content(result.json(), error_text(error));
  result.json().field("isError", true);
  result.finish(state.audience == Audience::people ? meta_with_error(state.server->meta, error)
                                                   : state.server->meta);
}

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

// Writes what each kind of answer has of its own; false when it does not answer that kind of call.
struct BodyWriter {
  JsonWriter& json;
  const CallNote& note;

  void operator()(const ToolAnswer& answer) const {
    write_text_content(json, answer.text.empty() ? answer.structured : answer.text);
    if (has_structured_content(note.version)) {
      json.raw_field("structuredContent", answer.structured);
    }
  }

  void operator()(const ResourcePage& page) const {
    json.key("resources");
    json.begin_array();
    for (const Resource& resource : page.resources) {
      write_resource(json, resource, note.version);
    }
    json.end_array();
    write_optional(json, "nextCursor", page.next_cursor);
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
};

bool answers(const Answer& answer, Call::Kind kind) {
  switch (kind) {
  case Call::Kind::tool:
    return std::holds_alternative<ToolAnswer>(answer);
  case Call::Kind::list_resources:
    return std::holds_alternative<ResourcePage>(answer);
  case Call::Kind::list_resource_templates:
    return std::holds_alternative<ResourceTemplatePage>(answer);
  case Call::Kind::read_resource:
    return std::holds_alternative<ResourceContents>(answer);
  }
  return false;
}

} // namespace

void write_answer(const SessionState& state,
                  Reply reply,
                  Result<Answer> answer,
                  std::string& output) {
  const CallNote& note = reply.note();
  if (!answer) {
    if (note.kind == Call::Kind::tool) {
      write_tool_error(state, reply, answer.error(), output);
    } else {
      write_protocol_error(reply, answer.error(), output);
    }
  } else if (!answers(*answer, note.kind)) {
    write_error(output, reply.id(), rpc::k_internal_error, "the answer is of another kind");
  } else {
    ResultWriter result(output, reply.id(), note.version);
    std::visit(BodyWriter{result.json(), note}, *answer);
    result.finish(state.server->meta, note.kind == Call::Kind::tool ? nullptr : &k_resources_cache);
  }
}

} // namespace upskill::mcp
