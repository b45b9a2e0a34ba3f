#pragma once
#include "protocol/http/head.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::http {

// A parameter of a tool that a client repeats in a header, so that intermediaries need not read the
// body: `x-mcp-header` in the tool's input schema (MCP 2026-07-28, Custom Headers from Tool
// Parameters).
struct ParamHeader {
  std::string field = {};             // `Mcp-Param-Region`
  std::vector<std::string> path = {}; // from the arguments to the value, through objects only
};

// Of an input schema, which is valid JSON: those that are reached through `properties` alone and
// whose names are names of fields.
std::vector<ParamHeader> param_headers(std::string_view schema);

// What is wrong with the headers of a call whose `arguments` are valid JSON; nothing when every one
// says what the arguments say. An argument that is absent or null has no header.
std::optional<std::string> check_param_headers(const std::vector<ParamHeader>& headers,
                                               const Head& head,
                                               std::string_view arguments);

} // namespace upskill::http
