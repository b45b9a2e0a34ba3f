#pragma once
#include "daemon/runtime/timers.h"
#include "daemon/telemetry/log.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <memory>

namespace upskill::daemon {

// Takes the connections that come to a listening socket, of whatever kind.
// Owner: Listener, HttpServer. Thread: the daemon's. Lifetime: close() before the io_context has
// run dry.
class Acceptor {
public:
  // A connected socket that does not block.
  using OnClient = std::function<void(UniqueFd)>;

  // `listening` does not block.
  static Result<std::unique_ptr<Acceptor>>
  open(asio::io_context& io, UniqueFd listening, telemetry::Log& log, OnClient on_client);

  // Takes nobody any more; false when that was so already.
  bool close();

private:
  Acceptor(asio::io_context& io, telemetry::Log& log, OnClient on_client);

  void wait();
  void accept_waiting();
  void out_of_descriptors();

  telemetry::Log& m_log;
  OnClient m_on_client;
  boost::asio::posix::stream_descriptor m_socket;
  UniqueFd m_spare; // given up for a moment when descriptors have run out
  runtime::Alarm m_pause;
};

} // namespace upskill::daemon
