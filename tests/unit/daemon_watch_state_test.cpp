#include "daemon/watch/watch_state.h"

#include <doctest/doctest.h>

#include <sys/inotify.h>

#include <map>
#include <set>
#include <string>

using namespace upskill::watch;

namespace {

bool ignored(std::string_view name) {
  return name.starts_with(".") || name.ends_with("~");
}

// A disk of folders and the watches on them, in memory: it answers commands as the driver does.
struct Fixture {
  WatchState state{{ignored, ignored}};
  std::set<std::string> folders{"/home"};
  std::map<std::string, int> watched;
  int last_wd = 0;
  bool no_more_watches = false;

  void carry_out() {
    while (auto command = state.next_command()) {
      if (command->kind == Command::Kind::remove_watch) {
        std::erase_if(watched, [&](const auto& entry) { return entry.second == command->wd; });
      } else if (command->kind == Command::Kind::walk) {
        state.walked(command->parent, walk(command->path));
      } else {
        state.located(command->slot, locate(state.root(command->slot)));
      }
    }
  }

  int watch(const std::string& path) {
    if (!watched.contains(path)) {
      watched[path] = ++last_wd;
    }
    return watched[path];
  }

  Walk walk(const std::string& top) {
    Walk walk;
    if (!folders.contains(top)) {
      return walk;
    }
    walk.outcome = Walk::Outcome::found;
    std::map<std::string, std::uint32_t> places;
    for (const std::string& path : folders) { // parents sort before their children
      if (path != top && !path.starts_with(top + "/")) {
        continue;
      }
      std::size_t slash = path.rfind('/');
      std::string name = path.substr(slash + 1);
      walk.limit_reached = no_more_watches;
      auto parent = places.find(path.substr(0, slash));
      places[path] = static_cast<std::uint32_t>(walk.folders.size());
      walk.folders.push_back({parent == places.end() ? 0 : parent->second,
                              static_cast<std::uint32_t>(walk.names.size()),
                              static_cast<std::uint8_t>(name.size()),
                              no_more_watches ? -1 : watch(path)});
      walk.names += name;
    }
    return walk;
  }

  Location locate(const WatchRoot& root) {
    Location location;
    std::string folder = root.boundary;
    while (folder != root.path && folders.contains(folder)) {
      std::size_t end = std::min(root.path.find('/', folder.size() + 1), root.path.size());
      location.ancestors.push_back(
          {watch(folder), root.path.substr(folder.size() + 1, end - folder.size() - 1)});
      folder = root.path.substr(0, end);
    }
    if (folder == root.path && root.sign) { // as the driver answers
      location.root.outcome =
          folders.contains(folder) ? Walk::Outcome::found : Walk::Outcome::missing;
    } else if (folder == root.path) {
      location.root = walk(folder);
    }
    return location;
  }

  void start(std::vector<std::string> roots) {
    std::vector<WatchRoot> wanted;
    for (std::string& path : roots) {
      wanted.push_back({std::move(path), "/home"});
    }
    state.set_roots(wanted);
    carry_out();
    state.take_report();
  }

  Report event(const std::string& folder,
               std::uint32_t mask,
               std::string_view name = {},
               std::uint32_t cookie = 0) {
    REQUIRE(watched.contains(folder));
    state.handle({watched[folder], mask, cookie, name});
    carry_out();
    return state.take_report();
  }
};

} // namespace

TEST_SUITE("WatchState") {
  TEST_CASE_FIXTURE(Fixture, "a close below a skill names the skill") {
    folders.insert({"/home/s", "/home/s/pdf", "/home/s/pdf/scripts"});
    start({"/home/s"});
    Report report = event("/home/s/pdf/scripts", IN_CLOSE_WRITE, "run.py");
    REQUIRE(report.changes.size() == 1);
    CHECK(report.changes[0].skill == "pdf");
    CHECK(report.changes[0].kind == ChangeKind::closed);
    CHECK(report.rescans.empty());
    CHECK(event("/home/s/pdf", IN_CLOSE_WRITE, "SKILL.md~").empty());
    CHECK(event("/home/s/pdf", IN_CREATE | IN_ISDIR, ".git").empty());
    CHECK(event("/home/s", IN_CLOSE_WRITE, "README.md").empty());
  }

  TEST_CASE_FIXTURE(Fixture, "a sign is waited for, told of, and nothing below it is watched") {
    folders.insert("/home/.codex"); // some other agent's
    state.set_roots({{"/home/.agent", "/home", true}, {"/home/.codex/skills", "/home"}});
    carry_out();
    CHECK(state.take_report().empty());
    folders.insert({"/home/.agent", "/home/.agent/sessions"});
    Report report = event("/home", IN_CREATE | IN_ISDIR, ".agent");
    REQUIRE(report.rescans.size() == 1);
    CHECK(report.rescans[0].root == 0);
    CHECK(report.rescans[0].reason == RescanReason::appeared);
    CHECK_FALSE(watched.contains("/home/.agent/sessions"));
    // The same folder as a root is another thing, and is watched.
    state.set_roots({{"/home/.agent", "/home"}});
    carry_out();
    CHECK(watched.contains("/home/.agent/sessions"));
  }

  TEST_CASE_FIXTURE(Fixture, "a sign may be a file, and no watch left is no reason to poll it") {
    state.set_roots({{"/home/.agent.yml", "/home", true}});
    carry_out();
    Location location;
    location.ancestors.push_back({watch("/home"), ".agent.yml"});
    location.limit_reached = true;
    location.root.outcome = Walk::Outcome::not_a_folder;
    state.located(0, location);
    Report report = state.take_report();
    REQUIRE(report.rescans.size() == 1);
    CHECK(report.rescans[0].reason == RescanReason::replaced);
    CHECK(state.limited_roots().empty());
  }

  TEST_CASE_FIXTURE(Fixture, "orders only grow") {
    folders.insert({"/home/s", "/home/s/pdf", "/home/s/csv"});
    start({"/home/s"});
    auto first = event("/home/s/pdf", IN_CLOSE_WRITE, "a").changes.at(0).order;
    auto second = event("/home/s/csv", IN_CLOSE_WRITE, "a").changes.at(0).order;
    CHECK(first < second);
  }

  TEST_CASE_FIXTURE(Fixture, "a copied skill is watched as deep as it is when it is found") {
    folders.insert("/home/s");
    start({"/home/s"});
    folders.insert({"/home/s/pdf", "/home/s/pdf/a", "/home/s/pdf/a/b"});
    Report report = event("/home/s", IN_CREATE | IN_ISDIR, "pdf");
    REQUIRE(report.changes.size() == 1);
    CHECK(report.changes[0].kind == ChangeKind::other);
    CHECK(event("/home/s/pdf/a/b", IN_CREATE, "x").changes.at(0).skill == "pdf");
  }

  TEST_CASE_FIXTURE(Fixture,
                    "a renamed skill is dropped under its old name and found under its new") {
    folders.insert({"/home/s", "/home/s/old", "/home/s/old/a"});
    start({"/home/s"});
    folders = {"/home", "/home/s", "/home/s/new", "/home/s/new/a"};
    Report left = event("/home/s", IN_MOVED_FROM | IN_ISDIR, "old", 4);
    CHECK(left.changes.at(0).skill == "old");
    CHECK_FALSE(watched.contains("/home/s/old/a"));
    Report arrived = event("/home/s", IN_MOVED_TO | IN_ISDIR, "new", 4);
    CHECK(arrived.changes.at(0).skill == "new");
    CHECK(arrived.changes.at(0).kind == ChangeKind::arrived);
    CHECK(event("/home/s/new/a", IN_CLOSE_WRITE, "x").changes.at(0).skill == "new");
  }

  TEST_CASE_FIXTURE(Fixture, "an exchange tells of the leaving last and the skill stays watched") {
    folders.insert({"/home/s", "/home/s/pdf"});
    start({"/home/s"});
    event("/home/s", IN_MOVED_TO | IN_ISDIR, "pdf", 4);
    event("/home/s", IN_MOVED_FROM | IN_ISDIR, "pdf", 4);
    CHECK(event("/home/s/pdf", IN_CLOSE_WRITE, "x").changes.size() == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "a link to a skill comes and goes like a file") {
    folders.insert("/home/s");
    start({"/home/s"});
    CHECK(event("/home/s", IN_CREATE, "linked").changes.at(0).skill == "linked");
    CHECK(event("/home/s", IN_DELETE, "linked").changes.at(0).skill == "linked");
  }

  TEST_CASE_FIXTURE(Fixture, "a root that appears step by step is found, and said once") {
    start({"/home/.cursor/skills"});
    CHECK(event("/home", IN_CREATE | IN_ISDIR, "other").empty());
    folders.insert("/home/.cursor");
    CHECK(event("/home", IN_CREATE | IN_ISDIR, ".cursor").empty());
    folders.insert({"/home/.cursor/skills", "/home/.cursor/skills/pdf"});
    Report report = event("/home/.cursor", IN_CREATE | IN_ISDIR, "skills");
    REQUIRE(report.rescans.size() == 1);
    CHECK(report.rescans[0].reason == RescanReason::appeared);
    CHECK(event("/home/.cursor/skills/pdf", IN_CLOSE_WRITE, "x").changes.size() == 1);
    CHECK(event("/home/.cursor", IN_CREATE | IN_ISDIR, "skills").empty());
  }

  TEST_CASE_FIXTURE(Fixture, "a root whose coming nobody told of is found when roots are given") {
    start({"/home/.cursor/skills"});
    folders.insert({"/home/.cursor", "/home/.cursor/skills", "/home/.cursor/skills/pdf"});
    state.set_roots({{"/home/.cursor/skills", "/home"}});
    carry_out();
    Report report = state.take_report();
    REQUIRE(report.rescans.size() == 1);
    CHECK(report.rescans[0].reason == RescanReason::appeared);
    CHECK(event("/home/.cursor/skills/pdf", IN_CLOSE_WRITE, "x").changes.size() == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "a root deleted and made again is told of twice") {
    folders.insert({"/home/s", "/home/s/pdf"});
    start({"/home/s"});
    folders = {"/home"};
    Report gone = event("/home/s", IN_DELETE_SELF);
    REQUIRE(gone.rescans.size() == 1);
    CHECK(gone.rescans[0].reason == RescanReason::vanished);
    CHECK(watched.size() == 1);
    folders.insert({"/home/s", "/home/s/pdf"});
    Report back = event("/home", IN_CREATE | IN_ISDIR, "s");
    CHECK(back.rescans.at(0).reason == RescanReason::appeared);
    CHECK(event("/home/s/pdf", IN_CLOSE_WRITE, "x").changes.size() == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "another folder put in a root's place is a replacement") {
    folders.insert({"/home/s", "/home/s/pdf"});
    start({"/home/s"});
    Report report = event("/home", IN_MOVED_TO | IN_ISDIR, "s", 3);
    CHECK(report.rescans.at(0).reason == RescanReason::replaced);
  }

  TEST_CASE_FIXTURE(Fixture, "roots that wait in the same folder do not disturb each other") {
    start({"/home/a", "/home/b"});
    folders.insert("/home/a");
    Report report = event("/home", IN_CREATE | IN_ISDIR, "a");
    REQUIRE(report.rescans.size() == 1);
    CHECK(report.rescans[0].root == 0);
    folders.insert("/home/b");
    report = event("/home", IN_CREATE | IN_ISDIR, "b");
    REQUIRE(report.rescans.size() == 1);
    CHECK(report.rescans[0].root == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "a root that is listed twice is told of under both numbers") {
    folders.insert({"/home/s", "/home/s/pdf"});
    start({"/home/s", "/home/s"});
    Report report = event("/home/s/pdf", IN_CLOSE_WRITE, "x");
    REQUIRE(report.changes.size() == 2);
    CHECK(report.changes[0].root == 0);
    CHECK(report.changes[1].root == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "a root that is not wanted any more leaves no watch") {
    folders.insert({"/home/a", "/home/a/x", "/home/b", "/home/b/y"});
    start({"/home/a", "/home/b"});
    start({"/home/b"});
    CHECK(watched.size() == 3); // home, b, b/y
    CHECK(event("/home/b/y", IN_CLOSE_WRITE, "x").changes.at(0).root == 0);
    start({});
    CHECK(watched.empty());
    CHECK(state.size() == 0);
  }

  TEST_CASE_FIXTURE(Fixture, "after lost events everything is watched anew and to be looked at") {
    folders.insert({"/home/s", "/home/s/pdf"});
    start({"/home/s"});
    watched.clear();
    state.restart(RescanReason::overflow);
    carry_out();
    Report report = state.take_report();
    REQUIRE(report.rescans.size() == 1);
    CHECK(report.rescans[0].root == k_all_roots);
    CHECK(report.rescans[0].reason == RescanReason::overflow);
    CHECK(event("/home/s/pdf", IN_CLOSE_WRITE, "x").changes.size() == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "where watches run out the root is named for polling") {
    folders.insert("/home/s");
    start({"/home/s"});
    CHECK(state.limited_roots().empty());
    no_more_watches = true;
    folders.insert("/home/s/pdf");
    Report report = event("/home/s", IN_CREATE | IN_ISDIR, "pdf");
    REQUIRE(report.rescans.size() == 1);
    CHECK(report.rescans[0].reason == RescanReason::watch_limit);
    REQUIRE(state.limited_roots().size() == 1);
    CHECK(state.limited_roots()[0].path == "/home/s");
  }

  TEST_CASE_FIXTURE(Fixture, "an unmounted skill folder is a change, an unmounted root a loss") {
    folders.insert({"/home/s", "/home/s/pdf"});
    start({"/home/s"});
    CHECK(event("/home/s/pdf", IN_UNMOUNT).changes.at(0).skill == "pdf");
    folders = {"/home"};
    CHECK(event("/home/s", IN_UNMOUNT).rescans.at(0).reason == RescanReason::vanished);
  }

  TEST_CASE_FIXTURE(Fixture, "an event of a watch that is gone means nothing") {
    start({"/home/s"});
    state.handle({999, IN_IGNORED, 0, {}});
    state.handle({999, IN_CREATE | IN_ISDIR, 0, "x"});
    CHECK_FALSE(state.has_commands());
    CHECK(state.take_report().empty());
  }
}
