#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/measure.h"

#include <unistd.h>

namespace upskill::bench {
namespace {

constexpr std::size_t k_event_bytes = 600;

// What Claude Code says after a tool, padded with its result.
std::string an_event() {
  std::string head = R"({"session_id":"3f1c9a52-8f0e-4a57-9d0a-1d2b7c3e4f50","transcript_path":)"
                     R"("/home/ada/.claude/projects/-home-ada-engine/)"
                     R"(3f1c9a52-8f0e-4a57-9d0a-1d2b7c3e4f50.jsonl","cwd":"/home/ada/engine",)"
                     R"("permission_mode":"default","hook_event_name":"PostToolUse",)"
                     R"("tool_name":"Bash","tool_input":{"command":"make test"},)"
                     R"("tool_response":{"stdout":")";
  std::string tail = R"("},"tool_use_id":"toolu_01ABCDEF"})";
  return head + std::string(k_event_bytes - head.size() - tail.size(), 'x') + tail;
}

// Milliseconds from the spawn to the end, with the event on stdin as an agent gives it.
double spawn_to_exit(const std::function<std::unique_ptr<Process>()>& start,
                     const std::string& event) {
  std::int64_t begin = now_ns();
  std::unique_ptr<Process> process = start();
  require(::write(process->input(), event.data(), event.size())
              == static_cast<ssize_t>(event.size()),
          "the event was not taken");
  process->close_input();
  require(process->wait() == 0, "it failed");
  return static_cast<double>(now_ns() - begin) / 1e6;
}

} // namespace

void hook(const Settings& settings, const Report& report) {
  Home home(settings, settings.folder);
  std::string event = an_event();
  auto ours = [&] {
    return spawn_to_exit([&] { return home.program({"hook", "PostToolUse"}); }, event);
  };
  auto cat = [&] {
    return spawn_to_exit(
        [] {
          return std::make_unique<Process>(std::vector<std::string>{"/bin/cat"},
                                           ProcessOptions{.pipes = true});
        },
        event);
  };
  auto measure = [&](const std::string& name, const std::string& daemon) {
    interleave(10, {ours, cat});
    std::vector<double> taken = interleave(settings.runs * 40, {ours, cat});
    std::string what = "`upskill hook PostToolUse`, 600 B in, recorded, spawn to exit, " + daemon
                       + "; floor: `cat` with the same stdin";
    report({"hook." + name, "ms", taken[0], taken[1], Judged::ratio, 1, false, what});
    report({"hook." + name + "_aim",
            "ms",
            taken[0],
            taken[1],
            Judged::ratio,
            0.8,
            true,
            "the same (G5)"});
  };
  measure("down", "no daemon");
  home.start();
  home.wait_idle();
  measure("up", "daemon up");
  home.stop();
}

} // namespace upskill::bench
