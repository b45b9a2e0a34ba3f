#pragma once
#include "daemon/acceptor.h"

#include <memory>
#include <string>

namespace upskill::daemon {

// The daemon's Unix socket (0600, in a 0700 folder): only processes of this user get in.
// Owner: Daemon. Thread: the daemon's. Lifetime: close() before the io_context has run dry.
class Listener {
public:
  // Whoever calls this holds the lock of SingleInstance, so a socket that lies at `path` is a dead
  // daemon's and is replaced; anything else there is refused.
  static Result<std::unique_ptr<Listener>>
  open(asio::io_context& io, std::string path, telemetry::Log& log, Acceptor::OnClient on_client);
  ~Listener();

  // Removes the socket and takes nobody any more.
  void close();

private:
  explicit Listener(std::string path);

  std::string m_path;
  std::unique_ptr<Acceptor> m_acceptor;
};

} // namespace upskill::daemon
