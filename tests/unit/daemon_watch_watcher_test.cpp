#include "daemon/watch/watcher.h"
#include "protocol/base/bounds.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <sstream>

using namespace upskill;
using namespace upskill::watch;
namespace fs = std::filesystem;

namespace {

bool ignored(std::string_view name) {
  return name == ".git" || name.ends_with("~");
}

void write(const fs::path& path, std::string_view text, bool append = false) {
  std::ofstream(path, append ? std::ios::app : std::ios::trunc) << text;
}

// What a skill holds: a line for each entry, with content and exec bit.
std::string content(const fs::path& skill) {
  std::set<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(skill)) {
    std::ostringstream line;
    line << fs::relative(entry.path(), skill).string() << ' ' << entry.is_directory();
    if (entry.is_regular_file()) {
      bool exec = (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
      line << ' ' << exec << ' ' << std::ifstream(entry.path()).rdbuf();
    }
    lines.insert(line.str());
  }
  std::string all;
  for (const std::string& line : lines) {
    all += line + "\n";
  }
  return all;
}

using Skills = std::map<std::pair<std::uint32_t, std::string>, std::string>;

struct Fixture {
  tests::TemporaryFolder folder;
  asio::io_context io;
  runtime::Pool pool{2};
  fs::path home = fs::path(folder.path()) / "home";
  std::vector<WatchRoot> roots;
  std::unique_ptr<Watcher> watcher;
  std::vector<Change> changes;
  std::vector<Rescan> rescans;

  Fixture() { fs::create_directories(home); }

  void open(WatchMode mode, std::vector<std::string> names) {
    for (const std::string& name : names) {
      roots.push_back({home / name, home});
    }
    WatcherOptions options;
    options.ignored = {ignored, ignored};
    options.mode = mode;
    options.poll_interval = std::chrono::hours(1);
    options.synchronise_limit = std::chrono::seconds(60); // a sanitizer's machine may be slow
    auto opened = Watcher::open(io.get_executor(), pool, options, [this](Report report) {
      changes.insert(changes.end(), report.changes.begin(), report.changes.end());
      rescans.insert(rescans.end(), report.rescans.begin(), report.rescans.end());
    });
    watcher = std::move(opened);
  }

  asio::awaitable<void> stop_after(asio::awaitable<void> body) {
    std::exception_ptr failure;
    try {
      co_await std::move(body);
    } catch (...) {
      failure = std::current_exception();
    }
    co_await watcher->stop();
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  void run(asio::awaitable<void> body) { tests::run_coroutine(io, stop_after(std::move(body))); }

  asio::awaitable<void> start() {
    Result<void> watched = co_await watcher->watch(roots);
    REQUIRE(watched);
    co_await synchronise();
  }

  asio::awaitable<void> synchronise() {
    changes.clear();
    rescans.clear();
    Result<void> done = co_await watcher->synchronise();
    REQUIRE(done);
  }

  bool said(std::uint32_t root, std::string_view skill) const {
    return std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
      return change.root == root && change.skill == skill;
    });
  }

  bool said(std::uint32_t root, RescanReason reason) const {
    return std::any_of(rescans.begin(), rescans.end(), [&](const Rescan& rescan) {
      return rescan.root == root && rescan.reason == reason;
    });
  }

  bool covered(std::uint32_t root, std::string_view skill) const {
    return said(root, skill)
           || std::any_of(rescans.begin(), rescans.end(), [&](const Rescan& rescan) {
                return rescan.root == root || rescan.root == k_all_roots;
              });
  }

  Skills look() const {
    Skills skills;
    for (std::uint32_t root = 0; root < roots.size(); ++root) {
      if (fs::is_directory(roots[root].path)) {
        for (const auto& entry : fs::directory_iterator(roots[root].path)) {
          if (entry.is_directory()) {
            skills[{root, entry.path().filename()}] = content(entry.path());
          }
        }
      }
    }
    return skills;
  }
};

asio::awaitable<void> reports_what_changes(Fixture* f) {
  fs::path root = f->home / "skills";
  fs::create_directories(root / "pdf/scripts");
  co_await f->start();
  CHECK(f->changes.empty());
  CHECK(f->watcher->counters().folders >= 3);

  write(root / "pdf/scripts/run.py", "print(1)");
  co_await f->synchronise();
  CHECK(f->said(0, "pdf"));

  fs::create_directories(root / "csv/a/b");
  write(root / "csv/a/b/deep", "x");
  co_await f->synchronise();
  CHECK(f->said(0, "csv"));
  write(root / "csv/a/b/deep", "y");
  co_await f->synchronise();
  CHECK(f->said(0, "csv"));
  CHECK_FALSE(f->said(0, "pdf"));

  fs::remove_all(root);
  co_await f->synchronise();
  CHECK(f->said(0, RescanReason::vanished));
  fs::create_directories(root / "new");
  co_await f->synchronise();
  CHECK(f->said(0, RescanReason::appeared));
  write(root / "new/SKILL.md", "z");
  co_await f->synchronise();
  CHECK(f->said(0, "new"));
}

asio::awaitable<void> tells_of_new_numbers(Fixture* f) {
  fs::create_directories(f->home / "second/pdf");
  co_await f->start();
  write(f->home / "second/pdf/a", "x");
  Result<void> seen = co_await f->watcher->synchronise();
  REQUIRE(seen);
  std::size_t before = 0;
  std::function<void()> taken_on = [f, &before] { before = f->changes.size(); };
  std::vector<WatchRoot> second = {f->roots[1]};
  write(f->home / "second/pdf/b", "x");
  Result<void> watched = co_await f->watcher->watch(second, taken_on);
  REQUIRE(watched);
  Result<void> done = co_await f->watcher->synchronise();
  REQUIRE(done);
  REQUIRE(before > 0);
  REQUIRE(f->changes.size() > before);
  for (std::size_t i = 0; i < f->changes.size(); ++i) {
    CHECK(f->changes[i].root == (i < before ? 1 : 0));
  }
}

asio::awaitable<void> survives_overflow(Fixture* f) {
  fs::path root = f->home / "skills";
  fs::create_directories(root / "pdf");
  co_await f->start();
  int queue = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> queue;
  // Two names in turn, because the kernel folds equal events that follow each other.
  for (int i = 0; i < queue + 10; i += 2) {
    write(root / "pdf/a", "x");
    write(root / "pdf/b", "x");
  }
  fs::create_directories(root / "late/sub");
  co_await f->synchronise();
  CHECK(f->said(k_all_roots, RescanReason::overflow));
  CHECK(f->watcher->counters().overflows >= 1);
  write(root / "late/sub/x", "x");
  co_await f->synchronise();
  CHECK(f->said(0, "late"));
  CHECK(f->rescans.empty());
}

asio::awaitable<void> rests_when_idle(Fixture* f) {
  fs::create_directories(f->home / "skills/pdf");
  co_await f->start();
  std::uint64_t before = f->watcher->counters().wake_ups;
  // Reads and writes beside what is watched, and ignored names' neighbours.
  (void)content(f->home / "skills/pdf");
  write(f->home / "unrelated", "x");
  fs::create_directories(f->home / "other");
  write(f->home / "other/file", "x");
  co_await f->synchronise();
  CHECK(f->watcher->counters().wake_ups == before + 1); // the mark's own
  CHECK(f->changes.empty());
}

asio::awaitable<void> polls(Fixture* f) {
  fs::path root = f->home / "skills";
  fs::create_directories(root / "pdf");
  write(root / "pdf/SKILL.md", "1");
  co_await f->start();
  CHECK(f->watcher->polling());
  co_await f->synchronise();
  CHECK(f->changes.empty());
  write(root / "pdf/SKILL.md", "12");
  fs::create_directories(root / "csv");
  co_await f->synchronise();
  CHECK(f->said(0, "pdf"));
  CHECK(f->said(0, "csv"));
  CHECK(f->changes.size() == 2);
  fs::rename(root, f->home / "away");
  co_await f->synchronise();
  CHECK(f->said(0, RescanReason::vanished));
}

asio::awaitable<void> polls_what_is_too_big(Fixture* f) {
  fs::path root = f->home / "skills";
  fs::create_directories(root / "pdf");
  co_await f->start();
  fs::create_directories(f->home / "big");
  for (std::size_t i = 0; i <= k_max_skill_entries; ++i) {
    fs::create_directory(f->home / "big" / std::to_string(i));
  }
  fs::rename(f->home / "big", root / "big");
  co_await f->synchronise();
  CHECK(f->said(0, RescanReason::watch_limit));
  REQUIRE(f->watcher->warnings().size() == 1);
  CHECK(f->watcher->warnings()[0].hint.find("fs.inotify.max_user_watches") != std::string::npos);
  CHECK_FALSE(f->watcher->polling());
  write(root / "pdf/SKILL.md", "x");
  co_await f->synchronise();
  auto said = std::count_if(f->changes.begin(), f->changes.end(), [](const Change& change) {
    return change.skill == "pdf" && change.kind == ChangeKind::other;
  });
  CHECK(said == 1); // by the look; the events told it as `created` and `closed`
  CHECK(f->changes.size() == 3);
}

// What happens meanwhile is told when the rest is over, and whoever synchronises ends it.
asio::awaitable<void> rests(Fixture* f) {
  fs::path root = f->home / "skills";
  fs::create_directories(root / "pdf");
  co_await f->start();
  {
    Watcher::Rest first(f->watcher.get());
    {
      Watcher::Rest second(f->watcher.get());
      fs::create_directories(root / "csv/sub");
      write(root / "csv/sub/x", "x");
    }
    const std::uint64_t events = f->watcher->counters().events;
    for (int turn = 0; turn < 20; ++turn) {
      co_await asio::post(f->io, asio::use_awaitable);
    }
    CHECK(f->watcher->counters().events == events); // they stay with the kernel
    CHECK(f->changes.empty());
    co_await f->synchronise();
    CHECK(f->said(0, "csv"));
    write(root / "csv/sub/x", "xy");
    // Without anybody who synchronises, it comes to an end by itself.
    f->changes.clear();
    while (!f->said(0, "csv")) {
      co_await asio::post(f->io, asio::use_awaitable);
    }
    write(root / "pdf/x", "x");
    f->changes.clear();
  }
  while (!f->said(0, "pdf")) {
    co_await asio::post(f->io, asio::use_awaitable);
  }
  co_await f->synchronise();
  CHECK(f->changes.empty());
}

// More folders than are walked before others have their turn.
asio::awaitable<void> lets_others_in(Fixture* f) {
  fs::path root = f->home / "skills";
  fs::create_directories(root);
  co_await f->start();
  for (int i = 0; i < 500; ++i) {
    fs::create_directories(f->home / "made" / std::to_string(i) / "sub");
  }
  Watcher::Rest rest(f->watcher.get());
  for (int i = 0; i < 500; ++i) {
    fs::rename(f->home / "made" / std::to_string(i), root / std::to_string(i));
  }
  std::size_t turns = 0;
  bool is_done = false;
  runtime::TaskGroup group(f->io.get_executor(), [](std::exception_ptr) { FAIL("no exception"); });
  auto count = [f, &turns, &is_done]() -> asio::awaitable<void> {
    while (!is_done) {
      ++turns;
      co_await asio::post(f->io, asio::use_awaitable);
    }
  };
  std::uint64_t before = f->watcher->counters().wake_ups;
  group.start(count());
  Result<void> came = co_await f->watcher->synchronise();
  is_done = true;
  auto joined = group.join();
  co_await std::move(joined);
  REQUIRE(came);
  CHECK(f->watcher->counters().wake_ups == before + 1);
  CHECK(turns >= 500 / 64);
  for (int i = 0; i < 500; ++i) {
    CHECK(f->said(0, std::to_string(i)));
  }
  write(root / "499/sub/x", "x");
  co_await f->synchronise();
  CHECK(f->said(0, "499"));
}

// Each has its turn among the events, whoever else waits for one.
asio::awaitable<void> synchronises_many(Fixture* f) {
  fs::create_directories(f->home / "skills/pdf");
  co_await f->start();
  int done = 0;
  runtime::TaskGroup group(f->io.get_executor(), [](std::exception_ptr) { FAIL("no exception"); });
  auto one = [f, &done]() -> asio::awaitable<void> {
    for (int i = 0; i < 50; ++i) {
      std::string skill = "s" + std::to_string(done++);
      fs::create_directories(f->home / "skills" / skill);
      Result<void> came = co_await f->watcher->synchronise();
      CHECK(came);
      CHECK(f->said(0, skill));
    }
  };
  for (int i = 0; i < 8; ++i) {
    group.start(one());
  }
  auto joined = group.join();
  co_await std::move(joined);
  CHECK(done == 400);
}

asio::awaitable<void> resolves_links(Fixture* f) {
  fs::create_directories(f->home / "dotfiles/skills/pdf");
  fs::create_directory_symlink(f->home / "dotfiles", f->home / ".claude");
  co_await f->start();
  write(f->home / "dotfiles/skills/pdf/x", "x");
  co_await f->synchronise();
  CHECK(f->said(0, "pdf"));
  // A link put in the place of a missing root is for the caller to resolve.
  fs::create_directory_symlink(f->home / "dotfiles/skills", f->home / "later");
  co_await f->synchronise();
  CHECK(f->said(1, RescanReason::replaced));
}

// The boundary is the project that `skills` is in, so all of them are above or at it.
asio::awaitable<void> waits_for_what_holds_a_root(Fixture* f) {
  fs::path project = f->home / "code/project";
  fs::create_directories(project / ".claude/skills/pdf");
  f->roots = {{project / ".claude/skills", project}};
  co_await f->start();
  for (const fs::path& folder : {project, f->home / "code", f->home}) {
    fs::path away = folder.string() + ".away";
    CAPTURE(folder.string());
    fs::rename(folder, away);
    co_await f->synchronise();
    CHECK(f->said(0, RescanReason::vanished));
    fs::rename(away, folder);
    co_await f->synchronise();
    CHECK(f->said(0, RescanReason::appeared));
    write(project / ".claude/skills/pdf/SKILL.md", folder.string());
    co_await f->synchronise();
    CHECK(f->said(0, "pdf"));
    fs::remove_all(folder);
    co_await f->synchronise();
    CHECK(f->said(0, RescanReason::vanished));
    fs::create_directories(project / ".claude/skills/pdf");
    co_await f->synchronise();
    CHECK(f->said(0, RescanReason::appeared));
    write(project / ".claude/skills/pdf/SKILL.md", folder.string());
    co_await f->synchronise();
    CHECK(f->said(0, "pdf"));
  }
}

asio::awaitable<void> sleeps_beside_what_is_above(Fixture* f) {
  fs::create_directories(f->home / "skills/pdf");
  co_await f->start();
  std::uint64_t before = f->watcher->counters().wake_ups;
  write(fs::path(f->folder.path()) / "file", "x");
  fs::remove(fs::path(f->folder.path()) / "file");
  co_await f->synchronise();
  CHECK(f->watcher->counters().wake_ups == before + 1); // the mark's own
}

class Operations {
public:
  Operations(Fixture* fixture, unsigned seed)
      : m_fixture(fixture)
      , m_random(seed) {}

  void one() {
    fs::path root = m_fixture->roots[pick(m_fixture->roots.size())].path;
    fs::path skill = root / name();
    fs::path inside = skill / (pick(2) == 0 ? "" : name());
    std::error_code failure; // an operation that cannot be done now is none
    switch (pick(14)) {
    case 0:
    case 1:
    case 2:
      fs::create_directories(inside, failure);
      write(inside / "SKILL.md", std::to_string(m_random()));
      break;
    case 3:
      write(inside / "SKILL.md", "more", true);
      break;
    case 4:
      write(inside / "tmp~", std::to_string(m_random()));
      fs::rename(inside / "tmp~", inside / "SKILL.md", failure);
      break;
    case 5:
      fs::permissions(inside / "SKILL.md", fs::perms::owner_exec, fs::perm_options::add, failure);
      break;
    case 6:
      fs::remove_all(inside, failure);
      break;
    case 7:
      fs::rename(inside, skill / name(), failure);
      break;
    case 8:
      fs::rename(skill, root / name(), failure);
      break;
    case 9:
      fs::rename(skill, fs::path(m_fixture->roots[0].path) / name(), failure);
      break;
    case 10:
      fs::copy(skill, root / name(), fs::copy_options::recursive, failure);
      break;
    case 11:
      ::renameat2(AT_FDCWD,
                  skill.c_str(),
                  AT_FDCWD,
                  (m_fixture->roots[1].path + "/" + name()).c_str(),
                  RENAME_EXCHANGE);
      break;
    case 12:
      fs::create_directories(inside / name() / name(), failure);
      break;
    default:
      whole_roots();
    }
  }

private:
  void whole_roots() {
    std::error_code failure;
    fs::path parent = fs::path(m_fixture->roots[1].path).parent_path();
    switch (pick(12)) {
    case 0:
      fs::remove_all(m_fixture->roots[pick(2)].path, failure);
      break;
    case 1:
      fs::rename(parent, parent.string() + "-away", failure);
      break;
    case 2:
      fs::rename(parent.string() + "-away", parent, failure);
      break;
    default:
      break;
    }
  }

  std::size_t pick(std::size_t count) { return m_random() % count; }

  std::string name() { return std::string(1, static_cast<char>('a' + pick(6))); }

  Fixture* m_fixture;
  std::mt19937 m_random;
};

asio::awaitable<void> compare_with_the_disk(Fixture* f, unsigned seed, int rounds) {
  co_await f->start();
  Operations operations(f, seed);
  std::mt19937 random(seed);
  Skills before = f->look();
  for (int round = 0; round < rounds; ++round) {
    f->changes.clear();
    f->rescans.clear();
    for (std::size_t left = 1 + random() % 6; left > 0; --left) {
      operations.one();
      if (random() % 3 == 0) { // lets the watcher see some of them apart
        co_await asio::post(asio::use_awaitable);
      }
    }
    Result<void> done = co_await f->watcher->synchronise();
    REQUIRE(done);
    Skills now = f->look();
    std::set<std::pair<std::uint32_t, std::string>> keys;
    for (const auto& [key, text] : before) {
      keys.insert(key);
    }
    for (const auto& [key, text] : now) {
      keys.insert(key);
    }
    for (const auto& key : keys) {
      auto old = before.find(key);
      auto fresh = now.find(key);
      bool same = old != before.end() && fresh != now.end() && old->second == fresh->second;
      CAPTURE(seed);
      CAPTURE(round);
      CAPTURE(key.first);
      CAPTURE(key.second);
      REQUIRE((same || f->covered(key.first, key.second)));
    }
    before = std::move(now);
  }
}

asio::awaitable<void> tells_of_signs(Fixture* f) {
  f->roots.push_back({f->home / ".agent", f->home, true});
  co_await f->start();
  fs::create_directories(f->home / ".agent/sessions");
  co_await f->synchronise();
  CHECK(f->said(1, RescanReason::appeared));
  write(f->home / ".agent/sessions/log", "much");
  fs::create_directories(f->home / ".agent/more");
  co_await f->synchronise();
  CHECK(f->changes.empty());
  CHECK(f->rescans.empty());
}

} // namespace

TEST_SUITE("Watcher") {
  TEST_CASE_FIXTURE(Fixture, "it reports what changes, wherever and however deep") {
    open(WatchMode::automatic, {"skills"});
    CHECK_FALSE(watcher->polling());
    run(reports_what_changes(this));
    CHECK(watcher->warnings().empty());
  }

  TEST_CASE_FIXTURE(Fixture, "who watches is told when the numbers are those of the new list") {
    open(WatchMode::automatic, {"first", "second"});
    run(tells_of_new_numbers(this));
  }

  TEST_CASE_FIXTURE(Fixture, "lost events lead to a rescan and to watching anew") {
    open(WatchMode::automatic, {"skills"});
    run(survives_overflow(this));
  }

  TEST_CASE_FIXTURE(Fixture, "what is not a skill's business wakes nobody") {
    open(WatchMode::automatic, {"skills"});
    run(rests_when_idle(this));
  }

  TEST_CASE_FIXTURE(Fixture, "what happens during a rest is told behind it") {
    open(WatchMode::automatic, {"skills"});
    run(rests(this));
  }

  TEST_CASE_FIXTURE(Fixture, "while many folders are walked, others have their turn") {
    open(WatchMode::automatic, {"skills"});
    run(lets_others_in(this));
  }

  TEST_CASE_FIXTURE(Fixture, "a sign is told of, and what lies below it is nobody's business") {
    open(WatchMode::automatic, {"skills"});
    run(tells_of_signs(this));
  }

  TEST_CASE_FIXTURE(Fixture, "polling tells the same") {
    open(WatchMode::polling, {"skills"});
    run(polls(this));
  }

  TEST_CASE_FIXTURE(Fixture, "a root with too many folders is polled besides, and it says so") {
    open(WatchMode::automatic, {"skills"});
    run(polls_what_is_too_big(this));
  }

  TEST_CASE_FIXTURE(Fixture, "many may wait for the end of the queue at a time") {
    open(WatchMode::automatic, {"skills"});
    run(synchronises_many(this));
  }

  TEST_CASE_FIXTURE(Fixture, "links on the way to a root are resolved") {
    open(WatchMode::automatic, {".claude/skills", "later"});
    run(resolves_links(this));
  }

  TEST_CASE_FIXTURE(Fixture, "whatever holds a root may go and come back") {
    open(WatchMode::automatic, {});
    run(waits_for_what_holds_a_root(this));
  }

  TEST_CASE_FIXTURE(Fixture, "what happens beside a boundary wakes nobody") {
    open(WatchMode::automatic, {"skills"});
    run(sleeps_beside_what_is_above(this));
  }

  TEST_CASE("whatever is done to the folders, what changed was reported") {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      Fixture fixture;
      fixture.open(WatchMode::automatic, {"one", ".agent/two"});
      fixture.run(compare_with_the_disk(&fixture, seed, 150));
    }
  }
}
