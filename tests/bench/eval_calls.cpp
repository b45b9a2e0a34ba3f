#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/measure.h"
#include "tests/bench/model_server.h"
#include "tests/bench/process.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace upskill::bench {
namespace {

constexpr std::size_t k_delay_ms = 50;

struct Load {
  std::size_t cases;
  std::size_t in_flight;

  // Seconds, if nothing but the server took time.
  double ideal() const {
    return static_cast<double>((cases + in_flight - 1) / in_flight) * k_delay_ms / 1000;
  }
};

struct Taken {
  double seconds = 0;
  double waited = 0;        // of these the daemon's main thread waited for a core
  double cpu_us = 0;        // for each case, all threads
  double peak_kb = 0;       // of resident memory
  double above_rest_kb = 0; // the same, for each case
};

// How long its main thread was ready to run and had no core (second number of proc(5) schedstat):
// what a busy machine adds to the time.
double waited_seconds(pid_t process) {
  std::string path = "/proc/" + std::to_string(process) + "/schedstat";
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[128] = {};
  require(file && ::read(file.get(), text, sizeof text - 1) > 0, "no schedstat");
  char* end = nullptr;
  std::strtod(text, &end);
  return std::strtod(end, nullptr) / 1e9;
}

// From now on the peak of its memory counts anew (proc(5): clear_refs).
void forget_peak(pid_t process) {
  std::string path = "/proc/" + std::to_string(process) + "/clear_refs";
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  require(file && ::write(file.get(), "5", 1) == 1, "the peak of memory cannot be reset");
}

std::string cases(std::size_t count) {
  std::string text = R"({"cases":[)";
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format(
        R"({}{{"input":"Case {}: what is to be done?","expected":{{"contains":["pass"]}}}})",
        i == 0 ? "" : ",",
        i);
  }
  return text + "]}";
}

Taken measure(const Settings& settings, const std::string& url, Load load) {
  Home home(settings, settings.folder);
  make_skills(home.root(0), 1);
  std::string tests = home.path() + "/tests.json";
  write_text(tests, cases(load.cases));
  home.start();
  UniqueFd socket = home.connect();
  Lines lines(socket.get(), socket.get());
  std::string request = tool_call(
      "skill_eval",
      {.arguments = fmt::format(R"({{"skill":"{}/{}","tests":"{}","model":["generic.m"],)"
                                R"("no_baseline":true,"fresh":true,"log_runs":false,"jobs":{},)"
                                R"("base_url":"{}"}})",
                                home.root(0),
                                skill_name(0),
                                tests,
                                load.in_flight,
                                url)});
  Home::rest();
  double rest = proc_number(home.daemon(), "status", "VmRSS");
  double count = static_cast<double>(load.cases);
  std::vector<double> seconds;
  std::vector<double> waited;
  std::vector<double> cpu;
  std::vector<double> peak;
  for (std::size_t i = 0; i < settings.runs; ++i) {
    forget_peak(home.daemon());
    double cpu_before = cpu_seconds(home.daemon());
    double waited_before = waited_seconds(home.daemon());
    seconds.push_back(seconds_of([&] {
      std::string_view answer = lines.call(request);
      std::string all =
          fmt::format(R"("samples":{},"passed":{},"errors":0)", load.cases, load.cases);
      require(answer.find(all) != std::string_view::npos,
              "not every case is answered: " + std::string(answer.substr(0, 400)));
    }));
    waited.push_back(waited_seconds(home.daemon()) - waited_before);
    cpu.push_back((cpu_seconds(home.daemon()) - cpu_before) * 1e6 / count);
    peak.push_back(proc_number(home.daemon(), "status", "VmHWM"));
  }
  home.stop();
  double most = percentile(peak, 1);
  return {median(seconds), median(waited), median(cpu), most, (most - rest) / count};
}

} // namespace

// The server is a process of its own with a timer for each answer, so that its work is not the
// daemon's; the ideal is what remains when nobody but it takes time. Nothing is cached, nothing is
// asked without the skill. The answer of a call is there when its last sample is graded and told.
void eval_calls(const Settings& settings, const Report& report) {
  ModelServer server({"--delay-ms", std::to_string(k_delay_ms)});
  Load load{1000, 50};
  Taken taken = measure(settings, server.url(), load);
  report({"eval_calls.wall",
          "s",
          taken.seconds,
          load.ideal(),
          Judged::ratio,
          1.1,
          false,
          fmt::format(
              "1,000 cases against a server that answers after 50 ms, 50 in flight; floor: the "
              "ideal; for {:.2f} s the daemon waited for a core",
              taken.waited)});
  report({"eval_calls.cpu",
          "us",
          taken.cpu_us,
          0,
          Judged::value,
          1000,
          false,
          "the daemon's CPU time for each of these cases"});
  report(
      {"eval_calls.memory",
       "KB",
       taken.above_rest_kb,
       0,
       Judged::value,
       30,
       false,
       fmt::format("the daemon's memory for each of them, at its peak of {:.1f} MB above what it "
                   "had before",
                   taken.above_rest_kb * static_cast<double>(load.cases) / 1024)});

  struct Aim {
    Load load;
    double bound;
  };

  for (Aim aim : {Aim{{200, 50}, 1.10}, Aim{{2000, 500}, 1.5}, Aim{{10'000, 1000}, 1.4}}) {
    taken = measure(settings, server.url(), aim.load);
    std::string name = fmt::format("eval_calls.{}_at_{}", aim.load.cases, aim.load.in_flight);
    std::string what = fmt::format("{} cases, {} in flight", aim.load.cases, aim.load.in_flight);
    report({name,
            "s",
            taken.seconds,
            aim.load.ideal(),
            Judged::ratio,
            aim.bound,
            true,
            fmt::format("{}; floor: the ideal (G12); for {:.2f} s the daemon waited for a core",
                        what,
                        taken.waited)});
    report({name + ".cpu",
            "us",
            taken.cpu_us,
            0,
            Judged::value,
            80,
            true,
            what + ": CPU time for each (G12)"});
    report({name + ".memory",
            "MB",
            taken.peak_kb / 1024,
            0,
            Judged::value,
            24,
            true,
            what + ": resident memory of the daemon at its peak (G12)"});
  }
}

} // namespace upskill::bench
