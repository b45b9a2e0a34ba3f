// A reader that holds one folder open never sees two generations of a skill, while sync swaps it
// (sync facts, section 6; decisions: one directory handle a read).
#include "protocol/base/unique_fd.h"
#include "skills/sync/engine.h"
#include "tests/sync/arguments.h"
#include "tests/sync/disk.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <ctime>

using namespace upskill;
using namespace upskill::sync_test;

namespace {

#ifdef UPSKILL_SANITIZED
constexpr int k_reads = 10'000;
#else
constexpr int k_reads = 100'000;
#endif

// Shared by the two processes.
struct Progress {
  std::atomic<int> reads = 0;
  std::atomic<int> generations = 0; // that the reader saw change
  std::atomic<bool> torn = false;
};

std::string read_at(int folder, const char* path) {
  UniqueFd file(::openat(folder, path, O_RDONLY | O_CLOEXEC));
  char buffer[256];
  ssize_t got = file ? ::read(file.get(), buffer, sizeof buffer) : 0;
  return got > 0 ? std::string(buffer, static_cast<std::size_t>(got)) : std::string();
}

void read_on(const std::string& skill, int reads, Progress& progress) {
  std::string last;
  for (int i = 0; i < reads && !progress.torn; ++i, ++progress.reads) {
    UniqueFd folder(::open(skill.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::string text = read_at(folder.get(), "SKILL.md");
    std::string script = read_at(folder.get(), "scripts/run.sh");
    std::string data = read_at(folder.get(), "data/deep/a.txt");
    // A folder that is not there, or a file that is not, is torn as well.
    progress.torn = text.empty() || text != script || text != data;
    progress.generations += text != last;
    last = text;
  }
}

void write(const std::string& skill, int generation) {
  std::string text = "generation " + std::to_string(generation) + "\n";
  for (const char* name : {"/data/deep/a.txt", "/scripts/run.sh", "/SKILL.md"}) {
    replace_file(skill + name, text);
  }
}

} // namespace

int main(int count, char** words) {
  Arguments arguments = arguments_of(count, words);
  int reads = arguments.sequences > 0 ? arguments.sequences : k_reads;
  std::string home = make_world_folder(fast_folder());
  sync::ScopeSetup setup;
  setup.enabled = true;
  setup.policy = SyncPolicy::mirror;
  for (const char* place : {".agents", ".claude"}) {
    sync::RootSetup root;
    root.path = home + "/" + place + "/skills";
    make_folders(root.path);
    sync::AgentSetup agent;
    agent.id = place;
    agent.reads = {static_cast<sync::RootIndex>(setup.roots.size())};
    agent.preferred = agent.reads.front();
    setup.roots.push_back(root);
    setup.agents.push_back(agent);
  }
  make_folders(home + "/state");
  sync::EngineOptions options;
  options.database = home + "/state/sync.db";
  options.objects = home + "/data/objects";
  options.trash = home + "/data/trash";
  options.conflicts = home + "/data/conflicts";
  sync::Filesystem files;
  std::int64_t steady_ms = 0;
  auto now = [&] {
    timespec time{};
    ::clock_gettime(CLOCK_REALTIME, &time);
    return sync::Moment{time.tv_sec * 1000 + time.tv_nsec / 1'000'000, steady_ms};
  };
  auto engine = sync::Engine::open(options, files, now());
  if (!engine || !engine->configure({setup}, now())) {
    std::printf("FAILED: the engine does not open\n");
    return 1;
  }
  auto round = [&] {
    sync::Work work;
    work.everything = true;
    work.now = now();
    return engine->run(work).has_value();
  };
  const std::string source = setup.roots[0].path + "/one";
  const std::string target = setup.roots[1].path + "/one";
  write(source, 0);
  bool good = round() && exists(target);
  void* shared =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* progress = new (shared) Progress();
  std::fflush(stdout);
  pid_t reader = ::fork();
  if (reader == 0) {
    read_on(target, reads, *progress);
    ::_exit(0);
  }
  int generation = 0;
  while (good && progress->reads < reads && !progress->torn) {
    write(source, ++generation);
    good = round();
    // Time flies: what was swapped out goes a minute later, here after some 60 generations.
    steady_ms += 1'000;
    good = good && engine->tidy(now()).has_value();
  }
  int status = 0;
  ::waitpid(reader, &status, 0);
  good = good && !progress->torn && status == 0 && progress->generations > 2;
  std::printf("%d reads over %d swaps, %d generations seen: %s\n",
              progress->reads.load(),
              generation,
              progress->generations.load(),
              good ? "none was torn" : "FAILED");
  if (good) {
    remove_all(home);
  } else {
    std::printf("its world is kept in %s\n", home.c_str());
  }
  return good ? 0 : 1;
}
