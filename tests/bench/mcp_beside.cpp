#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/measure.h"

#include <atomic>
#include <thread>

namespace upskill::bench {
namespace {

constexpr std::size_t k_calls = 500; // of one round
constexpr std::size_t k_rounds = 20; // for each run
constexpr std::size_t k_slow = 64;
constexpr int k_looks = 10'000;

// A client whose calls go on until they are cancelled.
class SlowClient {
public:
  explicit SlowClient(const Home& home)
      : m_socket(home.connect())
      , m_lines(m_socket.get(), m_socket.get()) {}

  // Returns when all of them run.
  void begin() {
    std::string calls;
    for (std::size_t i = 0; i < k_slow; ++i) {
      calls += tool_call("wait_idle", {.id = 100 + i, .arguments = R"({"timeout_ms":3600000})"});
    }
    m_lines.send(calls);
    wait_running(k_slow);
  }

  void cancel() {
    std::string notes;
    for (std::size_t i = 0; i < k_slow; ++i) {
      notes += R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)"
               + std::to_string(100 + i) + "}}\n";
    }
    m_lines.send(notes);
    wait_running(0);
  }

private:
  // The test daemon counts the calls that wait.
  void wait_running(std::size_t count) {
    std::string sought = R"("test.waiting":)" + std::to_string(count);
    for (int look = 0; look < k_looks; ++look) {
      std::string_view answer = m_lines.call(tool_call("daemon_status"));
      std::size_t at = answer.find(sought);
      if (at != std::string_view::npos && answer.find_first_of(",}", at) == at + sought.size()) {
        return;
      }
    }
    throw Problem("there are never " + std::to_string(count) + " slow calls at once");
  }

  UniqueFd m_socket;
  Lines m_lines;
};

// A client that keeps the daemon's threads at work: 64 searches on their way at any time, from a
// thread of its own, as long as this lives.
class BusyClient {
public:
  explicit BusyClient(const Home& home)
      : m_socket(home.connect())
      , m_thread([this] { work(); }) {}

  ~BusyClient() {
    m_ends = true;
    m_thread.join();
  }

private:
  void work() {
    try {
      Lines lines(m_socket.get(), m_socket.get());
      std::string calls;
      for (std::size_t i = 0; i < k_slow; ++i) {
        calls += tool_call("skill_list", {.id = 100 + i, .arguments = R"({"query":"nowhere"})"});
      }
      while (!m_ends) {
        lines.send(calls);
        for (std::size_t i = 0; i < k_slow; ++i) {
          lines.receive();
        }
      }
    } catch (const Problem&) {
      return; // the daemon has gone: the client that is measured tells
    }
  }

  UniqueFd m_socket;
  std::atomic<bool> m_ends = false;
  std::thread m_thread;
};

// `beside` prepares what goes on beside the calls and takes it away again.
std::vector<std::vector<double>>
with_and_without(const Settings& settings,
                 const Home& home,
                 const std::function<void(const std::function<void()>&)>& beside) {
  UniqueFd socket = home.connect();
  Lines fast(socket.get(), socket.get());
  std::string request = status_call();
  auto alone = [&] { return round_trips(fast, request, k_calls); };
  auto together = [&] {
    std::vector<double> taken;
    beside([&] { taken = alone(); });
    return taken;
  };
  return pool(settings.runs * k_rounds, {together, alone});
}

// No method of the product waits for as long as it is told. So this one bound is measured with the
// daemon of the tests, which is the product's with another engine: its `wait_idle` does.
void beside_slow(const Settings& settings, const Report& report) {
  OneCore pinned;
  Home home(settings, settings.folder);
  home.start({}, beside_bench("test_daemon"));
  SlowClient slow(home);
  std::vector<std::vector<double>> taken =
      with_and_without(settings, home, [&](const std::function<void()>& measure) {
        slow.begin();
        measure();
        slow.cancel();
      });
  home.stop();
  report({"mcp_beside.slow",
          "us",
          percentile(taken[0], 0.99),
          percentile(taken[1], 0.99),
          Judged::ratio,
          1.2,
          false,
          "`status`, p99, while 64 slow calls of another client wait; floor: without them"});
  report({"mcp_beside.slow_p50",
          "us",
          median(taken[0]),
          median(taken[1]),
          Judged::nothing,
          0,
          false,
          "the same, p50"});
}

// For the record: here all of them share the cores, and the kernel decides.
void beside_busy(const Settings& settings, const Report& report) {
  Home home(settings, settings.folder);
  make_skills(home.root(0), 1000);
  home.start();
  home.wait_idle();
  std::vector<std::vector<double>> taken =
      with_and_without(settings, home, [&](const std::function<void()>& measure) {
        BusyClient busy(home);
        measure();
      });
  home.stop();
  report({"mcp_beside.busy",
          "us",
          percentile(taken[0], 0.99),
          percentile(taken[1], 0.99),
          Judged::nothing,
          0,
          false,
          "`status`, p99, on all cores, while another client has 64 searches of 1,000 skills on "
          "their way; floor: without them"});
}

} // namespace

void mcp_beside(const Settings& settings, const Report& report) {
  beside_slow(settings, report);
  beside_busy(settings, report);
}

} // namespace upskill::bench
