#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/measure.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace upskill::bench {
namespace {

constexpr std::size_t k_calls = 5000;
constexpr std::size_t k_large = 64u << 10;

// A process at the other end of a socket that answers each line with as many bytes as the daemon
// does, knowing nothing.
class RawServer {
public:
  explicit RawServer(std::size_t answer_size) {
    int ends[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "no socket pair");
    m_socket.reset(ends[0]);
    UniqueFd other(ends[1]);
    m_child = ::fork();
    if (m_child == 0) {
      m_socket.reset();
      serve(other.get(), answer_size);
    }
  }

  ~RawServer() {
    m_socket.reset();
    ::waitpid(m_child, nullptr, 0);
  }

  int socket() const { return m_socket.get(); }

private:
  [[noreturn]] static void serve(int socket, std::size_t answer_size) {
    std::string answer(answer_size, 'a');
    answer.back() = '\n';
    std::vector<char> buffer(1u << 20);
    for (;;) {
      ssize_t got = ::read(socket, buffer.data(), buffer.size());
      if (got <= 0) {
        ::_exit(0);
      }
      if (buffer[static_cast<std::size_t>(got) - 1] == '\n'
          && ::write(socket, answer.data(), answer.size()) < 0) {
        ::_exit(1);
      }
    }
  }

  UniqueFd m_socket;
  pid_t m_child = -1;
};

struct Trip {
  double half = 0; // p50
  double most = 0; // p99
};

// Rounds of calls to each of the servers in turn; medians of their p50 and p99.
std::vector<Trip> compare(std::size_t runs,
                          const std::vector<std::pair<Lines*, const std::string*>>& servers,
                          std::size_t calls) {
  std::vector<std::vector<double>> half(servers.size());
  std::vector<std::vector<double>> most(servers.size());
  for (std::size_t run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < servers.size(); ++i) {
      std::vector<double> taken = round_trips(*servers[i].first, *servers[i].second, calls);
      half[i].push_back(percentile(taken, 0.5));
      most[i].push_back(percentile(taken, 0.99));
    }
  }
  std::vector<Trip> trips;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    trips.push_back({median(half[i]), median(most[i])});
  }
  return trips;
}

} // namespace

void socket_call(const Settings& settings, const Report& report) {
  OneCore pinned;
  Home home(settings, settings.folder);
  make_skills(home.root(0), 10);
  home.start();
  UniqueFd socket = home.connect();
  Lines direct(socket.get(), socket.get());
  std::string request = status_call();
  std::size_t answer = direct.call(request).size() + 1;
  require(answer > 100, "the daemon does not answer `status`");
  RawServer raw_server(answer);
  Lines raw(raw_server.socket(), raw_server.socket());
  auto bridge = home.program({"mcp"});
  Lines stdio(bridge->input(), bridge->output());
  Process echo({"/bin/cat"}, {.pipes = true});
  Lines cat(echo.input(), echo.output());

  std::vector<Trip> trips =
      compare(settings.runs,
              {{&direct, &request}, {&raw, &request}, {&stdio, &request}, {&cat, &request}},
              k_calls);
  auto line = [&](const char* name,
                  double ours,
                  double floor,
                  double bound,
                  bool aim,
                  const char* what) {
    report(
        {std::string("socket_call.") + name, "us", ours, floor, Judged::ratio, bound, aim, what});
  };
  line("p50",
       trips[0].half,
       trips[1].half,
       3,
       false,
       "`status` over the socket; floor: a raw socket ping-pong of the same sizes");
  line("bridge",
       trips[2].half,
       trips[0].half,
       1.3,
       false,
       "through `upskill mcp`; floor: over the socket");
  line("stdio",
       trips[2].half,
       trips[3].half,
       1.25,
       true,
       "through `upskill mcp`, p50; floor: `cat` (G1)");
  line("stdio_p99",
       trips[2].most,
       trips[3].most,
       1.5,
       true,
       "through `upskill mcp`, p99; floor: `cat` (G1)");

  std::string large = status_call(k_large);
  trips = compare(settings.runs, {{&stdio, &large}, {&cat, &large}}, k_calls / 5);
  line("stdio_64k",
       trips[0].half,
       trips[1].half,
       1.4,
       true,
       "a call of 64 KB, p50; floor: `cat`, which writes 64 KB back (G1)");

  std::vector<double> rates =
      interleave(settings.runs,
                 {[&] { return 1e6 / throughput(stdio, {request}, 64, 4 * k_calls); },
                  [&] { return 1e6 / throughput(cat, {request}, 64, 4 * k_calls); }});
  line("throughput",
       rates[0],
       rates[1],
       1 / 0.6,
       true,
       "time for a call with 64 in flight; floor: `cat` (G2: 0.6 x its calls a second)");
  bridge->close_input();
  home.stop();
}

} // namespace upskill::bench
