#include "protocol/mcp/session.h"

#include "protocol/mcp/output.h"
#include "protocol/mcp/session_state.h"
#include "protocol/rpc/json_text.h"

#include <cmath>
#include <cstdint>
#include <utility>

namespace upskill::mcp {
namespace {

// The id is named by the caller; nothing to add but where the answer goes.
void receive_message(SessionState& state,
                     const rpc::Message& message,
                     Batches::Id batch,
                     Outcome& out,
                     std::string& output) {
  switch (message.kind) {
  case rpc::Message::Kind::request:
    receive_request(state, message, batch, out, output);
    break;
  case rpc::Message::Kind::notification:
    receive_notification(state, message, out);
    break;
  case rpc::Message::Kind::invalid:
    write_error(output, message.id, message.error_code, message.error);
    break;
  case rpc::Message::Kind::response:
    receive_response(state, message, out);
    break;
  }
}

void receive_batch(SessionState& state, const rpc::Parsed& parsed, Outcome& out) {
  if (!state.legacy || !has_batches(*state.legacy)) {
    write_error(out.output, {}, rpc::k_invalid_request, "batches are part of MCP 2025-03-26 only");
    return;
  }
  Batches::Id batch = state.batches.open();
  for (const rpc::Message& message : parsed.messages) {
    state.scratch.clear();
    receive_message(state, message, batch, out, state.scratch);
    if (!state.scratch.empty()) {
      state.batches.add(batch, state.scratch);
    }
  }
  state.batches.done(batch, out.output);
}

// A list that is not offered does not change.
bool is_offered(const Offer& offer, Change::Kind list) {
  if (list == Change::resource_list) {
    return offer.resources;
  }
  return offer.list_changes && (list == Change::tool_list || !offer.prompts.empty());
}

std::string_view without_line_end(std::string_view line) {
  std::size_t end = line.find_last_not_of(" \t\r\n");
  return line.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

// Whole numbers without an exponent, which some clients read as integers only.
void write_number(JsonWriter& json, std::string_view name, double number) {
  constexpr double k_exact =
      9007199254740992.0; // 2^53: whole numbers below have no neighbours lost
  if (std::abs(number) < k_exact && std::trunc(number) == number) {
    json.field(name, static_cast<std::int64_t>(number));
  } else {
    json.field(name, number);
  }
}

} // namespace

Session::Session(const Server& server, Audience audience)
    : m_state(std::make_unique<SessionState>(server, audience)) {}

Session::Session(std::unique_ptr<SessionState> state)
    : m_state(std::move(state)) {}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

void Session::receive(std::string_view line, Outcome& out) {
  line = without_line_end(line);
  if (line.empty() || m_state->is_closed) {
    return;
  }
  const rpc::Parsed& parsed = m_state->parser.parse(line);
  if (parsed.error_code != 0) {
    write_error(out.output, {}, parsed.error_code, parsed.error);
  } else if (parsed.is_batch) {
    receive_batch(*m_state, parsed, out);
  } else {
    receive_message(*m_state, parsed.messages.front(), 0, out, out.output);
  }
}

void Session::oversized_line(Outcome& out) {
  if (!m_state->is_closed) {
    write_error(out.output, {}, rpc::k_invalid_request, "the message is longer than 16 MiB");
  }
}

std::optional<Error> Session::answer(CallId call, Result<Answer> answer, std::string& output) {
  return answer_call(*m_state, call, std::move(answer), output);
}

bool Session::is_asking(CallId call) const {
  return m_state->questions.is_asking(call);
}

std::vector<std::string> Session::asking_ids() const {
  std::vector<std::string> ids;
  for (CallId call : m_state->questions.asking()) {
    if (const CallNote* note = m_state->peer.note(call); note != nullptr && note->again) {
      ids.push_back(note->again->client_id);
    }
  }
  return ids;
}

void Session::progress(CallId call,
                       double done,
                       std::optional<double> total,
                       std::string_view message,
                       std::string& output) {
  if (!std::isfinite(done)) {
    return;
  }
  const CallNote* note = m_state->peer.note(call);
  auto token = m_state->peer.advance(call, done);
  if (!token) {
    return;
  }
  std::string params;
  JsonWriter json(params);
  json.begin_object();
  json.raw_field("progressToken", *token);
  write_number(json, "progress", done);
  if (total && std::isfinite(*total)) {
    write_number(json, "total", *total);
  }
  if (!message.empty() && has_annotations(note->version)) {
    json.field("message", message);
  }
  json.end_object();
  write_notification(output, "notifications/progress", params);
}

void Session::log(CallId call,
                  LogLevel level,
                  std::string_view logger,
                  std::string_view data,
                  std::string& output) {
  const CallNote* note = m_state->peer.note(call);
  if (note == nullptr) {
    return;
  }
  std::optional<LogLevel> least =
      is_modern(note->version) ? note->log_level : std::optional(m_state->log_level);
  if (!least || level < *least) {
    return;
  }
  std::string params;
  JsonWriter json(params);
  json.begin_object();
  json.field("level", k_log_level_names[static_cast<std::size_t>(level)]);
  if (!logger.empty()) {
    json.field("logger", logger);
  }
  json.raw_field("data", data.empty() ? std::string_view("null") : data);
  json.end_object();
  write_notification(output, "notifications/message", params);
}

void Session::tell(const Change& change, std::string& output) {
  const SessionState& state = *m_state;
  if (state.is_closed) {
    return;
  }
  if (change.kind == Change::resources) {
    state.subscriptions.write_updated(output, change.prefix);
  } else if (is_offered(state.server->offer, change.kind)) {
    state.subscriptions.write_list_changed(output, change.kind, state.is_initialized);
  }
}

bool Session::is_subscribed(std::string_view uri) const {
  return !m_state->is_closed && m_state->subscriptions.wants(uri);
}

Era Session::era() const {
  return m_state->era;
}

bool Session::is_listening() const {
  return !m_state->subscriptions.listens().empty();
}

std::optional<Version> Session::legacy_version() const {
  return m_state->legacy;
}

std::size_t Session::in_flight() const {
  return m_state->peer.in_flight();
}

void Session::answer_lost(std::string_view client_id, std::string& output) {
  if (!m_state->is_closed && client_id.size() <= rpc::k_max_id_bytes
      && rpc::is_request_id(client_id)) {
    write_error(output,
                client_id,
                rpc::k_internal_error,
                "the daemon was restarted while this call ran; what it did is not known");
  }
}

void Session::close(std::string& output) {
  if (std::exchange(m_state->is_closed, true)) {
    return;
  }
  m_state->questions.clear();
  while (CallId call = m_state->peer.any()) {
    auto reply = m_state->peer.finish(call);
    std::string& target = reply->note().batch == 0 ? output : m_state->scratch;
    m_state->scratch.clear();
    write_error(target, reply->id(), rpc::k_internal_error, "the server is stopping");
    if (reply->note().batch != 0) {
      m_state->batches.add(reply->note().batch, m_state->scratch);
      m_state->batches.done(reply->note().batch, output);
    }
  }
  m_state->subscriptions.close(output, m_state->server->meta);
}

} // namespace upskill::mcp
