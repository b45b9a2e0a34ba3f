#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/measure.h"

namespace upskill::bench {
namespace {

constexpr std::size_t k_agents = 50;
constexpr std::size_t k_calls = 20;

// Megabytes that belong to a process, shared pages divided among those that share them.
double pss(pid_t pid) {
  return proc_number(pid, "smaps_rollup", "Pss") / 1024;
}

double talk(std::vector<std::unique_ptr<Process>>& agents,
            const std::function<std::unique_ptr<Process>()>& start) {
  return 1e3 * seconds_of([&] {
           std::string hello = session_hello();
           std::string call = session_call("status");
           for (std::size_t i = 0; i < k_agents; ++i) {
             agents.push_back(start());
           }
           for (std::unique_ptr<Process>& agent : agents) {
             Lines lines(agent->input(), agent->output());
             lines.call(hello);
             for (std::size_t i = 0; i < k_calls; ++i) {
               lines.call(call);
             }
           }
         });
}

} // namespace

void fifty(const Settings& settings, const Report& report) {
  std::vector<double> sizes;
  std::vector<double> daemons;
  std::vector<double> times =
      interleave(settings.runs,
                 {[&] {
                    Home home(settings, settings.folder);
                    make_skills(home.root(0), 10);
                    home.start();
                    home.enable_sync();
                    Home::rest(); // agents come to a daemon that has been there for a while
                    std::vector<std::unique_ptr<Process>> agents;
                    double taken = talk(agents, [&] { return home.program({"mcp"}); });
                    double sum = pss(home.daemon());
                    daemons.push_back(sum);
                    for (const std::unique_ptr<Process>& agent : agents) {
                      sum += pss(agent->pid());
                    }
                    sizes.push_back(sum);
                    agents.clear();
                    home.stop();
                    return taken;
                  },
                  [&] {
                    std::vector<std::unique_ptr<Process>> agents;
                    return talk(agents, [] {
                      return std::make_unique<Process>(std::vector<std::string>{"/bin/cat"},
                                                       ProcessOptions{.pipes = true});
                    });
                  }});
  report({"fifty.memory",
          "MB",
          median(sizes),
          0,
          Judged::value,
          10,
          false,
          "PSS of 50 bridges and the daemon, after a handshake and 20 calls each"});
  report({"fifty.daemon", "MB", median(daemons), 0, Judged::nothing, 0, false, "of it the daemon"});
  report({"fifty.time",
          "ms",
          times[0],
          times[1],
          Judged::value,
          50,
          true,
          "to start and talk to them all, in turn; floor: 50 times `cat` (G4)"});
}

} // namespace upskill::bench
