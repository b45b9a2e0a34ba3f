#pragma once
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <memory>

namespace upskill::daemon {

// SIGTERM and SIGINT stop the daemon, SIGHUP opens its log anew; a second SIGTERM or SIGINT ends it
// at once, and so does a stop that takes longer than 2 s, even when the daemon's thread hangs. Not
// asio::signal_set, which needs that thread for all of it.
// Owner: Daemon; one in a process. Thread: the daemon's.
class Signals {
public:
  struct Actions {
    std::function<void()> stop;
    std::function<void()> hang_up;
  };

  static Result<std::unique_ptr<Signals>> catch_all(asio::io_context& io, Actions actions);
  ~Signals();

  // From now on the process has 2 s to live.
  static void limit_stop();
  // Waits for nothing any more.
  void close();

private:
  Signals(asio::io_context& io, Actions actions);
  void wait();
  void on_signal();

  Actions m_actions;
  boost::asio::posix::stream_descriptor m_pipe;
};

} // namespace upskill::daemon
