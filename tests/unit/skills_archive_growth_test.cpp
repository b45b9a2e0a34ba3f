#include "skills_archive_world.h"

#include <fstream>
#include <random>

using namespace upskill;
using namespace upskill::tests;

namespace {

void append(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::app | std::ios::binary) << bytes;
}

// A session of many turns, with tokens in some of them.
std::string long_session(const std::string& id, std::mt19937& random, int turns) {
  ClaudeSession session(id);
  for (int i = 0; i < turns; ++i) {
    std::string call = "c" + std::to_string(i);
    session.prompt("Turn " + std::to_string(i) + std::string(random() % 200, 'x'));
    session.runs(call, random() % 3 == 0 ? "login " + token() + " now" : "make");
    if (random() % 4 == 0) {
      session.fails(call, "error: no rule " + token() + ".");
    } else {
      session.gives(call, "made");
    }
    session.says("Done with it.");
  }
  return session.bytes;
}

std::string clean(std::string_view text) {
  return replaced(std::string(text), token(), k_mark);
}

} // namespace

TEST_CASE("a file that grows in any pieces is kept as if it had been read at once") {
  unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 4; ++round) {
    std::string bytes = long_session("s1", random, 12);
    ArchiveWorld world;
    std::string path = world.put("a.jsonl", "");
    std::int64_t redacted = 0;
    for (std::size_t end = 0; end < bytes.size();) {
      // Many pieces are a part of a line, some are none, and some are many lines.
      std::size_t next = std::min(bytes.size(), end + random() % (random() % 2 == 0 ? 60 : 3000));
      append(path, std::string_view(bytes).substr(end, next - end));
      end = next;
      CAPTURE(end);
      Kept kept = world.keep(path);
      std::size_t whole = std::string_view(bytes).substr(0, end).rfind('\n') + 1;
      if (whole == 0) {
        CHECK(kept.state == KeepState::skipped);
        continue;
      }
      redacted += kept.redacted;
      REQUIRE(world.text(kept.row) == clean(std::string_view(bytes).substr(0, whole)));
      ArchiveWorld other;
      store::SessionRow at_once =
          other.keep(other.put("a.jsonl", std::string_view(bytes).substr(0, whole))).row;
      REQUIRE(as_told(kept.row) == as_told(at_once));
      REQUIRE(world.lines(kept.row) == other.lines(at_once));
      CHECK(kept.row.redacted == redacted);
    }
    CHECK(world.sessions() == std::vector<std::string>{"s1"});
    CHECK_FALSE(world.is_stored(token()));
  }
}

TEST_CASE("half a line stays out, and comes once when it ends") {
  ArchiveWorld world;
  ClaudeSession session("s1");
  session.prompt("Build it");
  std::size_t line = session.bytes.size();
  session.says("Half of this comes later.");
  std::string path = world.put("a.jsonl", session.bytes.substr(0, line + 40));
  Kept first = world.keep(path);
  CHECK(first.row.counts.answers == 0);
  CHECK(world.text(first.row) == session.bytes.substr(0, line));
  // As it is when its agent is killed: whole, but for the end of the line.
  world.put("a.jsonl", std::string_view(session.bytes).substr(0, session.bytes.size() - 1));
  Kept second = world.keep(path);
  CHECK(second.state == KeepState::unchanged);
  CHECK(world.text(second.row) == session.bytes.substr(0, line));
  append(path, "\n");
  Kept third = world.keep(path);
  CHECK(third.state == KeepState::updated);
  CHECK(third.row.counts.answers == 1);
  CHECK(world.text(third.row) == session.bytes);
  CHECK(world.keep(path).state == KeepState::unchanged);
}

TEST_CASE("what was kept of a file that was cut or written anew stays, each time") {
  ArchiveWorld world;
  std::vector<std::string> versions;
  for (const char* word : {"zeppelin", "balloon", "glider"}) {
    ClaudeSession session("s1");
    session.prompt("Build the " + std::string(word));
    session.says("Building the " + std::string(word));
    versions.push_back(session.bytes);
  }
  // The first of them is cut at last.
  versions.push_back(versions[2].substr(0, versions[2].find('\n') + 1));
  std::vector<std::string> names{"s1"};
  for (std::size_t i = 0; i < versions.size(); ++i) {
    CAPTURE(i);
    if (i > 0) {
      names.push_back("s1~" + std::to_string(world.row("claude-code/s1").updated_ms));
    }
    Kept kept = world.keep(world.put("a.jsonl", versions[i]));
    CHECK(kept.row.session == "s1");
    CHECK(world.text(kept.row) == versions[i]);
    CHECK(world.sessions() == names);
    for (std::size_t old = 1; old < names.size(); ++old) {
      store::SessionRow row = world.row(store::session_key("claude-code", names[old]));
      CHECK(world.text(row) == versions[old - 1]);
      CHECK(row.source.empty());
    }
  }
  CHECK(world.found("zeppelin") == 1);
  CHECK(world.found("glider") == 2);
  // Removing one of them takes nothing from the others.
  REQUIRE(world.archive.remove(world.row("claude-code/s1"), 1));
  CHECK(world.text(world.row(store::session_key("claude-code", names[3]))) == versions[2]);
}

TEST_CASE("a file written anew that cannot be kept takes nothing from what was kept") {
  namespace fs = std::filesystem;
  ArchiveWorld world;
  std::string bytes = deploying("s1", "x").bytes;
  std::string path = world.put("a.jsonl", bytes);
  store::SessionRow kept = world.keep(path).row;
  ClaudeSession other("s1", 1000);
  other.prompt("Something else");
  world.put("a.jsonl", other.bytes);
  // There is no room for it: where it would go stands a file.
  fs::path folder = fs::path(world.archive.objects().path_of(kept.object)).parent_path();
  fs::rename(folder, folder.string() + ".away");
  std::ofstream(folder) << "full";
  CHECK_FALSE(world.try_to_keep(path));
  CHECK(world.sessions() == std::vector<std::string>{"s1"});
  fs::remove(folder);
  fs::rename(folder.string() + ".away", folder);
  CHECK(world.text(world.row("claude-code/s1")) == bytes);
  // Each has its own, whichever goes first.
  Kept anew = world.keep(path);
  std::string aside = "s1~" + std::to_string(kept.updated_ms);
  CHECK(world.sessions() == std::vector<std::string>{"s1", aside});
  REQUIRE(world.archive.remove(anew.row, ++world.now_ms));
  CHECK(world.text(world.row(store::session_key("claude-code", aside))) == bytes);
}

TEST_CASE("a file that tells of another session begins that one, and the first stays") {
  // Lines, and a document that its program writes anew.
  ArchiveWorld world;
  std::string first = deploying("s1", token()).bytes;
  ClaudeSession other = deploying("s2", token());
  other.says("This one is longer.");
  std::string second = other.bytes;
  std::string path = world.put("session.jsonl", first);
  world.keep(path);
  world.put("session.jsonl", second);
  Kept rehearsed = world.keep(path, {.is_rehearsal = true});
  CHECK(rehearsed.state == KeepState::imported);
  CHECK(rehearsed.row.session == "s2");
  Kept kept = world.keep(path);
  CHECK(kept.state == KeepState::imported);
  CHECK(world.sessions() == std::vector<std::string>{"s1", "s2"});
  CHECK(world.text(world.row("claude-code/s1")) == clean(first));
  CHECK(world.text(world.row("claude-code/s2")) == clean(second));
  CHECK(world.row("claude-code/s1").source.empty());
  // And back again: it goes on with what there is of it.
  world.put("session.jsonl", first);
  CHECK(world.keep(path).row.id == world.row("claude-code/s1").id);
  CHECK(world.sessions() == std::vector<std::string>{"s1", "s2"});
  CHECK(world.text(world.row("claude-code/s2")) == clean(second));

  std::string atif = file_text(UPSKILL_FIXTURES "/traces/atif.json");
  std::string id = "7b0e4c19-5a3d-4f86-b2d1-c94a8e6f0573";
  path = world.put("trajectory.json", atif);
  store::SessionRow before = world.keep(path).row;
  world.put("trajectory.json", replaced(atif, id, "another"));
  store::SessionRow after = world.keep(path).row;
  CHECK(after.session == "another");
  CHECK(world.lines(world.row("claude-code/" + id)) == world.lines(after));
  CHECK(world.row("claude-code/" + id).object == before.object);
}

TEST_CASE("a path that another session has now takes nothing from the one that moved away") {
  ArchiveWorld world;
  std::string first = deploying("s1", token()).bytes;
  std::string second = deploying("s2", token()).bytes;
  std::string path = world.put("log.jsonl", first);
  world.keep(path);
  std::filesystem::rename(path, world.file("log.1.jsonl"));
  CHECK(world.keep(world.file("log.1.jsonl")).row.session == "s1");
  world.put("log.jsonl", second);
  CHECK(world.keep(path).row.session == "s2");
  CHECK(world.text(world.row("claude-code/s1")) == clean(first));
  CHECK(world.text(world.row("claude-code/s2")) == clean(second));
}

TEST_CASE("a session that moved, and one that was compressed, are gone on with") {
  ArchiveWorld world;
  std::mt19937 random(1);
  std::string bytes = long_session("s1", random, 40);
  std::size_t half = bytes.find('\n', bytes.size() / 2) + 1;
  store::SessionRow first = world.keep(world.put("a.jsonl", bytes.substr(0, half))).row;
  // Moved, with more in it.
  std::filesystem::rename(world.file("a.jsonl"), world.file("b.jsonl"));
  append(world.file("b.jsonl"), "{\"type\":\"summary\"}\n");
  Kept moved = world.keep(world.file("b.jsonl"));
  CHECK(moved.state == KeepState::updated);
  CHECK(moved.row.id == first.id);
  CHECK(moved.row.source == world.file("b.jsonl"));
  CHECK(moved.row.object == first.object);
  CHECK(moved.bytes < half); // not all of it again
  std::string whole = bytes.substr(0, half) + "{\"type\":\"summary\"}\n" + bytes.substr(half);
  // Compressed, with more in it.
  std::filesystem::remove(world.file("b.jsonl"));
  Kept packed = world.keep(world.put("archived/b.jsonl.zst", compressed(whole)));
  CHECK(packed.state == KeepState::updated);
  CHECK(packed.row.id == first.id);
  CHECK(packed.row.object == first.object);
  CHECK(world.text(packed.row) == clean(whole));
  CHECK(world.sessions() == std::vector<std::string>{"s1"});
}

TEST_CASE("a shorter copy of a session is not taken for it while the whole is there") {
  ArchiveWorld world;
  std::string bytes = deploying("s1", token()).bytes;
  world.keep(world.put("a.jsonl", bytes));
  Kept copy = world.keep(world.put("copy.jsonl", bytes.substr(0, bytes.find('\n') + 1)));
  CHECK(copy.state == KeepState::skipped);
  CHECK(copy.reason.find("a.jsonl") != std::string::npos);
  CHECK(world.text(world.row("claude-code/s1")) == clean(bytes));
}

TEST_CASE("a document is read anew when it changes") {
  ArchiveWorld world;
  std::string path = world.put("atif.json", file_text(UPSKILL_FIXTURES "/traces/atif.json"));
  store::SessionRow first = world.keep(path).row;
  std::string changed =
      replaced(file_text(path), "Please fix it", "Please fix it, " + token() + ", now");
  world.put("atif.json", changed);
  Kept kept = world.keep(path);
  CHECK(kept.state == KeepState::updated);
  CHECK(kept.row.id == first.id);
  CHECK(kept.row.counts == first.counts);
  check_said(world.lines(kept.row), event_lines(trace::Format::atif, clean(changed)));
  CHECK(world.sessions().size() == 1);
  // What it was is gone.
  CHECK_FALSE(std::filesystem::exists(world.archive.objects().path_of(first.object)));
  CHECK_FALSE(world.is_stored(token()));
}

TEST_CASE("what a crash left behind the last commit comes exactly once") {
  ArchiveWorld world;
  std::string bytes = deploying("s1", token()).bytes;
  std::size_t line = bytes.find('\n') + 1;
  std::string path = world.put("a.jsonl", bytes.substr(0, line));
  store::SessionRow first = world.keep(path).row;
  append(path, bytes.substr(line));
  // Appended, and killed before the row was put.
  std::string rest = clean(bytes.substr(line));
  value_of(world.archive.objects().append(
      first.object, rest, static_cast<std::uint64_t>(first.object_size)));
  world.reopen();
  Kept kept = world.keep(path);
  CHECK(kept.state == KeepState::updated);
  CHECK(world.text(kept.row) == clean(bytes));
  CHECK(std::filesystem::file_size(world.archive.objects().path_of(kept.row.object))
        == static_cast<std::uint64_t>(kept.row.object_size));
}

TEST_CASE("an object that lost its end is written anew from its file") {
  ArchiveWorld world;
  std::string bytes = deploying("s1", token()).bytes;
  std::size_t line = bytes.find('\n') + 1;
  std::string path = world.put("a.jsonl", bytes.substr(0, line));
  store::SessionRow first = world.keep(path).row;
  std::filesystem::resize_file(world.archive.objects().path_of(first.object), 10);
  append(path, bytes.substr(line));
  Kept kept = world.keep(path);
  CHECK(kept.state == KeepState::updated);
  CHECK(kept.row.id == first.id);
  CHECK(world.text(kept.row) == clean(bytes));
  CHECK(kept.row.counts.prompts == 1);
}

TEST_CASE("an object that has gone is written anew from its file") {
  ArchiveWorld world;
  std::string bytes = deploying("s1", token()).bytes;
  std::size_t line = bytes.find('\n') + 1;
  std::string path = world.put("a.jsonl", bytes.substr(0, line));
  for (bool grows : {true, false}) {
    CAPTURE(grows);
    std::filesystem::remove(world.archive.objects().path_of(world.keep(path).row.object));
    if (grows) {
      append(path, bytes.substr(line));
    }
    Kept kept = world.keep(path);
    CHECK(kept.state == KeepState::updated);
    CHECK(world.text(kept.row) == clean(bytes));
    CHECK(world.sessions() == std::vector<std::string>{"s1"});
  }
}

TEST_CASE("a document that was cut leaves what was kept of it") {
  ArchiveWorld world;
  std::string whole = file_text(UPSKILL_FIXTURES "/traces/atif.json");
  std::string path = world.put("atif.json", whole);
  store::SessionRow first = world.keep(path).row;
  world.put("atif.json", whole.substr(0, whole.size() / 2));
  world.keep(path);
  std::string aside = first.session + "~" + std::to_string(first.updated_ms);
  CHECK(world.row(store::session_key(first.harness, aside)).counts == first.counts);
  // And is whole again.
  world.put("atif.json", whole);
  CHECK(world.keep(path).row.counts == first.counts);
}

TEST_CASE("a session of which there is only half a line can be read, and goes on") {
  ArchiveWorld world;
  std::string cursor = file_text(UPSKILL_FIXTURES "/traces/cursor.jsonl");
  std::string path = world.put("a.jsonl", cursor.substr(0, cursor.find('\n')));
  KeepOptions named{.is_named = true};
  Kept begun = world.keep(path, named);
  REQUIRE(begun.state == KeepState::imported);
  CHECK(begun.row.object_size == 0);
  CHECK(world.lines(begun.row).empty());
  world.put("a.jsonl", cursor);
  CHECK(world.text(world.keep(path, named).row) == cursor);
}

TEST_CASE("a session of which nearly all is escaped goes on, too") {
  ArchiveWorld world;
  ClaudeSession session("s1");
  std::string quotes(4000, '"');
  std::string control(4000, '\x01');
  for (int i = 0; i < 60; ++i) {
    session.prompt(std::to_string(i) + quotes + control);
    session.says(std::to_string(i) + control + quotes);
  }
  std::string path = world.put("a.jsonl", session.bytes);
  world.keep(path);
  session.prompt("and one more");
  world.put("a.jsonl", session.bytes);
  CHECK(world.keep(path).state == KeepState::updated);
  CHECK(world.row("claude-code/s1").counts.prompts == 61);
}
