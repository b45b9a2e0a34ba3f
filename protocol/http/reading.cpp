#include "protocol/http/reading.h"

#include "protocol/http/header_value.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/server_state.h"
#include "protocol/mcp/version.h"
#include "protocol/rpc/json_text.h"

#include <array>
#include <utility>

namespace upskill::http {
namespace {

constexpr FieldName k_version_field = "MCP-Protocol-Version";

// The parameter that Mcp-Name repeats.
struct Named {
  std::string_view method;
  std::string_view parameter;
};

constexpr std::array k_named{Named{"tools/call", "name"},
                             Named{"prompts/get", "name"},
                             Named{"resources/read", "uri"},
                             Named{"tasks/get", "taskId"},
                             Named{"tasks/update", "taskId"},
                             Named{"tasks/cancel", "taskId"}};

Reading refused(mcp::Era era, std::string_view id, int code, std::string_view message) {
  Reading reading;
  reading.era = era;
  mcp::write_error(reading.answer, id, code, message);
  return reading;
}

Reading accepted(mcp::Era era, Reading::Kind kind) {
  Reading reading;
  reading.kind = kind;
  reading.era = era;
  return reading;
}

bool is_modern_name(std::string_view version) {
  return version == mcp::name_of(mcp::k_modern);
}

Reading::Kind kind_of(const rpc::Message& message) {
  switch (message.kind) {
  case rpc::Message::Kind::request:
    return Reading::Kind::request;
  case rpc::Message::Kind::notification:
    return Reading::Kind::notification;
  default:
    return Reading::Kind::response;
  }
}

} // namespace

// Absent: 2025-03-26, which did not have the field.
bool is_legacy_version(const Head& head) {
  std::size_t count = head.count(k_version_field);
  std::optional<std::string_view> name = head.only(k_version_field);
  std::optional<mcp::Version> version = name ? mcp::version_from(*name) : std::nullopt;
  return count == 0 || (version && !mcp::is_modern(*version));
}

MessageReader::MessageReader(const mcp::Server& server, Audience audience)
    : m_server(server)
    , m_audience(audience) {}

Reading MessageReader::read(const Head& head, std::string_view body) {
  std::optional<std::string_view> version = head.only(k_version_field);
  bool says_modern = version && is_modern_name(*version);
  mcp::Era era = says_modern ? mcp::Era::modern : mcp::Era::legacy;
  const rpc::Parsed& parsed = m_parser.parse(body);
  if (parsed.error_code != 0) {
    return refused(era, {}, parsed.error_code, parsed.error);
  }
  if (parsed.is_batch) {
    if (says_modern) {
      return refused(era, {}, rpc::k_invalid_request, "batches are part of MCP 2025-03-26 only");
    }
    return accepted(era, Reading::Kind::batch);
  }
  const rpc::Message& message = parsed.messages.front();
  if (message.kind == rpc::Message::Kind::invalid) {
    return refused(era, message.id, message.error_code, message.error);
  }
  if (says_modern || message.meta.find(mcp::k_meta_protocol_version) != nullptr) {
    return read_modern(head, message);
  }
  Reading reading = accepted(era, kind_of(message));
  reading.is_initialize = reading.kind == Reading::Kind::request && message.method == "initialize";
  if (!reading.is_initialize && !is_legacy_version(head)) {
    return refused(era,
                   message.id,
                   rpc::k_invalid_request,
                   "`MCP-Protocol-Version` is not a version that this server speaks");
  }
  return reading;
}

Reading MessageReader::read_modern(const Head& head, const rpc::Message& message) {
  auto refuse = [&](int code, std::string_view text) {
    return refused(mcp::Era::modern, message.id, code, text);
  };
  Reading::Kind kind = kind_of(message);
  if (kind == Reading::Kind::response) {
    return refuse(rpc::k_invalid_request, "this server asks nothing in MCP 2026-07-28");
  }
  if (kind == Reading::Kind::notification) {
    return accepted(mcp::Era::modern, kind); // the revision defines no headers of theirs
  }
  const rpc::Member* version = message.meta.find(mcp::k_meta_protocol_version);
  if (version == nullptr || version->kind != JsonKind::string) {
    return refuse(rpc::k_invalid_params,
                  "`params._meta[\"io.modelcontextprotocol/protocolVersion\"]` must be a string");
  }
  std::string named = rpc::string_value(version->raw);
  std::optional<std::string_view> header = head.only(k_version_field);
  if (!header || *header != named) {
    return refuse(mcp::k_header_mismatch,
                  "`MCP-Protocol-Version` is not the version that the body names");
  }
  if (is_modern_name(named)) {
    mcp::Declared declared;
    if (std::optional<mcp::Refusal> refusal = m_declared.read(message, declared)) {
      return refuse(refusal->code, refusal->message);
    }
    std::string problem = check_mirrors(head, message);
    if (!problem.empty()) {
      return refuse(mcp::k_header_mismatch, problem);
    }
  }
  return accepted(mcp::Era::modern, kind);
}

// What is wrong with the fields that repeat the body; empty when nothing is.
std::string MessageReader::check_mirrors(const Head& head, const rpc::Message& message) {
  std::optional<std::string_view> method = head.only("Mcp-Method");
  if (!method || *method != message.method) {
    return "`Mcp-Method` is not the method of the body";
  }
  for (const Named& named : k_named) {
    const rpc::Member* name = message.params.find(named.parameter);
    if (named.method != message.method || name == nullptr || name->kind != JsonKind::string) {
      continue; // without its name the request fails by itself
    }
    std::optional<std::string_view> field = head.only("Mcp-Name");
    if (!field || !says_the_same(*field, *name)) {
      return "`Mcp-Name` is not `params." + std::string(named.parameter) + "` of the body";
    }
  }
  if (message.method == "tools/call") {
    const rpc::Member* name = message.params.find("name");
    const MethodInfo* tool = name == nullptr || name->kind != JsonKind::string
                                 ? nullptr
                                 : m_server.find_tool(rpc::string_value(name->raw), m_audience);
    const rpc::Member* arguments = message.params.find("arguments");
    if (tool != nullptr && !headers_of(*tool).empty()) {
      return check_param_headers(
                 headers_of(*tool), head, arguments == nullptr ? "{}" : arguments->raw)
          .value_or("");
    }
  }
  return {};
}

const std::vector<ParamHeader>& MessageReader::headers_of(const MethodInfo& tool) {
  auto found = m_param_headers.find(&tool);
  if (found == m_param_headers.end()) {
    found = m_param_headers.emplace(&tool, param_headers(tool.params_schema())).first;
  }
  return found->second;
}

} // namespace upskill::http
