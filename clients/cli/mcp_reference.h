#pragma once
#include "protocol/base/result.h"
#include "protocol/catalog.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::cli {

// What the catalogue does not know of MCP, as rows of the reference. Tests compare them with what
// the daemon does.

enum class McpEra { legacy, modern, both };

struct McpMethod {
  std::string_view name;
  McpEra era;
  std::string_view capability; // that the server declares with it; empty: always there
  std::string_view meaning;
};

struct McpNotification {
  std::string_view name;
  McpEra era;
  bool from_server;
  std::string_view meaning;
};

struct McpResource {
  std::string_view uri;
  bool is_template;
  std::string_view meaning;
};

struct McpExtension {
  std::string_view name;
  McpEra era;
  std::string_view value; // in `capabilities.extensions`
  std::string_view meaning;
};

struct McpError {
  int code;
  McpEra era;
  int http_status;
  std::string_view meaning;
  std::string_view hint;
};

// A kind of failure of what was asked for, in the words of `_meta["upskill/error"]`.
struct McpFailure {
  ErrorCode code;
  std::string_view meaning;
  std::string_view hint;
};

struct McpRow {
  std::string_view name;
  std::string_view meaning;
};

struct McpLimit {
  std::string what;
  std::string limit;
};

std::span<const McpMethod> mcp_methods();
std::span<const McpMethod> mcp_client_methods(); // that the client is asked
std::span<const McpNotification> mcp_notifications();
std::span<const McpResource> mcp_resources();
std::span<const McpExtension> mcp_extensions();
std::span<const McpError> mcp_errors();
std::span<const McpFailure> mcp_failures();
std::vector<McpLimit> mcp_limits(); // mcp_limits.cpp
std::span<const McpRow> http_headers();
std::span<const McpRow> http_statuses();

// The reference of the protocol, in Markdown: everything that an MCP client can meet.
std::string mcp_reference();

} // namespace upskill::cli
