#pragma once
#include "clients/connect/call.h"
#include "protocol/base/paths.h"
#include "protocol/codec/nlohmann_reader.h"
#include "protocol/methods.h"

#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <string>

namespace upskill::sync_test {

// The real `upskilld` over a home of its own, asked over its socket as `upskill` does it. Whatever
// keeps it from starting or answering is a Violation. Its standard error goes to `HOME/stderr`.
class RunningDaemon {
public:
  // Returns when it listens.
  explicit RunningDaemon(const std::string& home);
  RunningDaemon(const RunningDaemon&) = delete;
  RunningDaemon& operator=(const RunningDaemon&) = delete;
  // SIGKILL; returns when every thread of it has ended.
  ~RunningDaemon();

  template <class P, class R> Result<R> ask(const Method<P, R>& method, const P& params) {
    TRY_ASSIGN(connect::LineStream stream, connection());
    connect::CallRequest request;
    request.method = method.name;
    request.arguments = encode(params);
    request.silence_ms = k_silence_ms;
    TRY_ASSIGN(connect::CallReply reply, connect::call(stream, request, {}));
    TRY_ASSIGN(nlohmann::json document, parse_json(reply.result, "the answer"));
    return decode_document<R>(document, "answer");
  }

  // A connection on which the daemon says something as soon as it is at rest.
  connect::LineStream wait_for_rest();

private:
  void end();
  static constexpr long k_silence_ms = 60'000;

  Result<connect::LineStream> connection() const;

  Places m_places;
  pid_t m_pid = -1;
};

} // namespace upskill::sync_test
