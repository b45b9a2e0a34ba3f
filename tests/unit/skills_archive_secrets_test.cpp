#include "skills_archive_world.h"

#include <fstream>

using namespace upskill;
using namespace upskill::tests;

namespace {

// The rules with a person's own, by which "zeppelin" is a secret.
redact::RuleSet with_zeppelin() {
  return value_of(built_in_rules().with(
      R"({"format":1,"rules":[{"id":"airship","regex":"zeppelin","keywords":["zeppelin"],)"
      R"("confidence":"definite"}]})",
      "mine.json"));
}

// A registry's password, which may be one: it stands, and is flagged.
std::string candidate() {
  return "{\"auth\": \"" + Plants(7).letters('W', 32) + "\"}";
}

archive::Repaired repair(ArchiveWorld& world) {
  return value_of(world.archive.repair(0, 100, ++world.now_ms, {}));
}

} // namespace

TEST_CASE("a secret over two records is taken out of both") {
  std::string secret = token();
  std::string begin = secret.substr(0, 20);
  std::string end = secret.substr(20);
  ArchiveWorld world;
  ClaudeSession session("s1");
  session.prompt("Deploy it");
  session.says("The token is " + begin);
  session.says(end + " as you see.");
  Kept kept = world.keep(world.put("a.jsonl", session.bytes));
  CHECK(kept.redacted == 2); // a mark in each
  CHECK_FALSE(world.is_stored(begin));
  CHECK_FALSE(world.is_stored(end));
}

TEST_CASE("a secret over two readings is taken out of what was kept before") {
  std::string secret = token();
  ArchiveWorld world;
  ClaudeSession session("s1");
  session.prompt("Deploy it");
  session.says("The token is " + secret.substr(0, 20));
  std::string path = world.put("a.jsonl", session.bytes);
  world.keep(path);
  CHECK(world.is_stored(secret.substr(0, 20)));
  session.says(secret.substr(20) + " as you see.");
  world.put("a.jsonl", session.bytes);
  Kept kept = world.keep(path);
  CHECK(kept.state == KeepState::updated);
  CHECK(kept.row.counts.prompts == 1);
  REQUIRE(world.archive.store().compact());
  CHECK_FALSE(world.is_stored(secret.substr(0, 20)));
  CHECK_FALSE(world.is_stored(secret.substr(20)));
  // Nothing goes on from it, so what grows is added.
  std::string object = kept.row.object;
  session.says("Deployed.");
  world.put("a.jsonl", session.bytes);
  CHECK(world.keep(path).row.object == object);
}

TEST_CASE("a private key that is written line by line, and read so") {
  Plants plants(8);
  std::vector<std::string> lines{"-----BEGIN RSA PRIVATE KEY-----\n"};
  for (int i = 0; i < 50; ++i) {
    lines.push_back(plants.letters('S', 64) + "\n");
  }
  lines.push_back("-----END RSA PRIVATE KEY-----\n");
  for (std::size_t step : {1u, 20u, 37u}) {
    CAPTURE(step);
    ArchiveWorld world;
    ClaudeSession session("s1");
    session.prompt("Show it");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      session.says(lines[i]);
      if (i % step == 0 || i + 1 == lines.size()) {
        world.keep(world.put("a.jsonl", session.bytes));
      }
    }
    REQUIRE(world.archive.store().compact());
    for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
      CAPTURE(i);
      CHECK_FALSE(world.is_stored(lines[i].substr(0, 64)));
    }
  }
}

TEST_CASE("kept with its secrets: in the object, and nowhere else") {
  ArchiveWorld world;
  std::string bytes = deploying("s1", token()).bytes;
  std::string path = world.put("a.jsonl", bytes);
  KeepOptions raw{.secrets = Secrets::kept};
  Kept kept = world.keep(path, raw);
  CHECK(kept.row.is_raw);
  CHECK(world.text(kept.row) == bytes);
  std::string clean = replaced(bytes, token(), k_mark);
  CHECK(world.lines(kept.row) == event_lines(trace::Format::claude, clean));
  store::IndexText index = value_of(world.archive.store().index_text(kept.row.id));
  CHECK((index.title + index.prompts + index.answers + index.work).find(token())
        == std::string::npos);
  CHECK(index.prompts.find(k_mark) != std::string::npos);
  CHECK(world.row("claude-code/s1").state.find(token()) == std::string::npos);
  CHECK(world.row("claude-code/s1").title.find(token()) == std::string::npos);
  // It grows: what comes is kept so too, in its order.
  ClaudeSession more("s1");
  more.bytes = bytes;
  more.says("Again " + token() + ".");
  world.put("a.jsonl", more.bytes);
  kept = world.keep(path, raw);
  CHECK(world.text(kept.row) == more.bytes);
  // A scan with other rules leaves it as a person wanted it.
  world.reopen(with_zeppelin());
  CHECK(repair(world).sessions == 1);
  CHECK(world.text(world.row("claude-code/s1")) == more.bytes);
  CHECK(world.found("zeppelin") == 0);
  // Its week is over.
  std::int64_t kept_ms = world.row("claude-code/s1").updated_ms;
  CHECK(value_of(world.archive.clean_raw(kept_ms, ++world.now_ms, {})).sessions == 0);
  CHECK(value_of(world.archive.clean_raw(kept_ms + 1, ++world.now_ms, {})).sessions == 1);
  store::SessionRow row = world.row("claude-code/s1");
  CHECK_FALSE(row.is_raw);
  CHECK(world.text(row)
        == replaced(replaced(more.bytes, token(), k_mark), "zeppelin", "[REDACTED:airship]"));
  CHECK_FALSE(world.is_stored(token()));
}

TEST_CASE("rules that changed: what is kept is scanned again, and all that tells of it follows") {
  ArchiveWorld world;
  std::string bytes = deploying("s1", token()).bytes;
  std::string path = world.put("a.jsonl", bytes);
  store::SessionRow before = world.keep(path).row;
  CHECK(world.found("zeppelin") == 1);
  CHECK(repair(world).sessions == 0);
  world.reopen(with_zeppelin());
  CHECK(repair(world).sessions == 1);
  store::SessionRow row = world.row("claude-code/s1");
  CHECK(row.id == before.id);
  CHECK(row.redacted == before.redacted + 1);
  CHECK(row.counts == before.counts);
  CHECK(row.tokens == before.tokens);
  CHECK(world.found("zeppelin") == 0);
  REQUIRE(world.archive.store().compact());
  CHECK_FALSE(world.is_stored("zeppelin"));
  CHECK_FALSE(std::filesystem::exists(world.archive.objects().path_of(before.object)));
  CHECK(repair(world).sessions == 0);
  // And it is gone on with.
  std::ofstream(path, std::ios::app) << ClaudeSession("s1").bytes << deploying("s1", "x").bytes;
  Kept kept = world.keep(path);
  CHECK(kept.state == KeepState::updated);
  CHECK(kept.row.object == row.object);
  CHECK(world.text(kept.row)
        == replaced(replaced(bytes + deploying("s1", "x").bytes, token(), k_mark),
                    "zeppelin",
                    "[REDACTED:airship]"));
}

TEST_CASE("rules that changed: until the scan neither titles nor snippets are given") {
  ArchiveWorld world;
  ClaudeSession session("s1");
  session.prompt("Paint the zeppelin");
  session.says("Painting.");
  std::string path = world.put("a.jsonl", session.bytes);
  world.keep(path);
  world.reopen(with_zeppelin());
  store::TraceStore& store = world.archive.store();
  auto title = [&] { return value_of(store.list({}, {}, 10)).at(0).title; };
  auto snippet = [&] { return value_of(store.search({.text = "painting"}, 10)).at(0).snippet; };
  CHECK(title().empty());
  CHECK(world.row("claude-code/s1").title.empty());
  CHECK(snippet().text.empty());
  CHECK(value_of(store.search({.text = "zeppelin"}, 10)).at(0).snippet.text.empty());
  CHECK(repair(world).sessions == 1);
  CHECK(title() == "Paint the [REDACTED:airship]");
  CHECK(snippet().text.find("Painting") != std::string::npos);
}

TEST_CASE("a damaged session is told, and the others are scanned again") {
  ArchiveWorld world;
  for (const char* id : {"s1", "s2", "s3"}) {
    world.keep(world.put(std::string(id) + ".jsonl", deploying(id, token()).bytes));
  }
  std::string damaged = world.archive.objects().path_of(world.row("claude-code/s1").object);
  put_file(damaged, "this is no frame");
  world.reopen(with_zeppelin());
  archive::Repaired repaired = repair(world);
  CHECK(repaired.sessions == 3);
  CHECK(repaired.last == world.row("claude-code/s3").id);
  REQUIRE(repaired.problems.size() == 1);
  CHECK(repaired.problems[0].find("s1") != std::string::npos);
  CHECK(world.text(world.row("claude-code/s3")).find("zeppelin") == std::string::npos);
  // In steps: each goes on behind the one before, so that this one is not met for ever.
  archive::Repaired step = value_of(world.archive.repair(0, 1, 1, {}));
  CHECK(step.sessions == 1);
  CHECK(value_of(world.archive.repair(step.last, 1, 1, {})).sessions == 0);
}

TEST_CASE("a scan that is stopped is told, and changes nothing") {
  ArchiveWorld world;
  store::SessionRow before = world.keep(world.put("a.jsonl", deploying("s1", token()).bytes)).row;
  world.reopen(with_zeppelin());
  std::stop_source stop;
  stop.request_stop();
  Result<archive::Repaired> stopped = world.archive.repair(0, 10, 1, stop.get_token());
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().code == ErrorCode::cancelled);
  CHECK(world.row("claude-code/s1").object == before.object);
  CHECK(world.text(world.row("claude-code/s1")).find("zeppelin") != std::string::npos);
}

TEST_CASE("what may be a secret is flagged, also in what was set aside") {
  ArchiveWorld world;
  ClaudeSession session("s1");
  session.prompt("Here it is: " + candidate());
  std::string path = world.put("a.jsonl", session.bytes);
  Kept kept = world.keep(path);
  REQUIRE(kept.row.candidates == 1);
  REQUIRE(kept.flagged == std::vector<std::string>{"docker-config-auth"});
  std::string old = "s1~" + std::to_string(kept.row.updated_ms);
  ClaudeSession other("s1");
  other.prompt("Nothing here");
  world.put("a.jsonl", other.bytes);
  kept = world.keep(path);
  CHECK(kept.row.candidates == 0);
  CHECK(kept.flagged.empty());
  store::SessionRow aside = world.row(store::session_key("claude-code", old));
  CHECK(aside.candidates == 1);
  CHECK(value_of(world.archive.store().blocked(aside.id))
        == std::vector<std::string>{"docker-config-auth"});
}
