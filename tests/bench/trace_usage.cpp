#include "skills/trace/summary.h"
#include "tests/bench/bench.h"
#include "tests/bench/measure.h"
#include "tests/bench/process.h"
#include "tests/bench/trace_file.h"

#include <fmt/format.h>

#include <sys/resource.h>

namespace upskill::bench {
namespace {

constexpr std::size_t k_size = 1000u << 20;

double seconds_of_children() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

} // namespace

// What sessions used, with nothing known of them before: read, normalised, summarised, on one core.
// Seconds of the processor, the file in the page cache; reading it is counted on both sides.
void trace_usage(const Settings& settings, const Report& report) {
  OneCore core;
  TraceFile file(settings.folder, k_size);
  trace::SessionSummary words;
  auto ours = [&] {
    return cpu_seconds_of([&] {
      trace::Summary summary(trace::Format::claude);
      normalise(file.path(), trace::Format::claude, summary);
      words = summary.summary();
    });
  };
  auto floor = [&] {
    double before = seconds_of_children();
    require(Process({"/usr/bin/wc", "-l", file.path()}).wait() == 0, "`wc` failed");
    return seconds_of_children() - before;
  };
  std::vector<double> seconds = interleave(settings.runs, {ours, floor});
  require(words.tokens.output.value_or(0) > 0 && words.counts.calls > 1000, "nothing was counted");
  double gigabytes = static_cast<double>(file.size()) / 1e9;
  report({"trace_usage.cold",
          "s/GB",
          seconds[0] / gigabytes,
          seconds[1] / gigabytes,
          Judged::ratio,
          2.6,
          true,
          fmt::format("tokens, tools, skills and what a search finds of {:.2f} GB: {:.2f} GB/s; "
                      "floor: `wc -l` (G10)",
                      gigabytes,
                      gigabytes / seconds[0])});
}

} // namespace upskill::bench
