#pragma once
#include "daemon/models/curl.h"
#include "daemon/proxy/agent_cassette.h"
#include "daemon/proxy/normalise.h"
#include "daemon/proxy/recording.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/pool.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/timers.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace upskill::proxy {

// What one run may ask of it.
struct ProxyLimits {
  std::size_t request = 32u << 20; // bytes of a body
  std::size_t answer = k_max_agent_answer;
  std::size_t held = 128u << 20; // bytes of all requests and answers that wait
  std::size_t connections = 64;  // at a time
  std::uint64_t requests = 2000; // in all
  runtime::Clock::duration read = std::chrono::seconds(30);  // a request, from its first byte on
  runtime::Clock::duration write = std::chrono::seconds(30); // that the agent takes nothing
};

// Answers that are kept, or were.
struct ProxyRecords {
  runtime::Pool::Share pool; // where files are read and written
  AgentCassette cassette;
  bool is_replay = false; // nobody is asked
  std::uint32_t sample = 1;
  Places places = {}; // of the run; the token is added
};

struct ProxyOptions {
  Upstream upstream = {};
  models::Environment environment = {}; // the call's: proxies, SSL_CERT_FILE
  std::vector<WatchedSkill> skills = {};
  std::string socket = {}; // path of a Unix socket to listen at; empty: a port of the loopback
  ProxyLimits limits = {};
  std::optional<ProxyRecords> records = {};
};

// Stands between one run of an agent and its model: takes what it asks, puts the real key in place
// of the token, asks the one server that it is for and hands back what comes as it comes. So the
// key is nowhere near the agent, and what was asked and what it took is known.
// Owner: the frame of a run. Thread: that of its executor only. Lifetime: stop() must have returned
// before it is destroyed; `http` outlives it.
class Proxy {
public:
  // invalid_argument: the upstream is no HTTP URL; what listening gives.
  static Result<std::unique_ptr<Proxy>>
  listen(asio::any_io_executor executor, models::Http& http, ProxyOptions options);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // What the agent has as its key.
  const std::string& token() const { return m_token; }

  // Its base URL; 0 for one that listens at a Unix socket.
  std::uint16_t port() const { return m_port; }

  // The path of the upstream's base URL, which the agent's has too.
  std::string path() const { return m_options.upstream.path(); }

  const Measured& measured() const { return m_recording.measured(); }

  // What was not in the records, or could not be put into them: then a run proves nothing.
  const std::optional<Error>& problem() const { return m_problem; }

  // Takes nothing more and ends what is under way.
  asio::awaitable<void> stop();

private:
  class Exchange;

  Proxy(asio::any_io_executor executor, models::Http& http, ProxyOptions options);

  Result<void> listen();
  asio::awaitable<void> accept();

  asio::any_io_executor m_executor;
  models::Http& m_http;
  ProxyOptions m_options;
  Recording m_recording;
  std::string m_token;
  std::uint16_t m_port = 0;
  asio::posix::stream_descriptor m_listener;
  std::size_t m_connections = 0;
  std::size_t m_held = 0; // bytes
  std::optional<Error> m_problem;
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::proxy
