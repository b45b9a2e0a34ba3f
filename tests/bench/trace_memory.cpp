#include "daemon/handlers/trace_evidence.h"
#include "skills/trace/summary.h"
#include "tests/bench/bench.h"
#include "tests/bench/files.h"
#include "tests/bench/process.h"
#include "tests/bench/trace_file.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <random>

namespace upskill::bench {
namespace {

constexpr std::size_t k_size = 2000u << 20;
constexpr std::size_t k_long_record = 30u << 20;
constexpr double k_bound = 64; // MB
constexpr double k_aim = 32;   // MB (G10)

// MB that a process of its own holds at most while it works; what it has from us and does not use
// is given back before.
double peak_of(const std::function<void()>& work) {
  int ends[2];
  require(::pipe2(ends, O_CLOEXEC) == 0, "cannot make a pipe");
  UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  pid_t child = ::fork();
  require(child >= 0, "cannot make a process");
  if (child == 0) {
    double kilobytes = -1;
    try {
      // As the daemon does it (daemon/program.cpp).
      ::mallopt(M_ARENA_MAX, 1);
      ::mallopt(M_MMAP_THRESHOLD, 256 << 10);
      ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
      ::malloc_trim(0);
      UniqueFd reset(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
      if (reset && ::write(reset.get(), "5", 1) == 1) {
        work();
        kilobytes = proc_number(::getpid(), "status", "VmHWM");
      }
    } catch (const std::exception&) {
      kilobytes = -1;
    }
    bool is_told = ::write(out.get(), &kilobytes, sizeof kilobytes) == sizeof kilobytes;
    ::_exit(is_told ? 0 : 1);
  }
  out.reset();
  double kilobytes = -1;
  bool is_told = ::read(in.get(), &kilobytes, sizeof kilobytes) == sizeof kilobytes;
  ::waitpid(child, nullptr, 0);
  require(is_told && kilobytes > 0, "the work failed");
  return kilobytes * 1024 / 1e6;
}

// What Codex leaves when it compacts again and again (facts: traces.md, 1.2): one record with all
// that was said, and an image in it.
class GiantRollout {
public:
  void operator()(std::string& out) {
    if (m_records++ == 0) {
      record(out,
             "session_meta",
             R"({"id":"0199c5a2-7f00-7000-8000-000000000001","cwd":"/home/ada/kernels",)"
             R"("cli_version":"0.130.0","originator":"codex_cli_rs"})");
    }
    record(out, "event_msg", R"({"type":"user_message","message":"make the kernel fast"})");
    for (int i = 0; i < 20; ++i) {
      record(out, "response_item", message("assistant", "output_text", 4000));
    }
    std::string history;
    while (history.size() < k_long_record) {
      history +=
          (history.empty() ? "" : ",") + message("user", "input_text", 2000 + m_random() % 60'000);
    }
    record(out, "compacted", R"({"message":"","replacement_history":[)" + history + "]}");
  }

private:
  static void record(std::string& out, const std::string& type, const std::string& payload) {
    out += R"({"timestamp":"2026-07-01T10:00:00.250Z","type":")" + type + R"(","payload":)"
           + payload + "}\n";
  }

  std::string message(const std::string& role, const std::string& part, std::size_t size) {
    std::string text = fmt::format("number {}: ", m_random());
    while (text.size() < size) {
      text += R"(look at what nvcc says about \"shared\" memory, then run the tests again.\n)";
    }
    return R"({"type":"message","role":")" + role + R"(","content":[{"type":")" + part
           + R"(","text":")" + text + R"("}]})";
  }

  std::mt19937_64 m_random{1};
  std::uint64_t m_records = 0;
};

struct Figure {
  std::string_view name;
  std::string_view what;
  double bound = k_bound;
  bool is_aim = false;
};

void measure(const Settings& settings,
             const Report& report,
             const Figure& figure,
             const std::function<void()>& work) {
  double most = 0;
  for (std::size_t run = 0; run < std::min<std::size_t>(settings.runs, 2); ++run) {
    most = std::max(most, peak_of(work));
  }
  report({std::string("trace_memory.") + std::string(figure.name),
          "MB",
          most,
          0,
          Judged::value,
          figure.bound,
          figure.is_aim,
          fmt::format("{}: the most that is resident, this program itself included", figure.what)});
}

void distil(const Settings& settings, const std::string& path) {
  Scratch scratch(settings.folder);
  archive::Archive archive = open_archive(scratch.path());
  auto evidence = daemon::gather(archive, {path, path, {}}, nullptr, {});
  require(evidence.has_value() && evidence->distiller->distilled().kept > 0, "nothing is left");
}

void keep(const Settings& settings, const std::string& path) {
  Scratch scratch(settings.folder);
  archive::Archive archive = open_archive(scratch.path());
  auto kept = archive.keep(path, {.is_named = true}, 1'780'000'000'000, {});
  require(kept.has_value() && kept->front().state == archive::KeepState::imported,
          "it is not kept");
}

void summarise(const std::string& path, trace::Format format) {
  trace::Summary summary(format);
  normalise(path, format, summary);
  require(summary.summary().counts.records > 0, "nothing was read");
}

} // namespace

// At most two runs each: a peak is the same every time.
void trace_memory(const Settings& settings, const Report& report) {
  {
    TraceFile file(settings.folder, k_size);
    measure(settings, report, {"usage", "usage of 2 GB (G10)", k_aim, true}, [&] {
      summarise(file.path(), trace::Format::claude);
    });
    measure(settings, report, {"distill", "distilling a session of 2 GB"}, [&] {
      distil(settings, file.path());
    });
    measure(settings, report, {"import", "keeping a session of 2 GB"}, [&] {
      keep(settings, file.path());
    });
  }
  TraceFile giant(settings.folder, k_size / 4, GiantRollout());
  measure(settings, report, {"long_distill", "distilling a rollout with records of 30 MB"}, [&] {
    distil(settings, giant.path());
  });
  measure(settings, report, {"long_import", "keeping a rollout with records of 30 MB"}, [&] {
    keep(settings, giant.path());
  });
}

} // namespace upskill::bench
