#include "daemon/capture/spool_reader.h"
#include "protocol/hook/spool_record.h"
#include "tests/bench/bench.h"
#include "tests/bench/files.h"
#include "tests/bench/measure.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace upskill::bench {
namespace {

constexpr std::size_t k_events = 100'000;
constexpr std::size_t k_block = 200; // events that lie there when the daemon looks
constexpr std::size_t k_bytes = 1024;

// Events of about 1 KB, none like the other.
std::vector<std::string> make_blocks() {
  std::vector<std::string> blocks;
  for (std::size_t number = 0; number < k_events; ++number) {
    if (number % k_block == 0) {
      blocks.emplace_back();
    }
    hook::HookEvent event{.time_ms = 1'780'000'000'000 + static_cast<std::int64_t>(number),
                          .agent = "claude-code",
                          .event = "PostToolUse",
                          .session = "3f1c9a52-8f0e-4a57-9d0a-1d2b7c3e4f50",
                          .turn = std::to_string(number),
                          .transcript = "/home/ada/.claude/projects/" + std::string(320, 'a')
                                        + "/session.jsonl",
                          .cwd = "/home/ada/" + std::string(120, 'b')};
    event.helper = "a1b2c3";
    event.helper_transcript = "/home/ada/.claude/";
    event.helper_transcript.append(k_bytes - hook::encode_record(event).size(), 'c');
    blocks.back() += hook::encode_record(event);
  }
  return blocks;
}

void append(const std::string& path, const std::string& bytes) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  require(
      file && ::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
      "the spool cannot be written");
}

double read_all(const std::string& folder, const std::vector<std::string>& blocks) {
  auto reader = capture::SpoolReader::open(folder);
  require(reader.has_value(), "no spool");
  std::string live = folder + "/" + hook::k_live_segment;
  std::size_t events = 0;
  double seconds = 0;
  for (const std::string& block : blocks) {
    append(live, block);
    seconds += cpu_seconds_of([&] {
      bool is_more = true;
      while (is_more) {
        auto batch = reader->read();
        require(batch.has_value() && batch->torn == 0, "the spool cannot be read");
        events += batch->events.size();
        is_more = batch->more;
      }
      require(reader->release().has_value(), "the spool is not released");
    });
  }
  require(events == k_events, "events are missing");
  return seconds * 1e6 / k_events;
}

// The least: the bytes are read.
double read_bytes(const std::string& path, const std::vector<std::string>& blocks) {
  std::vector<char> buffer(2 * k_block * k_bytes);
  std::size_t got = 0;
  double seconds = 0;
  ::unlink(path.c_str());
  for (const std::string& block : blocks) {
    append(path, block);
    seconds += cpu_seconds_of([&] {
      UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
      got += static_cast<std::size_t>(
          ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(got)));
    });
  }
  require(got == k_events * k_bytes, "the floor did not read all");
  return seconds * 1e6 / k_events;
}

} // namespace

// In this process: what hooks left, read in blocks as it comes. Writing it is not counted.
void hook_events(const Settings& settings, const Report& report) {
  OneCore core;
  Scratch scratch(settings.folder);
  std::vector<std::string> blocks = make_blocks();
  std::vector<double> taken = interleave(settings.runs,
                                         {[&] { return read_all(scratch / "spool", blocks); },
                                          [&] { return read_bytes(scratch / "bytes", blocks); }});
  report({"hook_events.cpu",
          "us",
          taken[0],
          taken[1],
          Judged::value,
          1.5,
          true,
          "the daemon's end of the spool: CPU of an event of 1 KB, read in blocks of 200; floor: "
          "reading the bytes (G11)"});
}

} // namespace upskill::bench
