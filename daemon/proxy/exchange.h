#pragma once
#include "daemon/http/request_parser.h"
#include "daemon/proxy/proxy.h"
#include "daemon/runtime/condition.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::proxy {

// One connection of an agent: one request, its answer, the end. Agents make another for another,
// which costs them nothing on one machine.
// Owner: its two tasks, of the proxy's group. Thread: the proxy's. Lifetime: within the proxy's.
class Proxy::Exchange {
public:
  Exchange(Proxy& proxy, UniqueFd socket);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Reads what is asked, and writes what comes while it comes.
  static asio::awaitable<void> run(std::shared_ptr<Exchange> self);

private:
  // What came of a request, told once whatever ends it; with it ends its connection.
  class Account {
  public:
    Account(Exchange& exchange, Route route, std::string_view body);
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;
    ~Account();

    void answered(int status, const UsageReader& reader);
    void failed(); // no answer came

  private:
    Exchange& m_exchange;
    Route m_route;
    bool m_is_open; // a model was to answer, and nothing was told of that yet
  };

  // Asks the server.
  static asio::awaitable<void> forward(std::shared_ptr<Exchange> self, Route route);

  // Returns when the agent hangs up, after the end of what it is answered.
  static asio::awaitable<void> watch(std::shared_ptr<Exchange> self);

  // Answers from the records.
  static asio::awaitable<void> replay(std::shared_ptr<Exchange> self, Route route);
  // Puts an answer into them.
  asio::awaitable<void> keep(nlohmann::json asked, RecordedAnswer answer);

  // Whether there is a request to answer; none: what is wrong with it was answered, or it is gone.
  asio::awaitable<Result<std::optional<Route>>> read();
  asio::awaitable<Result<std::size_t>> read_some(char* bytes, std::size_t size);
  asio::awaitable<Result<std::size_t>> write_some();
  std::optional<Route> judged();
  models::HttpRequest request_of(Route route);

  nlohmann::json asked();
  void refuse(int status, std::string_view why);
  void begin(int status, const models::Headers& headers);
  Result<void> send(std::string_view bytes);
  void end(bool is_whole);
  bool hold(std::size_t bytes);

  Proxy& m_proxy;
  asio::posix::stream_descriptor m_socket;
  http::RequestParser m_parser;
  std::string m_out;       // to be written
  std::size_t m_held = 0;  // bytes of the proxy's
  bool m_is_begun = false; // its answer
  bool m_is_chunked = false;
  bool m_is_over = false; // nothing more is to be written
  bool m_is_left = false; // the agent has hung up
  int m_status = 0;
  runtime::Condition m_changed;
};

} // namespace upskill::proxy
