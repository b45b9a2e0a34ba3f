#pragma once
#include "protocol/mcp/version.h"
#include "protocol/rpc/message.h"
#include "tests/transcripts/transcript.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace upskill::transcripts {

// A method, or a notification, of one revision.
using VersionedMethod = std::pair<mcp::Version, std::string>;

// What sessions show of MCP: read from what they send and what they expect, so it holds as far as
// they are played.
class Coverage {
public:
  void add(const Transcript& transcript) {
    m_agreed.reset();
    m_version.reset();
    m_open.clear();
    for (const Step& step : transcript.steps) {
      Json messages = Json::parse(step.text, nullptr, false);
      if (!messages.is_array()) {
        messages = Json::array({messages});
      }
      for (const Json& message : messages) {
        if (message.is_object() && step.kind == Step::Kind::send) {
          sent(message);
        } else if (message.is_object()
                   && (step.kind == Step::Kind::expect
                       || step.kind == Step::Kind::expect_any_order)) {
          expected(message);
        }
      }
    }
  }

  // Requests that are answered by a result, and by error -32601.
  const std::set<VersionedMethod>& results() const { return m_results; }

  const std::set<VersionedMethod>& unknown() const { return m_unknown; }

  // Notifications of the client's.
  const std::set<VersionedMethod>& notified() const { return m_notified; }

  // The server's notifications and requests; a modern one asks in its results.
  const std::set<VersionedMethod>& of_server() const { return m_of_server; }

private:
  void sent(const Json& message) {
    if (!message.value("method", Json()).is_string()) {
      return;
    }
    const std::string method = message["method"];
    std::optional<mcp::Version> version = m_agreed;
    if (const Json* named = member(message, {"params", "_meta", k_meta_version})) {
      version = *named == mcp::name_of(mcp::k_modern) ? std::optional(mcp::k_modern) : std::nullopt;
    } else if (!message.contains("id")) {
      version = m_version; // a modern notification need not say of which revision it is
    }
    if (message.contains("id")) {
      m_version = version;
      m_open[message["id"].dump()] = {version, method};
    } else if (version) {
      m_notified.emplace(*version, method);
    }
  }

  void expected(const Json& message) {
    if (message.contains("method")) {
      bool is_listened_for = member(message, {"params", "_meta", k_meta_subscription}) != nullptr;
      note_of_server(is_listened_for ? std::optional(mcp::k_modern) : m_version, message["method"]);
      return;
    }
    auto open = m_open.find(message.value("id", Json()).dump());
    if (open == m_open.end()) {
      return;
    }
    auto [version, method] = std::move(open->second);
    m_open.erase(open);
    if (const Json* agreed = member(message, {"result", "protocolVersion"});
        agreed != nullptr && agreed->is_string() && method == "initialize") {
      m_version = m_agreed = version = mcp::version_from(agreed->get<std::string>());
    }
    if (!version) {
      return;
    }
    if (message.contains("result")) {
      m_results.emplace(*version, method);
    } else if (const Json* code = member(message, {"error", "code"}); code != nullptr) {
      if (*code == rpc::k_method_not_found) {
        m_unknown.emplace(*version, method);
      }
    }
    if (const Json* asked = member(message, {"result", "inputRequests"})) {
      for (const Json& request : *asked) {
        if (request.is_object()) {
          note_of_server(version, request.value("method", Json()));
        }
      }
    }
  }

  void note_of_server(std::optional<mcp::Version> version, const Json& method) {
    if (version && method.is_string()) {
      m_of_server.emplace(*version, method.get<std::string>());
    }
  }

  static const Json* member(const Json& json, std::initializer_list<const char*> path) {
    const Json* at = &json;
    for (const char* name : path) {
      if (!at->is_object() || !at->contains(name)) {
        return nullptr;
      }
      at = &(*at)[name];
    }
    return at;
  }

  static constexpr const char* k_meta_version = "io.modelcontextprotocol/protocolVersion";
  static constexpr const char* k_meta_subscription = "io.modelcontextprotocol/subscriptionId";

  std::set<VersionedMethod> m_results = {};
  std::set<VersionedMethod> m_unknown = {};
  std::set<VersionedMethod> m_notified = {};
  std::set<VersionedMethod> m_of_server = {};

  // Of the session that is being read.
  std::optional<mcp::Version> m_agreed = {};  // by `initialize`
  std::optional<mcp::Version> m_version = {}; // of the newest request
  std::map<std::string, std::pair<std::optional<mcp::Version>, std::string>> m_open = {}; // by id
};

} // namespace upskill::transcripts
