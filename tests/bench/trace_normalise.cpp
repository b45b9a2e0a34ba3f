#include "tests/bench/bench.h"
#include "tests/bench/measure.h"
#include "tests/bench/trace_file.h"

#include <fmt/format.h>

#include <simdjson.h>

#include <cstring>
#include <vector>

namespace upskill::bench {
namespace {

constexpr std::size_t k_size = 1000u << 20;

double into_events(const std::string& path, std::size_t& events) {
  return cpu_seconds_of([&] {
    CountEvents count;
    normalise(path, trace::Format::claude, count);
    events = count.events;
  });
}

// The least that looks at every record: every line is parsed on demand, and the names and values of
// its top level are walked over.
double walk(const std::string& path, std::size_t& members) {
  return cpu_seconds_of([&] {
    simdjson::ondemand::parser parser;
    std::vector<char> buffer((8u << 20) + simdjson::SIMDJSON_PADDING);
    std::size_t begin = 0;
    std::size_t end = 0;
    members = 0;
    auto room = [&](std::size_t wanted) {
      std::memmove(buffer.data(), buffer.data() + begin, end - begin);
      end -= begin;
      begin = 0;
      return std::span<char>(buffer.data() + end, wanted);
    };
    auto commit = [&](std::size_t size) {
      end += size;
      while (const void* found = std::memchr(buffer.data() + begin, '\n', end - begin)) {
        const char* line = buffer.data() + begin;
        std::size_t length = static_cast<std::size_t>(static_cast<const char*>(found) - line);
        simdjson::ondemand::document document;
        simdjson::ondemand::object object;
        require(parser.iterate(line, length, length + simdjson::SIMDJSON_PADDING).get(document)
                        == simdjson::SUCCESS
                    && document.get_object().get(object) == simdjson::SUCCESS,
                "the floor cannot read a line");
        for (auto member : object) {
          members += member.error() == simdjson::SUCCESS ? 1 : 0;
        }
        begin += length + 1;
      }
    };
    read_pieces(path, room, commit);
  });
}

} // namespace

// Seconds of the processor, the file in the page cache; reading it is counted on both sides.
void trace_normalise(const Settings& settings, const Report& report) {
  OneCore core;
  TraceFile file(settings.folder, k_size);
  std::size_t events = 0;
  std::size_t members = 0;
  std::vector<double> seconds = interleave(settings.runs,
                                           {[&] { return into_events(file.path(), events); },
                                            [&] { return walk(file.path(), members); }});
  require(events > 100'000 && members > 1'000'000, "nothing was read");
  double gigabytes = static_cast<double>(file.size()) / 1e9;
  report({"trace_normalise.rate",
          "s/GB",
          seconds[0] / gigabytes,
          0,
          Judged::value,
          1,
          false,
          fmt::format("Claude-like JSONL of {:.2f} GB to {} events, warm: {:.2f} GB/s",
                      gigabytes,
                      events,
                      gigabytes / seconds[0])});
  report({"trace_normalise.walk",
          "s/GB",
          seconds[0] / gigabytes,
          seconds[1] / gigabytes,
          Judged::ratio,
          1 / 0.6,
          false,
          fmt::format("the same against walking over the top level of each line with simdjson "
                      "({:.2f} GB/s)",
                      gigabytes / seconds[1])});
}

} // namespace upskill::bench
