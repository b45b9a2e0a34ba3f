#include "daemon/handlers/trace_evidence.h"
#include "tests/bench/bench.h"
#include "tests/bench/files.h"
#include "tests/bench/measure.h"
#include "tests/bench/trace_file.h"

#include <fmt/format.h>

namespace upskill::bench {
namespace {

constexpr std::size_t k_size = 1000u << 20;
constexpr double k_bound = 2; // s for each GB: 500 MB/s

} // namespace

// As the daemon's own `trace distill FILE` does it, secrets removed. Seconds of the processor, the
// file in the page cache; reading it is counted on both sides.
void trace_distill(const Settings& settings, const Report& report) {
  OneCore core;
  Scratch scratch(settings.folder);
  archive::Archive archive = open_archive(scratch.path());
  TraceFile file(settings.folder, k_size);
  distill::Distilled distilled;
  auto distil = [&] {
    return cpu_seconds_of([&] {
      auto evidence = daemon::gather(archive, {file.path(), file.path(), {}}, nullptr, {});
      require(evidence.has_value(), "the session is not read");
      distilled = evidence->distiller->distilled();
    });
  };
  auto floor = [&] {
    return cpu_seconds_of([&] {
      CountEvents count;
      normalise(file.path(), trace::Format::claude, count);
    });
  };
  std::vector<double> seconds = interleave(settings.runs, {distil, floor});
  require(distilled.tokens_after > 10'000 && distilled.kept > 100, "nothing was distilled");
  double gigabytes = static_cast<double>(file.size()) / 1e9;
  report({"trace_distill.rate",
          "s/GB",
          seconds[0] / gigabytes,
          seconds[1] / gigabytes,
          Judged::value,
          k_bound,
          false,
          fmt::format("Claude-like JSONL of {:.2f} GB, {} events, to {} tokens of {} events, warm: "
                      "{:.2f} GB/s; floor: normalising alone",
                      gigabytes,
                      distilled.events,
                      distilled.tokens_after,
                      distilled.kept,
                      gigabytes / seconds[0])});
}

} // namespace upskill::bench
