#include "daemon/handlers/inbox.h"
#include "tests/support/skills_world.h"

using namespace upskill;
using namespace upskill::daemon;
using tests::SkillsWorld;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t k_now = 1'795'240'570'000;
constexpr const char* k_document =
    "---\nname: release-notes\ndescription: Writes release notes.\n---\n# Notes\n";

// A home with a person in a project, and a skill that waits.
struct World {
  SkillsWorld skills;
  Binder binder{skills.service().context().log};
  RequestContext context = {};
  std::string project = skills / "project";
  store::Inbox inbox{skills / ".local/share/upskill/inbox"};
  store::InboxEntry entry = add("release-notes", k_document);

  World() {
    bind_inbox_handlers(binder, skills.library());
    fs::create_directories(project);
    context.caller.cwd = project;
  }

  store::InboxEntry add(const std::string& name, const std::string& document) {
    Result<store::InboxEntry> added =
        inbox.add({.skill = name,
                   .reason = "asked for 5 times",
                   .sessions = {"codex/s1", "codex/s2"},
                   .model = "sonnet",
                   .created_ms = k_now,
                   .fingerprint = "notes relea tag"},
                  {{"SKILL.md", {document}}, {"scripts/tag", {"#!/bin/sh\n", true}}});
    REQUIRE(added);
    return *added;
  }

  template <class P, class R> Result<R> call(const Method<P, R>& method, P params) {
    const MethodInfo* info = find_method(method.name);
    REQUIRE(info != nullptr);
    Result<mcp::Answer> answer =
        skills.run(binder.call_slow(*info, encode(params), RequestContext(context)));
    if (!answer) {
      return tl::make_unexpected(answer.error());
    }
    rpc::JsonParser parser;
    Result<R> result =
        rpc::decode_arguments<R>(parser, std::get<mcp::ToolAnswer>(*answer).structured);
    REQUIRE(result);
    return result;
  }

  Result<InboxAcceptResult> accept(const std::string& id, const std::string& output = {}) {
    InboxAcceptParams params;
    params.id = id;
    params.output = output;
    return call(k_inbox_accept, params);
  }
};

std::string text_of(const std::string& path) {
  return read_file(path, 1u << 20).value_or("nothing");
}

bool has(const std::vector<std::string>& lines, std::string_view part) {
  return std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

} // namespace

TEST_SUITE("inbox_list") {
  TEST_CASE("what waits is told, with what to look at") {
    World world;
    Result<InboxListResult> listed = world.call(k_inbox_list, InboxListParams{});
    REQUIRE(listed);
    REQUIRE(listed->items.size() == 1);
    const InboxItem& item = listed->items[0];
    CHECK(item.id == world.entry.id);
    CHECK(item.skill == "release-notes");
    CHECK(item.description == "Writes release notes.");
    CHECK(item.reason == "asked for 5 times");
    CHECK(item.sessions == std::vector<std::string>{"codex/s1", "codex/s2"});
    CHECK(item.model == "sonnet");
    CHECK(item.created_at == "2026-11-21T05:56:10.000Z");
    CHECK(item.folder == world.entry.folder);
    REQUIRE(item.files.size() == 2);
    CHECK(item.files[0].path == "SKILL.md");
    CHECK(item.files[0].tokens > 5);
    CHECK(item.document.empty());
    CHECK(has(item.warnings, "`scripts/tag` is a program"));
    CHECK(item.warnings.size() == 1);
    InboxListParams one;
    one.id = "release-notes";
    one.verbose = true;
    CHECK(world.call(k_inbox_list, one)->items.at(0).document == k_document);
    one.id = "nothing";
    CHECK(world.call(k_inbox_list, one).error().code == ErrorCode::not_found);
  }

  TEST_CASE("what is wrong with one is told of it, and the others are told as ever") {
    World world;
    store::InboxEntry other = world.add("other", "---\nname: another\ndescription: d\n---\nB.\n");
    fs::remove(world.entry.folder + "/SKILL.md");
    Result<InboxListResult> listed = world.call(k_inbox_list, InboxListParams{});
    REQUIRE(listed);
    REQUIRE(listed->items.size() == 2);
    for (const InboxItem& item : listed->items) {
      CHECK(has(item.warnings, item.id == other.id ? "name" : "no `SKILL.md`"));
    }
    fs::create_symlink("/etc/passwd", world.entry.folder + "/SKILL.md");
    listed = world.call(k_inbox_list, InboxListParams{});
    REQUIRE(listed->items.size() == 2);
    for (const InboxItem& item : listed->items) {
      CHECK(item.document.empty());
      CHECK((item.id == other.id || has(item.warnings, "is a link")));
    }
  }

  TEST_CASE("a list of declined topics that is damaged is told each time") {
    World world;
    REQUIRE(write_file_atomically(world.skills / ".local/share/upskill/inbox/declined.json",
                                  "{",
                                  0600,
                                  Durability::process_crash));
    for (int time = 0; time < 2; ++time) {
      Result<InboxListResult> listed = world.call(k_inbox_list, InboxListParams{});
      REQUIRE(listed);
      CHECK(has(listed->warnings, "declined-damaged-1.json"));
    }
  }
}

TEST_SUITE("inbox_accept") {
  TEST_CASE("it goes where the configuration says, and waits no more") {
    World world;
    InboxAcceptParams rehearsal;
    rehearsal.id = world.entry.id.substr(0, 6);
    rehearsal.dry_run = true;
    Result<InboxAcceptResult> told = world.call(k_inbox_accept, rehearsal);
    REQUIRE(told);
    CHECK(told->dry_run);
    CHECK(told->saved == world.project + "/skills/release-notes");
    CHECK_FALSE(fs::exists(told->saved));
    Result<InboxAcceptResult> accepted = world.accept("release-notes");
    REQUIRE(accepted);
    CHECK(accepted->saved == told->saved);
    CHECK(text_of(accepted->saved + "/SKILL.md") == k_document);
    CHECK((fs::status(accepted->saved + "/scripts/tag").permissions() & fs::perms::owner_exec)
          != fs::perms::none);
    CHECK(world.inbox.list()->empty());
    CHECK(world.inbox.is_declined("notes relea tag").value()); // it is there: no need to ask again
    CHECK(world.call(k_inbox_list, InboxListParams{})->declined == 0);
    CHECK(world.accept("release-notes").error().code == ErrorCode::not_found);
  }

  TEST_CASE("into a folder of its own that is named") {
    World world;
    Result<InboxAcceptResult> other = world.accept("release-notes", "../other/notes");
    CHECK(other.error().code == ErrorCode::invalid_argument); // no name of that skill
    CHECK(other.error().hint.find("/other/notes/release-notes`") != std::string::npos);
    Result<InboxAcceptResult> accepted = world.accept("release-notes", "../other/release-notes");
    REQUIRE(accepted);
    CHECK(accepted->saved == world.skills / "other/release-notes");
    CHECK(text_of(accepted->saved + "/SKILL.md") == k_document);
  }

  TEST_CASE("where something is already it stays, and so does what waits") {
    World world;
    std::string taken = world.project + "/skills/release-notes";
    world.skills.skill("project/skills/release-notes");
    Result<InboxAcceptResult> accepted = world.accept("release-notes");
    REQUIRE_FALSE(accepted);
    CHECK(accepted.error().code == ErrorCode::already_exists);
    CHECK(accepted.error().hint.find("--output") != std::string::npos);
    CHECK(text_of(taken + "/SKILL.md") != k_document);
    CHECK(world.inbox.list()->size() == 1);
    fs::remove_all(taken);
    fs::create_directories(taken);
    world.skills.file("project/skills/release-notes/notes.txt", "mine");
    CHECK(world.accept("release-notes").error().hint.find("--output") != std::string::npos);
    fs::remove_all(taken);
    fs::create_symlink("/tmp", taken);
    CHECK(world.accept("release-notes").error().code == ErrorCode::refused);
    CHECK(world.inbox.list()->size() == 1);
  }

  TEST_CASE("one that was interrupted between saving and taking it out is gone on with") {
    World world;
    world.skills.file("project/skills/release-notes/SKILL.md", k_document);
    world.skills.file("project/skills/release-notes/scripts/tag", "#!/bin/sh\n");
    ::chmod((world.project + "/skills/release-notes/scripts/tag").c_str(), 0755);
    REQUIRE(world.accept("release-notes"));
    CHECK(world.inbox.list()->empty());
  }

  TEST_CASE("a link that somebody put in is not followed into a folder of skills") {
    World world;
    fs::create_symlink("/etc/passwd", world.entry.folder + "/more.md");
    CHECK(world.accept("release-notes").error().code == ErrorCode::unsupported);
    CHECK_FALSE(fs::exists(world.project + "/skills"));
  }
}

TEST_SUITE("inbox_decline") {
  TEST_CASE("it is gone, and counted") {
    World world;
    InboxDeclineParams params;
    params.id = "release-notes";
    params.dry_run = true;
    REQUIRE(world.call(k_inbox_decline, params));
    CHECK(world.inbox.list()->size() == 1);
    params.dry_run = false;
    Result<InboxDeclineResult> declined = world.call(k_inbox_decline, params);
    REQUIRE(declined);
    CHECK(declined->id == world.entry.id);
    CHECK(declined->skill == "release-notes");
    CHECK(world.inbox.list()->empty());
    CHECK(world.inbox.is_declined("notes relea tag").value());
    CHECK(world.call(k_inbox_list, InboxListParams{})->declined == 1);
    CHECK_FALSE(fs::exists(world.entry.folder));
  }
}

TEST_SUITE("inbox") {
  TEST_CASE("an agent neither sees it nor lets in what it drafted") {
    World world;
    world.context.principal = "agent";
    CHECK(world.call(k_inbox_list, InboxListParams{}).error().code == ErrorCode::refused);
    CHECK(world.accept("release-notes").error().code == ErrorCode::refused);
    InboxDeclineParams params;
    params.id = "release-notes";
    CHECK(world.call(k_inbox_decline, params).error().code == ErrorCode::refused);
    CHECK(world.inbox.list()->size() == 1);
    CHECK_FALSE(fs::exists(world.project + "/skills"));
  }
}
