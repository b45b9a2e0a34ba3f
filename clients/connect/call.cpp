#include "clients/connect/call.h"

#include "clients/connect/interrupt.h"
#include "clients/connect/process.h"
#include "clients/connect/text_reader.h"
#include "protocol/codec/writer.h"
#include "protocol/methods.h"

#include <unistd.h>

#include <algorithm>

namespace upskill::connect {
namespace {

constexpr std::string_view k_protocol = "2026-07-28";
constexpr std::int64_t k_invalid_params = -32602; // JSON-RPC 2.0, section 5.1
constexpr long k_send_limit_ms = 5000;
constexpr long k_cancel_limit_ms = 100;

std::optional<std::string> text_of(const std::optional<TextReader>& value) {
  return value ? TextReader(*value).string() : std::nullopt;
}

std::optional<TextReader> member_of(const std::optional<TextReader>& value, std::string_view name) {
  return value ? value->member(name) : std::nullopt;
}

ErrorCode code_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i) {
    if (to_string(static_cast<ErrorCode>(i)) == name) {
      return static_cast<ErrorCode>(i);
    }
  }
  return ErrorCode::io;
}

// {"code":"not_found","message":...,"hint":...} where the daemon sends it, else the plain text with
// its hint on a line of its own.
Error error_from(const std::optional<TextReader>& described, std::string text) {
  Error error{ErrorCode::io, std::move(text), {}};
  if (auto code = text_of(member_of(described, "code"))) {
    error.code = code_named(*code);
  }
  constexpr std::string_view k_hint = "\nhint: ";
  if (std::size_t hint = error.message.find(k_hint); hint != std::string::npos) {
    error.hint = error.message.substr(hint + k_hint.size());
    error.message.resize(hint);
  }
  if (auto message = text_of(member_of(described, "message"))) {
    error.message = std::move(*message);
  }
  if (auto hint = text_of(member_of(described, "hint"))) {
    error.hint = std::move(*hint);
  }
  return error;
}

// The first text of a result's content.
std::string content_text(const TextReader& result) {
  std::string text;
  if (auto content = result.member("content")) {
    content->each_element([&](std::size_t, JsonReader& block) {
      if (auto first = static_cast<TextReader&>(block).member("text"); first && text.empty()) {
        text = first->string().value_or("");
      }
    });
  }
  return text;
}

Result<CallReply> reply_from(const TextReader& result) {
  std::optional<TextReader> meta = result.member("_meta");
  std::optional<TextReader> structured = result.member("structuredContent");
  if (auto failed = result.member("isError"); failed && failed->boolean().value_or(false)) {
    std::optional<TextReader> described = member_of(meta, "upskill/error");
    return fail(error_from(described ? described : structured, content_text(result)));
  }
  CallReply reply;
  reply.server_version =
      text_of(member_of(member_of(meta, "io.modelcontextprotocol/serverInfo"), "version"))
          .value_or("");
  if (structured) {
    reply.result = structured->text();
    return reply;
  }
  reply.result = content_text(result);
  TRY(TextReader::open(reply.result, "the daemon's answer"));
  return reply;
}

void report(const TextReader& message, const OnProgress& progress) {
  std::optional<TextReader> params = message.member("params");
  std::optional<TextReader> done = member_of(params, "progress");
  std::optional<TextReader> total = member_of(params, "total");
  if (progress && done) {
    progress(done->real().value_or(0),
             total ? total->real() : std::nullopt,
             text_of(member_of(params, "message")).value_or(""));
  }
}

void tell_cancelled(LineStream& stream, std::int64_t id) {
  std::string line = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                     "{\"requestId\":"
                     + std::to_string(id) + ",\"reason\":\"interrupted\"}}\n";
  // Should it not get through, closing the socket cancels the call as well.
  (void)stream.send(line, k_cancel_limit_ms);
}

// Any answer will do, also that there are too many calls.
Result<void> ask_for_life(LineStream& stream, const CallRequest& request) {
  CallRequest probe;
  probe.method = k_daemon_status.name;
  probe.version = request.version;
  probe.id = -request.id; // no call has it
  return stream.send(request_line(probe), request.probe_ms);
}

std::string seconds(long milliseconds) {
  long whole = std::max(1L, milliseconds / 1000);
  return std::to_string(whole) + (whole == 1 ? " second" : " seconds");
}

// A stopped or hanging process keeps its lock, so that nothing but its end helps.
Error no_sign_of_life(const LineStream& stream, long silence_ms) {
  pid_t peer = peer_of(stream.descriptor());
  bool known = peer > 0 && peer != ::getpid(); // a private one's socket was made here
  std::string process = std::to_string(peer);
  return {ErrorCode::timed_out,
          "the daemon " + (known ? "(process " + process + ") " : std::string())
              + "gave no sign of life for " + seconds(silence_ms),
          known ? "`kill -CONT " + process + "` if it was stopped; `kill -9 " + process
                      + "` ends it, and the next command starts another"
                : "try again"};
}

// What keeps a call from its answer, once it was made.
Error about(const CallRequest& request, Error error) {
  if (error.code == ErrorCode::unavailable) {
    error.message += ", before it answered `" + std::string(request.method) + "`";
    error.hint = "try again; `upskill daemon logs` may say why";
  } else if (error.code == ErrorCode::timed_out) {
    error.message = "the daemon is there, but has not answered for " + seconds(request.silence_ms);
    error.hint = "try again; `upskill daemon logs` may say why";
  }
  return error;
}

// The next message, up to `deadline`; where it is long in coming a sign of life is asked for.
Result<std::string_view> next_line(LineStream& stream, const CallRequest& request, long deadline) {
  long silent_since = steady_ms();
  bool probed = false;
  for (;;) {
    long left = std::max(0L, deadline - steady_ms());
    bool probes = request.probe_ms > 0;
    Result<std::string_view> line =
        stream.receive(probes ? std::min(left, request.probe_ms) : left);
    if (line || line.error().code != ErrorCode::timed_out) {
      return line;
    }
    if (!probes || probed) {
      return fail(no_sign_of_life(stream, steady_ms() - silent_since));
    }
    if (steady_ms() >= deadline) {
      return fail(about(request, std::move(line).error()));
    }
    probed = true;
    Result<void> asked = ask_for_life(stream, request);
    if (!asked) {
      return fail(asked.error().code == ErrorCode::timed_out
                      ? no_sign_of_life(stream, steady_ms() - silent_since)
                      : std::move(asked).error());
    }
  }
}

} // namespace

std::string request_line(const CallRequest& request) {
  std::string line;
  JsonWriter out(line);
  out.begin_object();
  out.field("jsonrpc", "2.0");
  out.field("id", request.id);
  out.field("method", "tools/call");
  out.key("params");
  out.begin_object();
  out.field("name", request.method);
  out.raw_field("arguments", request.arguments);
  out.key("_meta");
  out.begin_object();
  out.field("io.modelcontextprotocol/protocolVersion", k_protocol);
  out.key("io.modelcontextprotocol/clientInfo");
  out.begin_object();
  out.field("name", "upskill");
  out.field("version", request.version);
  out.end_object();
  out.raw_field("io.modelcontextprotocol/clientCapabilities", "{}");
  out.field("progressToken", request.id);
  out.raw_field("upskill/context", request.context);
  out.end_object();
  out.end_object();
  out.end_object();
  line += '\n';
  return line;
}

std::optional<CallAnswer> read_answer(const TextReader& message) {
  std::optional<TextReader> id = message.member("id");
  std::optional<std::int64_t> number = id ? id->integer() : std::nullopt;
  if (!number || message.member("method")) {
    return std::nullopt;
  }
  if (std::optional<TextReader> result = message.member("result")) {
    return CallAnswer{*number, reply_from(*result)};
  }
  std::optional<TextReader> error = message.member("error");
  std::string text = text_of(member_of(error, "message")).value_or("the daemon gave no reason");
  Error failure = error_from(member_of(error, "data"), std::move(text));
  std::optional<TextReader> code = member_of(error, "code");
  if (code && code->integer() == k_invalid_params) {
    failure.code = ErrorCode::invalid_argument;
  }
  return CallAnswer{*number, fail(std::move(failure))};
}

Result<CallReply> call(LineStream& stream, const CallRequest& request, const OnProgress& progress) {
  Result<void> sent = stream.send(request_line(request), k_send_limit_ms);
  if (!sent) {
    return fail(sent.error().code == ErrorCode::timed_out
                    ? no_sign_of_life(stream, k_send_limit_ms)
                    : about(request, std::move(sent).error()));
  }
  long deadline = steady_ms() + request.silence_ms;
  for (;;) {
    Result<std::string_view> line = next_line(stream, request, deadline);
    if (!line) {
      if (line.error().code == ErrorCode::cancelled) {
        tell_cancelled(stream, request.id);
      }
      return fail(line.error().code == ErrorCode::unavailable
                      ? about(request, std::move(line).error())
                      : std::move(line).error());
    }
    TRY_ASSIGN(TextReader message, TextReader::open(*line, "the daemon's answer"));
    if (text_of(message.member("method")) == "notifications/progress") {
      deadline = steady_ms() + request.silence_ms;
      report(message, progress);
      continue;
    }
    std::optional<CallAnswer> answer = read_answer(message);
    if (answer && answer->id == request.id) {
      return std::move(answer->reply);
    }
  }
}

} // namespace upskill::connect
