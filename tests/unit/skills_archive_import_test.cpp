#include "skills/trace/summary.h"
#include "skills_archive_world.h"

#include <sys/stat.h>
using namespace upskill;
using namespace upskill::tests;
using trace::Format;

namespace {

struct Fixture {
  const char* file;
  Format format;
  const char* harness;
  const char* session; // as the file tells; of the others their name
};

constexpr Fixture k_fixtures[] = {
    {"atif.json", Format::atif, "claude-code", "7b0e4c19-5a3d-4f86-b2d1-c94a8e6f0573"},
    {"codex.jsonl", Format::codex, "codex", "0198f3a2-5c1e-7d60-9b4f-2e6a1c8d7f30"},
    {"copilot.jsonl", Format::copilot, "github-copilot", "c41d8e76-2b95-4d03-a7f8-60e9b3125fad"},
    {"cursor.jsonl", Format::cursor, "cursor", "cursor"},
    {"fast_agent.json", Format::fast_agent, "fast-agent", "fast_agent"},
    {"gemini.jsonl", Format::gemini, "gemini-cli", "7d3f1b52-90ac-4e8b-b6d4-c15a2f80e937"},
    {"opencode.json", Format::opencode, "opencode", "ses_3f9a1c77dffeKq2mXv8TzBnLw0"},
    {"pi.jsonl", Format::pi, "pi", "0197c5d2-4b1e-7a60-9c3f-5d8e2a7b4c11"},
    {"specstory.md", Format::specstory, "claude-code", "5c5c2876-febd-4c87-b80c-d0655f1cd3fd"},
    {"sts.jsonl", Format::sts, "claude-code", "2f6d7a0e-93b4-4d27-8f5e-6b1c0a9d3e44"},
};

trace::SessionSummary summary_of(Format format, std::string_view bytes) {
  trace::Summary summary(format);
  trace::TraceParser parser(format);
  parser.take(bytes, summary);
  parser.finish(summary);
  return summary.summary();
}

std::string reason_of(const Kept& kept) {
  CHECK(kept.state == KeepState::skipped);
  return kept.reason;
}

} // namespace

TEST_CASE("every format is kept under its own id, and a secret in it is nowhere") {
  for (const Fixture& fixture : k_fixtures) {
    CAPTURE(std::string(fixture.file));
    ArchiveWorld world;
    std::string plain = file_text(std::string(UPSKILL_FIXTURES "/traces/") + fixture.file);
    std::string planted = replaced(plain, "Please fix it", "Please fix it, " + token());
    std::string clean = replaced(planted, token(), k_mark);
    REQUIRE(planted != plain);
    Kept kept = world.keep(world.put(fixture.file, planted));
    CHECK(kept.state == KeepState::imported);
    CHECK(kept.row.harness == fixture.harness);
    CHECK(kept.row.session == fixture.session);
    CHECK(kept.row.format == enum_name(fixture.format));
    CHECK(kept.bytes == planted.size());
    CHECK(kept.redacted >= 1);
    CHECK(kept.reason.empty());
    // What the file says without going through the archive.
    trace::SessionSummary told = summary_of(fixture.format, clean);
    store::SessionRow row = world.row(store::session_key(fixture.harness, fixture.session));
    CHECK(row.counts.records == static_cast<std::int64_t>(told.counts.records));
    CHECK(row.counts.prompts == static_cast<std::int64_t>(told.counts.prompts));
    CHECK(row.counts.tool_calls == static_cast<std::int64_t>(told.counts.calls));
    CHECK(row.counts.errors == static_cast<std::int64_t>(told.counts.errors));
    CHECK(row.counts.prompts >= 1);
    CHECK(row.counts.tool_calls >= 1);
    CHECK(row.tokens.output == told.tokens.output);
    CHECK(row.started_ms == told.first_ms);
    CHECK(row.redacted == kept.redacted);
    check_said(world.lines(row), event_lines(fixture.format, clean));
    CHECK_FALSE(world.is_stored(token()));
    CHECK(world.is_stored(std::string(k_mark)));
  }
}

TEST_CASE("what has not changed is not read again, and nothing is written") {
  ArchiveWorld world;
  std::string path = world.put("a.jsonl", deploying("s1", token()).bytes);
  store::SessionRow first = world.keep(path).row;
  std::string object = file_text(world.archive.objects().path_of(first.object));
  Kept again = world.keep(path);
  CHECK(again.state == KeepState::unchanged);
  CHECK(again.bytes == 0);
  CHECK(world.row("claude-code/s1") == again.row);
  CHECK(again.row.updated_ms == first.updated_ms);
  CHECK(file_text(world.archive.objects().path_of(first.object)) == object);
  // Unless a person says so.
  Kept forced = world.keep(path, {.is_forced = true});
  CHECK(forced.state == KeepState::updated);
  CHECK(forced.bytes > 0);
  CHECK(as_told(forced.row) == as_told(world.row("claude-code/s1")));
  CHECK(forced.row.imported_ms == first.imported_ms);
  CHECK(world.text(forced.row) == replaced(deploying("s1", token()).bytes, token(), k_mark));
  CHECK(forced.row.redacted == first.redacted);
}

TEST_CASE("what is not wanted is not stored, nor is anything in a rehearsal") {
  ArchiveWorld world;
  std::string path = world.put("a.jsonl", deploying("s1", token()).bytes);
  KeepOptions options;
  std::string asked;
  options.is_wanted = [&](std::string_view agent, std::string_view folder) {
    asked = std::string(agent) + " " + std::string(folder);
    return false;
  };
  CHECK(reason_of(world.keep(path, options)) == "its sessions are not captured");
  CHECK(asked == "claude-code /home/ada/app");
  Kept rehearsed = world.keep(path, {.is_rehearsal = true});
  CHECK(rehearsed.state == KeepState::imported);
  CHECK(rehearsed.redacted == 3);
  CHECK(rehearsed.row.counts.prompts == 1);
  CHECK(world.sessions().empty());
  CHECK_FALSE(std::filesystem::exists(world.archive.objects().path_of(rehearsed.row.object)));
}

TEST_CASE("where the folder decides, a session waits until it tells its own") {
  ArchiveWorld world;
  KeepOptions options{.agent = "claude-code"};
  options.waits_for_folder = true;
  options.is_wanted = [](std::string_view, std::string_view folder) {
    return folder != "/home/ada/app";
  };
  std::string state = R"({"type":"permission-mode","permissionMode":"default","sessionId":"s1"})";
  std::string path = world.put("a.jsonl", state + "\n");
  CHECK(world.keep(path, options).reason == "it does not say yet where it runs");
  ClaudeSession session("s1");
  session.prompt(std::string(100'000, 'x')); // its folder stands behind that
  std::string record = session.bytes;
  std::string cwd = R"("cwd":"/home/ada/app",)";
  record.erase(record.find(cwd), cwd.size());
  record.insert(record.rfind('}'), R"(,"cwd":"/home/ada/app")");
  world.put("a.jsonl", state + "\n" + record);
  CHECK(world.keep(path, options).reason == "its sessions are not captured");
  CHECK(world.sessions().empty());
  options.is_wanted = [](std::string_view, std::string_view folder) {
    return folder == "/home/ada/app";
  };
  CHECK(world.keep(path, options).state == KeepState::imported);
}

TEST_CASE("files of one name in two folders are two sessions, with an object each") {
  ArchiveWorld world;
  std::string cursor = file_text(UPSKILL_FIXTURES "/traces/cursor.jsonl");
  std::string other = replaced(cursor, "ninja", "gradle");
  std::string first = world.put("one/run.jsonl", cursor);
  std::string second = world.put("two/run.jsonl", other);
  store::SessionRow a = world.keep(first).row;
  store::SessionRow b = world.keep(second).row;
  CHECK(a.id != b.id);
  CHECK(a.session == "run");
  CHECK(b.session != "run");
  CHECK(b.session.starts_with("run-"));
  CHECK(a.object != b.object);
  CHECK(world.text(a) == cursor);
  CHECK(world.text(b) == other);
  // Each is known again.
  CHECK(world.keep(first).state == KeepState::unchanged);
  CHECK(world.keep(second).state == KeepState::unchanged);
  world.put("two/run.jsonl", other + other);
  CHECK(world.keep(second).row.id == b.id);
  CHECK(world.sessions().size() == 2);
  // A name that says nothing is told with its folder's.
  CHECK(world.keep(world.put("three/transcript.jsonl", cursor)).row.session == "three-transcript");
}

TEST_CASE("a session of Cursor's ran in the one folder that has the slug of its place") {
  ArchiveWorld world;
  std::string cursor = file_text(UPSKILL_FIXTURES "/traces/cursor.jsonl");
  std::string project = world.folder / "work/my-site.v2";
  std::filesystem::create_directories(project);
  std::string slug = project.substr(1);
  std::ranges::replace_if(
      slug, [](char c) { return c == '/' || c == '.' || c == '_'; }, '-');
  std::string path = world.put("projects/" + slug + "/agent-transcripts/one.jsonl", cursor);
  KeepOptions options{.agent = "cursor"};
  options.is_wanted = [&](std::string_view, std::string_view folder) { return folder == project; };
  Kept kept = world.keep(path, options);
  CHECK(kept.state == KeepState::imported);
  CHECK(kept.row.project == project);
  CHECK(value_of(world.archive.store().list({.project = project}, {}, 10)).size() == 1);
  // It stays, when that folder has gone and when rules change.
  std::filesystem::remove(project);
  world.put("projects/" + slug + "/agent-transcripts/one.jsonl", cursor + cursor);
  CHECK(world.keep(path, options).row.project == project);
  world.reopen(value_of(built_in_rules().with(
      R"({"format":1,"rules":[{"id":"a","regex":"zeppelin","keywords":["zeppelin"],)"
      R"("confidence":"definite"}]})",
      "mine.json")));
  CHECK(value_of(world.archive.repair(0, 10, ++world.now_ms, {})).sessions == 1);
  CHECK(world.row("cursor/one").project == project);
  // Two folders could be meant.
  std::filesystem::create_directories(world.folder / "work/my/site.v2");
  std::filesystem::create_directories(project);
  CHECK(
      world.keep(world.put("projects/" + slug + "/agent-transcripts/two.jsonl", cursor)).row.project
      == "");
}

TEST_CASE("a session of Gemini CLI's ran where the file beside its folder says") {
  const std::string told =
      replaced(file_text(UPSKILL_FIXTURES "/traces/gemini.jsonl"), R"("/home/ada/kernels")", "");
  for (const auto& [root, project] :
       {std::pair<std::string, std::string>("/home/ada/app\n", "/home/ada/app"),
        {"/home/ada/app", "/home/ada/app"},
        {"", ""},
        {"\n", ""},
        {"app", ""},
        {"/home/ada\n/root", ""},
        {"/" + std::string(5000, 'x'), ""}}) {
    CAPTURE(root);
    ArchiveWorld world;
    std::string path = world.put("tmp/app/chats/session-1.jsonl", told);
    CHECK(world.keep(path, {.agent = "gemini-cli"}).row.project == "");
    world.put("tmp/app/.project_root", root);
    world.put("tmp/app/chats/session-1.jsonl", told + told);
    CHECK(world.keep(path, {.agent = "gemini-cli"}).row.project == project);
  }
}

TEST_CASE("a fork begins as its session does, and both are kept") {
  ArchiveWorld world;
  ClaudeSession first("s1");
  first.prompt("Build the zeppelin");
  first.says("Building.");
  std::string copied = replaced(first.bytes, "\"s1\"", "\"s2\"");
  ClaudeSession second("s2");
  second.prompt("Paint it instead");
  store::SessionRow a = world.keep(world.put("s1.jsonl", first.bytes)).row;
  store::SessionRow b = world.keep(world.put("s2.jsonl", copied + second.bytes)).row;
  CHECK(a.first_id == "u1");
  CHECK(b.first_id == "u1");
  CHECK(world.sessions() == std::vector<std::string>{"s1", "s2"});
  CHECK(world.text(a) == first.bytes);
  CHECK(world.text(b) == copied + second.bytes);
  CHECK(world.found("zeppelin") == 2);
}

TEST_CASE("what is no session is named, and the rest goes on") {
  ArchiveWorld world;
  CHECK(reason_of(world.keep(world.put("empty.jsonl", ""))) == "it is empty");
  std::string zeros("\x7f"
                    "ELF\0\0\0\0\0\0\0\0",
                    12);
  KeepOptions named{.is_named = true};
  CHECK(reason_of(world.keep(world.put("program", zeros), named)) == "it is no text");
  std::string prose = world.put("notes.txt", "Buy milk.\n\nThen bread.\n");
  CHECK(reason_of(world.keep(prose)).find("naming the file") != std::string::npos);
  CHECK(world.keep(prose, named).row.session == "notes");
  CHECK(reason_of(world.keep(world.put("half.jsonl", R"({"type":"user","sessionId":"s)"))).size()
        > 0);
  REQUIRE(::mkfifo(world.file("pipe.jsonl").c_str(), 0600) == 0);
  Result<std::vector<Kept>> pipe = world.try_to_keep(world.file("pipe.jsonl"));
  REQUIRE_FALSE(pipe);
  CHECK(pipe.error().code == ErrorCode::invalid_argument);
  CHECK(pipe.error().message.find("pipe.jsonl") != std::string::npos);
  CHECK(world.try_to_keep(world.file("none.jsonl")).error().code == ErrorCode::not_found);
  CHECK(world.try_to_keep(world.folder / "agent").error().code == ErrorCode::invalid_argument);
  CHECK(world.keep(world.put("a.jsonl", deploying("s1", token()).bytes)).state
        == KeepState::imported);
  CHECK(world.sessions() == std::vector<std::string>{"notes", "s1"});
}

TEST_CASE("a file without permission is named") {
  ArchiveWorld world;
  std::string path = world.put("a.jsonl", deploying("s1", token()).bytes);
  // Root may read everything, so somebody else asks.
  REQUIRE(::chmod(world.folder.path().c_str(), 0711) == 0);
  REQUIRE(::chmod(path.c_str(), 0) == 0);
  bool was_root = ::geteuid() == 0;
  REQUIRE((!was_root || ::seteuid(65534) == 0));
  Result<std::vector<Kept>> kept = world.try_to_keep(path);
  REQUIRE((!was_root || ::seteuid(0) == 0));
  REQUIRE_FALSE(kept);
  CHECK(kept.error().code == ErrorCode::permission);
  CHECK(kept.error().message.find("a.jsonl") != std::string::npos);
}

TEST_CASE("of a broken zstd frame what stands before the damage is kept, and the damage told") {
  ArchiveWorld world;
  std::string bytes = deploying("s1", token()).bytes;
  std::string whole = compressed(bytes);
  std::string broken = whole + whole.substr(0, whole.size() / 2);
  Kept kept = world.keep(world.put("a.jsonl.zst", broken));
  CHECK(kept.state == KeepState::imported);
  CHECK(kept.row.session == "s1");
  CHECK_FALSE(kept.reason.empty());
  CHECK(world.text(kept.row) == replaced(bytes, token(), k_mark));
  // One of which nothing can be read.
  Result<std::vector<Kept>> none = world.try_to_keep(world.put("b.jsonl.zst", whole.substr(0, 9)));
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::corrupt);
  CHECK(world.sessions().size() == 1);
}

TEST_CASE("reading that is stopped is told, and leaves no session") {
  ArchiveWorld world;
  std::string path = world.put("a.jsonl", deploying("s1", token()).bytes);
  std::stop_source stop;
  stop.request_stop();
  Result<std::vector<Kept>> kept = world.archive.keep(path, {}, 1, stop.get_token());
  REQUIRE_FALSE(kept);
  CHECK(kept.error().code == ErrorCode::cancelled);
  CHECK(world.sessions().empty());
}
