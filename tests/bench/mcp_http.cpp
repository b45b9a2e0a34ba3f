#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/http_connection.h"
#include "tests/bench/lines.h"
#include "tests/bench/measure.h"

#include <fmt/format.h>

#include <charconv>

namespace upskill::bench {
namespace {

constexpr std::size_t k_calls = 500; // of one round
constexpr std::size_t k_rounds = 10; // for each run
constexpr std::size_t k_connections = 16;

// A server, its connections, and the one request that all of them send.
class Side {
public:
  Side(const HttpPlace& place, std::string_view message)
      : m_request(post_of(place, "status", message)) {
    m_connections.reserve(k_connections);
    for (std::size_t i = 0; i < k_connections; ++i) {
      m_connections.emplace_back(place.port);
    }
  }

  std::string_view call() { return m_connections.front().call(m_request); }

  std::vector<double> round() {
    return time_calls(k_calls, [this] { call(); });
  }

  // Microseconds a call with one on its way on each connection at any time.
  double together(std::size_t count) {
    std::int64_t begin = now_ns();
    for (std::size_t sent = 0; sent < count + k_connections; ++sent) {
      HttpConnection& connection = m_connections[sent % k_connections];
      if (sent >= k_connections) {
        connection.receive();
      }
      if (sent < count) {
        connection.send(m_request);
      }
    }
    return static_cast<double>(now_ns() - begin) / 1e3 / static_cast<double>(count);
  }

private:
  std::string m_request;
  std::vector<HttpConnection> m_connections;
};

std::uint16_t port_of(const Process& echo) {
  Lines lines(echo.input(), echo.output());
  std::string_view line = lines.receive();
  std::uint16_t port = 0;
  std::from_chars(line.data(), line.data() + line.size(), port);
  require(port != 0, "the echo server does not tell its port");
  return port;
}

} // namespace

// The same call, and the same fairness, as in mcp_call.cpp. Connections stay open; the floor gets
// the same headers and looks at none of them.
void mcp_http(const Settings& settings, const Report& report) {
  OneCore pinned;
  Home home(settings, settings.folder);
  make_skills(home.root(0), 10);
  home.start({"--http", "127.0.0.1:0"});
  home.wait_idle();
  HttpPlace place = home.http();
  std::string message = status_call();
  message.pop_back(); // a body needs no newline
  Side ours(place, message);
  std::string answer(ours.call());
  require(answer.find("\"structuredContent\"") != std::string::npos,
          "a call is not answered: " + answer.substr(0, 300));
  Process echo({beside_bench("upskill_bench_echo"), "http", std::to_string(answer.size())},
               {.pipes = true});
  place.port = port_of(echo);
  Side floor(place, message);

  std::vector<std::vector<double>> taken =
      pool(settings.runs * k_rounds, {[&] { return ours.round(); }, [&] { return floor.round(); }});
  report({"mcp_http.call",
          "us",
          median(taken[0]),
          median(taken[1]),
          Judged::ratio,
          2,
          false,
          "`status` over one connection, p50; floor: Beast and nlohmann, answers of that size"});
  report({"mcp_http.call_p99",
          "us",
          percentile(taken[0], 0.99),
          percentile(taken[1], 0.99),
          Judged::nothing,
          0,
          false,
          "the same, p99"});
  std::vector<double> each = interleave(
      settings.runs,
      {[&] { return ours.together(40 * k_calls); }, [&] { return floor.together(40 * k_calls); }});
  report({"mcp_http.sixteen",
          "us",
          each[0],
          each[1],
          Judged::ratio,
          2,
          true,
          fmt::format("a call over 16 connections: {:.0f} a second; floor: the same echo, {:.0f} "
                      "(G2: 0.5 x its calls a second)",
                      1e6 / each[0],
                      1e6 / each[1])});
  home.stop();
}

} // namespace upskill::bench
