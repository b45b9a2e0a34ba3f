#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/measure.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

namespace upskill::bench {
namespace {

constexpr std::size_t k_reads = 100'000;
constexpr std::size_t k_versions = 50; // seen at least, before it ends
constexpr std::int64_t k_limit_ns = 60'000'000'000;
// Longer than the daemon's time of quiet, so that every version is a lone rename.
constexpr auto k_pause = std::chrono::milliseconds(120);
constexpr const char* k_name = "read-me";
constexpr std::array<const char*, 4> k_files = {"SKILL.md", "one.md", "three.md", "two.md"};

// Every file of a version ends in its number.
void make_version(const std::string& folder, std::size_t number) {
  make_folders(folder);
  std::string end = "\nversion " + std::to_string(number) + "\n";
  std::string head = std::string("---\nname: ") + k_name + "\ndescription: d\n---\n";
  for (const char* file : k_files) {
    write_text(folder + "/" + file, head + std::string(2000, 'x') + end);
  }
}

std::string version_of(int folder, const char* file) {
  UniqueFd fd(::openat(folder, file, O_RDONLY | O_CLOEXEC));
  char buffer[4096];
  ssize_t got = fd ? ::read(fd.get(), buffer, sizeof buffer) : -1;
  std::string_view text(buffer, got > 0 ? static_cast<std::size_t>(got) : 0);
  std::size_t at = text.rfind("\nversion ");
  return at == std::string_view::npos ? "none" : std::string(text.substr(at));
}

struct Counts {
  std::size_t reads = 0;
  std::size_t torn = 0;
  std::size_t versions = 0;
};

Counts read_many(const std::string& path) {
  Counts counts;
  std::string last;
  std::int64_t end = now_ns() + k_limit_ns;
  for (; counts.reads < k_reads || counts.versions < k_versions; ++counts.reads) {
    require(now_ns() < end, "too few versions came");
    UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::string first = version_of(folder.get(), k_files.front());
    bool torn = first == "none";
    for (const char* file : k_files) {
      torn = torn || version_of(folder.get(), file) != first;
    }
    counts.torn += torn ? 1 : 0;
    counts.versions += first == last ? 0 : 1;
    last = std::move(first);
  }
  return counts;
}

} // namespace

void torn_reads(const Settings& settings, const Report& report) {
  Home home(settings, settings.folder);
  std::string source = home.root(0) + "/" + k_name;
  make_version(source, 0);
  home.start();
  home.enable_sync();
  std::atomic<bool> over = false;
  std::jthread writer([&] {
    // The writer swaps whole folders too: what it tears itself would not be the daemon's doing.
    std::string other = home.path() + "/next";
    for (std::size_t number = 1; !over; ++number) {
      remove_all(other);
      make_version(other, number);
      ::syscall(SYS_renameat2, AT_FDCWD, other.c_str(), AT_FDCWD, source.c_str(), RENAME_EXCHANGE);
      std::this_thread::sleep_for(k_pause);
    }
  });

  struct Ending {
    std::atomic<bool>& over;

    ~Ending() { over = true; }
  } ending{over};

  Counts counts = read_many(home.root(1) + "/" + k_name);
  report({"torn_reads.torn",
          "",
          static_cast<double>(counts.torn),
          0,
          Judged::value,
          0,
          false,
          "reads of 4 files through one folder handle that saw two versions, of 100,000 or more"});
  report({"torn_reads.versions",
          "",
          static_cast<double>(counts.versions),
          0,
          Judged::nothing,
          0,
          false,
          "versions that the reader saw"});
  home.stop();
}

} // namespace upskill::bench
