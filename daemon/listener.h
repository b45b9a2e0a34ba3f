#pragma once
#include "daemon/runtime/timers.h"
#include "daemon/telemetry/log.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace upskill::daemon {

// The daemon's Unix socket (0600, in a 0700 folder): only processes of this user get in.
// Owner: Daemon. Thread: the daemon's. Lifetime: close() before the io_context has run dry.
class Listener {
public:
  // A connected socket of this user's that does not block.
  using OnClient = std::function<void(UniqueFd)>;

  // Whoever calls this holds the lock of SingleInstance, so a socket that lies at `path` is a dead
  // daemon's and is replaced; anything else there is refused.
  static Result<std::unique_ptr<Listener>>
  open(asio::io_context& io, std::string path, telemetry::Log& log, OnClient on_client);
  ~Listener();

  // Removes the socket and takes nobody any more.
  void close();

private:
  Listener(asio::io_context& io, std::string path, telemetry::Log& log, OnClient on_client);

  Result<void> bind();
  void wait();
  void accept_waiting();
  void out_of_descriptors();
  void admit(UniqueFd socket);

  std::string m_path;
  telemetry::Log& m_log;
  OnClient m_on_client;
  boost::asio::posix::stream_descriptor m_socket;
  UniqueFd m_spare; // given up for a moment when descriptors have run out
  runtime::Alarm m_pause;
};

} // namespace upskill::daemon
