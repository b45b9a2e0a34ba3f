#pragma once
#include "daemon/models/http_message.h"
#include "protocol/http/head.h"

#include <optional>
#include <string>
#include <string_view>

namespace upskill::proxy {

// What an agent speaks with its model.
enum class AgentWire { anthropic, chat, responses, gemini };

// What a request asks for.
struct Route {
  AgentWire wire = AgentWire::anthropic;
  bool is_answered = false; // by a model, which takes tokens; else it counts some, or lists models
};

// Nothing for all but the paths of models: whoever is let in has a key added to what it asks, and
// files, batches, threads and accounts are the key's as well. `target` is as it was sent; `base` is
// the upstream's path, which it begins with. What could be read in two ways (`..`, `//`, `%`, a
// host before it) is none.
std::optional<Route>
route_of(std::string_view method, std::string_view target, std::string_view base = {});

// The one server that requests go to.
struct Upstream {
  std::string base_url = {}; // with the path that the agent puts before its own
  std::string key = {};      // empty: it asks for none

  // `https://host:port` of it, and the path, `/v1` or empty. Empty where it is no such URL.
  std::string origin() const;
  std::string path() const;
};

// The token that a request shows, wherever the agents put their keys; empty where there is none.
std::string_view token_of(const http::Head& head);

// Whose wire has its key where this request shows its token: of requests that several have.
AgentWire wire_by_token(const http::Head& head);

// What goes on of a request's head: not what is about this connection, nor any key or cookie; and
// the real key, as the wire wants it.
models::Headers forwarded_headers(const http::Head& head, AgentWire wire, const std::string& key);

// The target without a key in its query.
std::string forwarded_target(std::string_view target);

// What comes back of an answer's head: not what is about the connection, its framing, or cookies.
models::Headers returned_headers(const models::Headers& headers);

} // namespace upskill::proxy
