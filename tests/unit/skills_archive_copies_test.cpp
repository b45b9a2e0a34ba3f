#include "skills_archive_world.h"

using namespace upskill;
using namespace upskill::tests;

namespace {

std::string step(int number, std::string_view words) {
  return R"({"step_id":)" + std::to_string(number) + R"(,"source":"user","message":)"
         + ClaudeSession::quoted(words) + "}";
}

// A trajectory of one of Claude's sessions, as an export has it; its id comes last, behind steps of
// that many bytes.
std::string atif(const std::string& session,
                 std::string_view words,
                 std::string_view helper = "",
                 std::size_t size = 0) {
  std::string text = R"({"schema_version":"ATIF-v1.7","steps":[)" + step(1, words);
  for (int i = 2; text.size() < size; ++i) {
    text += "," + step(i, std::string(900, 'x'));
  }
  text += R"(],"agent":{"name":"claude-code","version":"2"},"session_id":")" + session + "\"";
  text += helper.empty() ? "" : R"(,"trajectory_id":")" + std::string(helper) + "\"";
  return text + "}\n";
}

std::string sts(const std::string& session, std::string_view words, std::string_view helper = "") {
  std::string head = R"({"type":"session","harness":"claude-code","id":")" + session + "\"";
  head += helper.empty() ? "" : R"(,"agentId":")" + std::string(helper) + "\"";
  return head + "}\n" + R"({"type":"message","message":{"role":"user","content":)"
         + ClaudeSession::quoted(words) + "}}\n";
}

void check_left(ArchiveWorld& world, const store::SessionRow& before, const std::string& text) {
  CHECK(world.row("claude-code/s1") == before);
  CHECK(world.text(before) == text);
}

std::string codex(int turns) {
  std::string line = file_text(UPSKILL_FIXTURES "/traces/codex.jsonl");
  for (int i = 0; i < turns; ++i) {
    line += R"({"timestamp":"2026-03-03T10:00:00Z","type":"event_msg","payload":)"
            R"({"type":"user_message","message":"Once more"}})"
            "\n";
  }
  return line;
}

} // namespace

TEST_CASE("an export never takes the place of what an agent wrote, however long it is") {
  for (bool is_swept : {false, true}) {
    CAPTURE(is_swept);
    ArchiveWorld world;
    std::string bytes = deploying("s1", "abc").bytes;
    std::string own = world.put("s1.jsonl", bytes);
    store::SessionRow before = world.keep(own).row;
    if (is_swept) {
      std::filesystem::remove(own);
    }
    std::string longer(2 * bytes.size(), 'y');
    std::string exports[] = {world.put("short.atif", atif("s1", "Deploy it")),
                             world.put("long.atif", atif("s1", longer)),
                             world.put("large.atif", atif("s1", "Deploy it", "", 200'000)),
                             world.put("long.sts", sts("s1", longer))};
    for (const std::string& path : exports) {
      CAPTURE(path);
      for (bool is_forced : {false, true}) {
        Kept kept = world.keep(path, {.is_named = true, .is_forced = is_forced});
        CHECK(kept.state == KeepState::skipped);
        CHECK(kept.reason == "the same session is kept as its agent wrote it, from `" + own + "`");
        check_left(world, before, bytes);
      }
    }
    CHECK(world.sessions() == std::vector<std::string>{"s1"});
    if (!is_swept) {
      CHECK(world.keep(own).state == KeepState::unchanged);
    }
  }
}

TEST_CASE("an export of a helper is that helper's, and its session stays") {
  for (const std::string& text : {atif("s1", "Look there", "h1"), sts("s1", "Look there", "h1")}) {
    ArchiveWorld world;
    std::string bytes = deploying("s1", "abc").bytes;
    std::string own = world.put("s1.jsonl", bytes);
    store::SessionRow before = world.keep(own).row;
    std::filesystem::remove(own);
    Kept kept = world.keep(world.put("h1.export", text));
    CHECK(kept.state == KeepState::imported);
    CHECK(kept.row.session == "s1");
    CHECK(kept.row.agent == "h1");
    CHECK(kept.row.counts.prompts == 1);
    check_left(world, before, bytes);
  }
}

TEST_CASE("helpers that are told within an export do not make it theirs") {
  ArchiveWorld world;
  std::string text = atif("s1", "Build it");
  text.insert(text.rfind('}'), R"(,"subagent_trajectories":[)" + atif("s1", "Look", "h1") + "]");
  Kept kept = world.keep(world.put("s1.atif", text));
  CHECK(kept.row.session == "s1");
  CHECK(kept.row.agent.empty());
}

TEST_CASE("the agent's own file takes the place of an export, which stays beside it") {
  for (const std::string& text : {atif("s1", std::string(9000, 'y')),
                                  atif("s1", "Deploy it", "", 200'000),
                                  sts("s1", std::string(9000, 'y'))}) {
    ArchiveWorld world;
    store::SessionRow exported = world.keep(world.put("s1.export", text)).row;
    std::string bytes = deploying("s1", "abc").bytes;
    std::string own = world.put("s1.jsonl", bytes);
    Kept kept = world.keep(own);
    CHECK(kept.state == KeepState::updated);
    CHECK(kept.row.source == own);
    check_left(world, world.row("claude-code/s1"), bytes);
    std::string aside = "s1~" + std::to_string(exported.updated_ms);
    CHECK(world.sessions() == std::vector<std::string>{"s1", aside});
    CHECK(world.lines(world.row(store::session_key("claude-code", aside))).size() >= 2);
    // And both files are known from then on.
    CHECK(world.keep(own).state == KeepState::unchanged);
    CHECK(world.keep(world.file("s1.export")).state == KeepState::skipped);
    CHECK(world.sessions().size() == 2);
  }
}

TEST_CASE("what a file holds counts, and not how small it was compressed") {
  ArchiveWorld world;
  std::string bytes = codex(200);
  std::string packed = world.put("r.jsonl.zst", compressed(bytes));
  store::SessionRow row = world.keep(packed).row;
  std::string text = world.text(row);
  // Larger than the file, and shorter than what is in it.
  std::string part = codex(100);
  REQUIRE(part.size() > std::filesystem::file_size(packed));
  Kept copy = world.keep(world.put("copy.jsonl", part));
  CHECK(copy.state == KeepState::skipped);
  CHECK(world.text(world.row(store::session_key("codex", row.session))) == text);
  CHECK(world.keep(packed).state == KeepState::unchanged);
}

TEST_CASE("of a file and its compressed copy the plain one is kept, whichever came first") {
  for (bool is_plain_first : {false, true}) {
    CAPTURE(is_plain_first);
    ArchiveWorld world;
    std::string plain = world.put("r.jsonl", codex(3));
    std::string packed = world.put("r.jsonl.zst", compressed(codex(3)));
    world.keep(is_plain_first ? plain : packed);
    for (int i = 0; i < 2; ++i) {
      CHECK(world.keep(packed).row.source == (is_plain_first || i > 0 ? plain : packed));
      CHECK(world.keep(plain).row.source == plain);
    }
    CHECK(world.keep(plain).state == KeepState::unchanged);
    CHECK(world.sessions().size() == 1);
  }
}

TEST_CASE("two files of one session that both go on are two sessions") {
  ArchiveWorld world;
  ClaudeSession one("s1");
  one.prompt("Build it");
  ClaudeSession two("s1");
  two.bytes = one.bytes;
  for (int i = 0; i < 4; ++i) {
    CAPTURE(i);
    one.says("One " + std::string(static_cast<std::size_t>(i) * 100, 'x'));
    CHECK(world.text(world.keep(world.put("one/s1.jsonl", one.bytes)).row) == one.bytes);
    two.says("Two " + std::string(static_cast<std::size_t>(i) * 100 + 50, 'x'));
    CHECK(world.text(world.keep(world.put("two/s1.jsonl", two.bytes)).row) == two.bytes);
    CHECK(world.sessions().size() == 2);
  }
  CHECK(world.sessions().front() == "s1");
  CHECK(world.sessions().back().starts_with("s1~"));
}

TEST_CASE("a shorter document of a session whose file has gone is kept beside what there is") {
  ArchiveWorld world;
  std::string whole = world.put("one/s1.atif", atif("s1", "Deploy it", "", 5000));
  store::SessionRow first = world.keep(whole).row;
  std::filesystem::remove(whole);
  CHECK(world.keep(world.put("two/s1.atif", atif("s1", "Deploy it"))).row.session == "s1");
  std::string aside = "s1~" + std::to_string(first.updated_ms);
  CHECK(world.sessions() == std::vector<std::string>{"s1", aside});
  CHECK(world.row(store::session_key("claude-code", aside)).counts == first.counts);
}

TEST_CASE("a large document that tells of another session now leaves the first as it was") {
  ArchiveWorld world;
  std::string path = world.put("run.atif", atif("s1", "Deploy it", "", 200'000));
  store::SessionRow first = world.keep(path).row;
  std::vector<std::string> lines = world.lines(first);
  world.put("run.atif", atif("s2", "Paint it", "", 150'000));
  CHECK(world.keep(path).row.session == "s2");
  CHECK(world.sessions() == std::vector<std::string>{"s1", "s2"});
  CHECK(world.lines(world.row("claude-code/s1")) == lines);
}
