#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/measure.h"

namespace upskill::bench {
namespace {

constexpr std::size_t k_skills = 1000;

double answer_of(const std::function<std::unique_ptr<Process>()>& start) {
  std::int64_t begin = now_ns();
  std::unique_ptr<Process> process = start();
  Lines lines(process->input(), process->output());
  require(!lines.call(session_hello()).empty(), "no answer");
  double taken = static_cast<double>(now_ns() - begin) / 1e6;
  process->close_input();
  process->wait();
  return taken;
}

} // namespace

void first_answer(const Settings& settings, const Report& report) {
  Home home(settings, settings.folder);
  make_skills(home.root(0), k_skills);
  auto bridge = [&] { return answer_of([&] { return home.program({"mcp"}); }); };
  auto cat = [&] {
    return answer_of([] {
      return std::make_unique<Process>(std::vector<std::string>{"/bin/cat"},
                                       ProcessOptions{.pipes = true});
    });
  };
  home.start();
  home.wait_idle();
  std::vector<double> up = interleave(settings.runs * 20, {bridge, cat});
  report({"first_answer.up",
          "ms",
          up[0],
          up[1],
          Judged::value,
          3,
          false,
          "spawn of `upskill mcp` to its first answer, daemon up; floor: spawning `cat`"});
  report({"first_answer.up_ratio",
          "ms",
          up[0],
          up[1],
          Judged::ratio,
          0.75,
          true,
          "the same as a ratio (G3)"});
  home.enable_sync();
  home.stop();
  std::vector<double> down = interleave(settings.runs, {[&] {
                                          double taken = bridge();
                                          home.stop_unknown();
                                          return taken;
                                        }});
  report({"first_answer.down",
          "ms",
          down[0],
          up[1],
          Judged::value,
          60,
          false,
          "the same with no daemon: it is started first, 1,000 skills in sync"});
}

} // namespace upskill::bench
