#pragma once
#include "clients/connect/line_stream.h"
#include "protocol/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::connect {

class TextReader;

struct CallRequest {
  std::string_view method;       // of the catalogue
  std::string arguments = "{}";  // JSON object
  std::string context = "{}";    // a CallContext as JSON
  std::string_view version = {}; // of this program
  std::int64_t id = 1;           // never the same twice on one connection
  long silence_ms = 30'000;      // without progress or an answer, before giving up
  // After this much silence the daemon is asked for a sign of life, any message, and given up when
  // as much time again brings none. 0: it is not asked.
  long probe_ms = 5000;
};

struct CallReply {
  std::string result;         // JSON of the method's result
  std::string server_version; // empty where the daemon does not say
};

// `done` of `total`, which may be unknown.
using OnProgress =
    std::function<void(double done, std::optional<double> total, const std::string& message)>;

// The request as one line of the modern era (2026-07-28), newline included.
std::string request_line(const CallRequest& request);

// The answer to the request of that number.
struct CallAnswer {
  std::int64_t id = 0;
  Result<CallReply> reply;
};

// What a message answers, for who has several requests under way; nothing for any other message,
// such as progress.
std::optional<CallAnswer> read_answer(const TextReader& message);

// One tools/call, answered or failed. A tool's own error comes back as it was; `cancelled` after a
// signal, when the daemon has been told; `timed_out` names the process, `unavailable` the method.
Result<CallReply> call(LineStream& stream, const CallRequest& request, const OnProgress& progress);

} // namespace upskill::connect
