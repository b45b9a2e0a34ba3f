#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/measure.h"

#include <sys/socket.h>

#include <atomic>
#include <thread>

namespace upskill::bench {
namespace {

constexpr std::size_t k_calls = 500; // of one round
constexpr std::size_t k_rounds = 20; // for each run
// Fewer and longer ones, where it takes a second until all that goes on beside is under way.
constexpr std::size_t k_pool_calls = 2000;
constexpr std::size_t k_pool_rounds = 4;
constexpr std::size_t k_slow = 64;
constexpr std::size_t k_validated = 300; // skills of one slow call
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

// A client that keeps the daemon's threads at work: 64 calls on their way at any time, from a
// thread of its own, as long as this lives.
class BusyClient {
public:
  BusyClient(const Home& home, std::string_view tool, const std::string& arguments)
      : m_socket(home.connect())
      , m_thread([this, call = Call{std::string(tool), arguments}] { work(call); }) {}

  ~BusyClient() {
    ::shutdown(m_socket.get(), SHUT_RDWR); // which cancels what is on its way
    m_thread.join();
  }

  // Returns when the first call has been answered: they run.
  void begin() const {
    m_is_answered.wait(false);
    require(!m_has_failed, "the slow calls are not answered");
  }

private:
  struct Call {
    std::string tool;
    std::string arguments;
  };

  void work(const Call& call) {
    try {
      Lines lines(m_socket.get(), m_socket.get());
      std::size_t id = 100;
      auto one_more = [&] {
        return tool_call(call.tool, {.id = ++id, .arguments = call.arguments});
      };
      std::string calls;
      for (std::size_t i = 0; i < k_slow; ++i) {
        calls += one_more();
      }
      lines.send(calls);
      for (;;) {
        lines.receive();
        tell_answered();
        lines.send(one_more());
      }
    } catch (const Problem&) {
      m_has_failed = true; // or it is over
      tell_answered();
    }
  }

  void tell_answered() {
    m_is_answered = true;
    m_is_answered.notify_all();
  }

  UniqueFd m_socket;
  std::atomic<bool> m_is_answered = false;
  std::atomic<bool> m_has_failed = false;
  std::thread m_thread;
};

// What is measured beside them.
struct Calls {
  std::string request;
  std::size_t of_one_round = k_calls;
  std::size_t rounds = k_rounds; // for each run
};

// `beside` prepares what goes on beside the calls and takes it away again.
std::vector<std::vector<double>>
with_and_without(const Settings& settings,
                 const Home& home,
                 const Calls& calls,
                 const std::function<void(const std::function<void()>&)>& beside) {
  UniqueFd socket = home.connect();
  Lines fast(socket.get(), socket.get());
  auto alone = [&] { return round_trips(fast, calls.request, calls.of_one_round); };
  auto together = [&] {
    std::vector<double> taken;
    beside([&] { taken = alone(); });
    return taken;
  };
  return pool(settings.runs * calls.rounds, {together, alone});
}

// No method of the product waits for as long as it is told. So this one bound is measured with the
// daemon of the tests, which is the product's with another engine: its `wait_idle` does.
void beside_slow(const Settings& settings, const Report& report) {
  OneCore pinned;
  Home home(settings, settings.folder);
  home.start({}, beside_bench("test_daemon"));
  SlowClient slow(home);
  std::vector<std::vector<double>> taken =
      with_and_without(settings, home, {status_call()}, [&](const std::function<void()>& measure) {
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
      with_and_without(settings, home, {status_call()}, [&](const std::function<void()>& measure) {
        BusyClient busy(home, "skill_list", R"({"query":"nowhere"})");
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

// What both clients want is done by the same few threads.
void beside_validating(const Settings& settings, const Report& report) {
  Home home(settings, settings.folder);
  make_skills(home.root(0), k_validated);
  home.start();
  home.wait_idle();
  std::string read =
      tool_call("skill_read", {.arguments = R"({"skill":")" + skill_name(0) + R"("})"});
  std::string validated = R"({"paths":[")" + home.root(0) + R"("]})";
  std::vector<std::vector<double>> taken =
      with_and_without(settings,
                       home,
                       {read, k_pool_calls, k_pool_rounds},
                       [&](const std::function<void()>& measure) {
                         BusyClient busy(home, "skill_validate", validated);
                         busy.begin();
                         measure();
                       });
  home.stop();
  report({"mcp_beside.pool",
          "us",
          percentile(taken[0], 0.99),
          percentile(taken[1], 0.99),
          Judged::ratio,
          1.2,
          true,
          "`skill_read`, p99, on all cores, while another client has 64 `skill_validate` of 300 "
          "skills on their way; floor: without them"});
  report({"mcp_beside.pool_p50",
          "us",
          median(taken[0]),
          median(taken[1]),
          Judged::nothing,
          0,
          false,
          "the same, p50"});
}

} // namespace

void mcp_beside(const Settings& settings, const Report& report) {
  beside_slow(settings, report);
  beside_busy(settings, report);
  beside_validating(settings, report);
}

} // namespace upskill::bench
