#include "clients/cli/mcp_reference.h"

#include "clients/cli/fields_table.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/http/gate.h"
#include "protocol/mcp/version.h"
#include "protocol/prompts.h"

#include <algorithm>
#include <initializer_list>

namespace upskill::cli {
namespace {

std::string code(std::string_view text) {
  return "`" + cell(text) + "`";
}

std::string_view era_name(McpEra era) {
  return era == McpEra::both ? "both" : era == McpEra::legacy ? "legacy" : "modern";
}

std::string table(std::string_view head, std::string_view columns, const std::string& rows) {
  std::string rule;
  for (auto bars = std::ranges::count(columns, '|'); bars > 1; --bars) {
    rule += "|---";
  }
  return "\n" + std::string(head) + std::string(columns) + "\n" + rule + "|\n" + rows;
}

std::string row(std::initializer_list<std::string_view> cells) {
  std::string out = "|";
  for (std::string_view one : cells) {
    out += " " + std::string(one) + (one.empty() ? "|" : " |");
  }
  return out + "\n";
}

std::string revisions() {
  std::string legacy;
  for (std::string_view name : mcp::k_version_names) {
    if (!mcp::is_modern(*mcp::version_from(name))) {
      legacy += (legacy.empty() ? "" : ", ") + std::string(name);
    }
  }
  return "\n## Revisions\n\nLegacy: " + legacy
         + ". Each begins with `initialize`; another version is answered with "
         + std::string(mcp::name_of(mcp::k_newest_legacy))
         + ".\n\nModern: " + std::string(mcp::name_of(mcp::k_modern))
         + ". Each request says so in `_meta[\"io.modelcontextprotocol/protocolVersion\"]` and "
           "needs nothing before it. Both eras may be spoken on one connection.\n";
}

std::string methods(std::string_view title, std::span<const McpMethod> methods) {
  std::string rows;
  for (const McpMethod& method : methods) {
    rows += row({code(method.name),
                 era_name(method.era),
                 method.capability.empty() ? std::string() : code(method.capability),
                 cell(method.meaning)});
  }
  return table(
      "## " + std::string(title) + "\n\n", "| method | era | capability | meaning |", rows);
}

std::string_view yes_or_no(bool flag) {
  return flag ? "true" : "false";
}

std::string tools() {
  std::string out =
      "\n## Tools\n\nWhat agents are shown by `tools/list`. Answers are `structuredContent` with "
      "the fields below, and the same as text. What agents get is short: lists come in pages, and "
      "say how to get more. People's methods are in methods.md.\n";
  for (const MethodInfo& method : catalog()) {
    if (method.audience != Audience::agents) {
      continue;
    }
    bool reads = method.effect == Effect::reads;
    out += "\n### " + std::string(method.name) + "\n\n" + std::string(method.description)
           + "\n\n- effect: " + std::string(effect_name(method.effect))
           + (method.pace == Pace::slow ? "; may take long" : "")
           + "\n- annotations: `readOnlyHint` " + std::string(yes_or_no(reads))
           + ", `destructiveHint` " + std::string(yes_or_no(method.effect == Effect::destructive))
           + ", `idempotentHint` " + std::string(yes_or_no(reads)) + ", `openWorldHint` false\n";
    std::string parameters = fields_table(method.tool_schema());
    out += (parameters.starts_with('|') ? "\nInput:\n\n" : "\nInput: ") + parameters;
    out += "\nOutput:\n\n" + fields_table(method.result_schema());
  }
  return out;
}

std::string resources() {
  std::string rows;
  for (const McpResource& resource : mcp_resources()) {
    rows += row({code(resource.uri),
                 resource.is_template ? "template" : "resource",
                 cell(resource.meaning)});
  }
  return table("## Resources\n\n", "| URI | kind | meaning |", rows);
}

std::string prompts() {
  std::string out = "\n## Prompts\n";
  for (const PromptInfo& prompt : k_prompts) {
    out += "\n### " + std::string(prompt.name) + "\n\n" + std::string(prompt.description) + "\n";
    std::string rows;
    for (const PromptArgumentInfo& argument : prompt.arguments) {
      rows +=
          row({code(argument.name), argument.required ? "always" : "", cell(argument.description)});
    }
    out += rows.empty() ? "" : table({}, "| argument | present | meaning |", rows);
  }
  return out;
}

std::string notifications() {
  std::string rows;
  for (const McpNotification& one : mcp_notifications()) {
    rows += row({code(one.name),
                 era_name(one.era),
                 one.from_server ? "server" : "client",
                 cell(one.meaning)});
  }
  return table("## Notifications\n\n", "| notification | era | from | meaning |", rows);
}

std::string extensions() {
  std::string rows;
  for (const McpExtension& one : mcp_extensions()) {
    rows += row({code(one.name), era_name(one.era), code(one.value), cell(one.meaning)});
  }
  return table(
      "## Extensions\n\nDeclared in `capabilities.extensions`, legacy since 2025-11-25.\n\n",
      "| extension | era | value | meaning |",
      rows);
}

std::string errors() {
  std::string rows;
  for (const McpError& error : mcp_errors()) {
    rows += row({std::to_string(error.code),
                 era_name(error.era),
                 std::to_string(error.http_status),
                 cell(error.meaning),
                 cell(error.hint)});
  }
  std::string out =
      table("## Errors of the protocol\n\nA JSON-RPC `error`. `data.hint` says what to do, where "
            "something can be done. Over HTTP the legacy era answers all of them with 200, but for "
            "what never was a message.\n\n",
            "| code | era | HTTP | meaning | what to do |",
            rows);
  rows.clear();
  for (const McpFailure& failure : mcp_failures()) {
    rows += row({code(to_string(failure.code)), cell(failure.meaning), cell(failure.hint)});
  }
  out += table("## Failures of tools\n\nA result with `isError` whose text says what failed and, "
               "after `hint:`, what to do. A client of our own is told the kind as well, in "
               "`_meta[\"upskill/error\"].code`. `internal` is an error of the protocol instead; "
               "so is `invalid_argument` before "
                   + std::string(mcp::name_of(mcp::Version::v2025_11_25)) + ".\n\n",
               "| kind | meaning | what to do |",
               rows);
  return out;
}

std::string limits() {
  std::string rows;
  for (const McpLimit& limit : mcp_limits()) {
    rows += row({limit.what, limit.limit});
  }
  return table("## Limits\n\n", "| what | limit |", rows);
}

std::string plain(std::string_view head, std::string_view columns, std::span<const McpRow> all) {
  std::string rows;
  for (const McpRow& one : all) {
    rows += row({cell(one.name), cell(one.meaning)});
  }
  return table(head, columns, rows);
}

} // namespace

std::string mcp_reference() {
  static_assert(k_answer_limit == std::chrono::hours(1)); // as told below
  std::string out(k_generated_notice);
  out += "# MCP\n\nWhat a client can ask of `upskill mcp` (stdin and stdout), of the daemon's "
         "socket, and of `upskilld --http [ADDR:PORT]` (Streamable HTTP, at `http://"
         + std::string(k_default_http) + std::string(http::k_path)
         + "` unless told otherwise, always of this machine), and what it is answered.\n";
  out += revisions();
  out += methods("Methods", mcp_methods());
  out += methods("What the client is asked", mcp_client_methods());
  out += "\nIn the modern era a result with `resultType` `input_required` asks, and the client "
         "calls again with `inputResponses` and the `requestState` it was given, within an hour. "
         "In the legacy era the server sends a request of its own.\n";
  out += tools();
  out += resources();
  out += prompts();
  out += notifications();
  out += extensions();
  out += errors();
  out += limits();
  out += plain("## HTTP headers\n\n", "| header | meaning |", http_headers());
  out += plain("## HTTP statuses\n\n", "| status | meaning |", http_statuses());
  return out;
}

} // namespace upskill::cli
