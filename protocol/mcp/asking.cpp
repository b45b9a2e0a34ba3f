#include "protocol/mcp/capabilities.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/session_state.h"
#include "protocol/rpc/json_text.h"

#include <utility>

// How a call comes to its end: at once, or after the client was asked.
namespace upskill::mcp {
namespace {

// Ends the call with one line, which in a batch waits for the others.
std::optional<Error>
finish(SessionState& state, CallId call, const Result<Answer>& answer, std::string& output) {
  auto reply = state.peer.finish(call);
  if (!reply) {
    return std::nullopt;
  }
  if (!state.questions.empty()) {
    state.questions.withdraw(call, output);
  }
  Batches::Id batch = reply->note().batch;
  if (batch == 0) {
    return write_answer(state, *reply, answer, output);
  }
  // Not the session's scratch: a response within a batch may lead here.
  std::string line;
  std::optional<Error> fault = write_answer(state, *reply, answer, line);
  state.batches.add(batch, line);
  state.batches.done(batch, output);
  return fault;
}

// Why a legacy client cannot be asked this.
std::optional<Error> obstacle(const CallNote& note, const InputRequired& required) {
  if (std::string fault = fault_of(required); !fault.empty()) {
    return Error{ErrorCode::internal, std::move(fault)};
  }
  if (required.requests.empty()) {
    return Error{ErrorCode::internal, "the answer asks for nothing, which only 2026-07-28 can say"};
  }
  if (std::string missing = missing_for(required, note.client); !missing.empty()) {
    return Error{ErrorCode::unsupported,
                 "this call must ask the client, which has not declared the capability `" + missing
                     + "`"};
  }
  if (note.again == nullptr) {
    return Error{ErrorCode::internal, "a call of this kind cannot ask"};
  }
  if (note.rounds >= Questions::k_max_rounds) {
    return Error{ErrorCode::refused, "this call has asked the client 16 times already"};
  }
  return std::nullopt;
}

} // namespace

std::optional<Error>
answer_call(SessionState& state, CallId call, Result<Answer>&& answer, std::string& output) {
  InputRequired* required = answer ? std::get_if<InputRequired>(&*answer) : nullptr;
  CallNote* note = required == nullptr ? nullptr : state.peer.note(call);
  if (note == nullptr || is_modern(note->version)) {
    return finish(state, call, answer, output);
  }
  if (std::optional<Error> error = obstacle(*note, *required)) {
    return finish(state, call, fail(std::move(*error)), output);
  }
  if (state.questions.is_asking(call)) {
    return std::nullopt; // a second answer
  }
  ++note->rounds;
  state.questions.ask(
      call, std::move(*required), [&] { return state.server->next_request_id(); }, output);
  return std::nullopt;
}

void receive_response(SessionState& state, const rpc::Message& message, Outcome& out) {
  std::optional<Questions::Settled> settled = state.questions.take(message, state.held, out.output);
  CallNote* note = settled ? state.peer.note(settled->call) : nullptr;
  if (note == nullptr) {
    return;
  }
  if (settled->failure) {
    out.cancelled.push_back(settled->call);
    finish(state, settled->call, fail(std::move(*settled->failure)), out.output);
    return;
  }
  Call again = *note->again;
  // The questions' share was given back: it is of the same bytes.
  if (auto held = state.held.take(settled->responses.size())) {
    note->held_answers = std::make_shared<ByteBudget::Share>(std::move(*held));
    again.held_answers = note->held_answers;
  }
  again.arguments = rpc::with_padding(again.arguments);
  again.context = rpc::with_padding(again.context);
  again.input_responses = rpc::with_padding(settled->responses);
  again.request_state = std::move(settled->state);
  out.calls.push_back(std::move(again));
}

} // namespace upskill::mcp
