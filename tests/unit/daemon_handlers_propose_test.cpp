#include "daemon/await.h"
#include "daemon/handlers/propose.h"
#include "tests/support/claude_session.h"
#include "tests/support/planted_secrets.h"
#include "tests/support/skills_world.h"

#include <array>
#include <fstream>

using namespace upskill;
using namespace upskill::daemon;
using tests::ClaudeSession;
using tests::SkillsWorld;

namespace {

constexpr std::array<const char*, 3> k_wishes = {
    "Write the release notes for 1.4 from the git log since the last tag",
    "please write release notes for v2.0.1, from the git log since the tag",
    "Release notes for 1.5 please, look at the git log since the last tag"};

constexpr std::array<const char*, 3> k_renames = {"Rename the tokenizer of the assembler",
                                                  "Explain how thumbnails are cached",
                                                  "Port the histogram widget to canvas"};

capture::DeskOptions desk_options(SkillsWorld& skills) {
  capture::DeskOptions options;
  options.database = skills / "state/traces.db";
  options.objects = skills / "state/traces";
  options.spool = skills / "state/spool";
  options.user_rules = skills / "rules.json";
  options.pool = skills.service().context().pool;
  options.now_ms = [] { return std::int64_t{1'800'000'000'000}; };
  options.folders = []() -> asio::awaitable<std::vector<agents::SessionFolder>> {
    std::vector<agents::SessionFolder> none;
    co_return none;
  };
  return options;
}

DraftedSkill drafted(const std::string& name) {
  DraftedSkill skill;
  skill.name = name;
  skill.files["SKILL.md"] = {"---\nname: " + name + "\ndescription: Writes them.\n---\n# Body\n"};
  skill.model = "sonnet";
  skill.warnings = {"written from 3 sessions"};
  return skill;
}

// Sessions that are kept, skills that are there, and a teacher of the test's own.
struct World {
  SkillsWorld skills;
  telemetry::Log log = telemetry::Log::none();
  capture::Desk desk;
  Binder binder{log};
  RequestContext context = {};
  std::uint64_t kept = 0;
  std::vector<TopicToDraft> asked = {};
  Result<DraftedTopic> reply = DraftedTopic{drafted("release-notes"), 0.25};
  store::Inbox inbox{skills / ".local/share/upskill/inbox"};

  explicit World(bool has_teacher = true)
      : desk(skills.service().context().io.get_executor(), log, desk_options(skills)) {
    std::filesystem::create_directories(skills / "state");
    DraftTopic teacher = [this](TopicToDraft topic, RequestContext) -> Awaitable<DraftedTopic> {
      asked.push_back(std::move(topic));
      co_return reply;
    };
    bind_propose_handlers(
        binder, skills.library(), desk, has_teacher ? std::move(teacher) : DraftTopic());
  }

  ~World() { skills.run(desk.stop()); }

  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void keep(const std::string& id, const std::function<void(ClaudeSession&)>& write) {
    ClaudeSession session(id, 100 * ++kept); // records of ids that no other session has
    write(session);
    keep_file(id, session.bytes);
  }

  void keep_file(const std::string& name, const std::string& bytes) {
    std::string path = skills / ("sessions/" + name + ".jsonl");
    std::filesystem::create_directories(skills / "sessions");
    std::ofstream(path, std::ios::binary) << bytes;
    auto work = [path](archive::Archive& archive) {
      archive::KeepOptions options;
      options.agent = "claude-code";
      options.is_named = true;
      return archive.keep(path, options, 1'800'000'000'000, {});
    };
    Result<std::vector<archive::Kept>> files = skills.run(desk.with(std::move(work)));
    REQUIRE(files);
    REQUIRE(files->size() == 1);
    REQUIRE(files->front().state == archive::KeepState::imported);
  }

  // Three sessions with something in common; the first one went wrong.
  void keep_wishes() {
    for (std::size_t i = 0; i < k_wishes.size(); ++i) {
      keep("s" + std::to_string(i + 1), [&](ClaudeSession& session) {
        session.prompt(k_renames[i]);
        session.says("Done.");
        session.prompt(k_wishes[i]);
        session.runs("t1", "git log");
        session.says("Here they are.");
        session.prompt(i == 0 ? "No, that's not what I asked for" : "thanks");
      });
    }
  }

  Result<ProposeResult> propose(ProposeParams params = {}) {
    params.since = "2026-01-01"; // when ClaudeSession writes
    const MethodInfo* info = find_method(k_generate_propose.name);
    REQUIRE(info != nullptr);
    Result<mcp::Answer> answer =
        skills.run(binder.call_slow(*info, encode(params), RequestContext(context)));
    if (!answer) {
      return tl::make_unexpected(answer.error());
    }
    rpc::JsonParser parser;
    Result<ProposeResult> result =
        rpc::decode_arguments<ProposeResult>(parser, std::get<mcp::ToolAnswer>(*answer).structured);
    REQUIRE(result);
    return result;
  }

  ProposeResult dry_run() {
    ProposeParams params;
    params.dry_run = true;
    Result<ProposeResult> result = propose(params);
    REQUIRE(result);
    return *result;
  }
};

} // namespace

TEST_SUITE("generate_propose") {
  TEST_CASE("a dry run tells what comes up, and asks nobody") {
    World world;
    world.keep_wishes();
    ProposeResult result = world.dry_run();
    CHECK(result.sessions == 3);
    REQUIRE(result.topics.size() == 1);
    CHECK(result.topics[0].intent.find("elease notes") != std::string::npos);
    CHECK(result.topics[0].prompts == 3);
    CHECK(result.topics[0].corrections == 1);
    REQUIRE(result.topics[0].sessions.size() == 3);
    CHECK(result.topics[0].sessions[0].starts_with("claude-code/s"));
    CHECK(result.topics[0].became.empty());
    CHECK(result.proposed.empty());
    CHECK(world.asked.empty());
    CHECK_FALSE(std::filesystem::exists(world.skills / ".local/share/upskill/inbox"));
  }

  TEST_CASE("what is drafted waits in the inbox, and is not proposed again") {
    World world;
    world.keep_wishes();
    world.skills.skill(".claude/skills/pdf", "Reads and writes PDF files");
    ProposeParams params;
    params.model = "sonnet";
    params.budget = 2;
    Result<ProposeResult> result = world.propose(params);
    REQUIRE(result);
    REQUIRE(world.asked.size() == 1);
    CHECK(world.asked[0].topic.sessions.size() == 3);
    CHECK(world.asked[0].params.model == "sonnet");
    CHECK(world.asked[0].budget == 2);
    REQUIRE(world.asked[0].known.size() == 1);
    CHECK(world.asked[0].known[0].name == "pdf");
    CHECK(world.asked[0].known[0].description == "Reads and writes PDF files");
    REQUIRE(result->proposed.size() == 1);
    const InboxItem& item = result->proposed[0];
    CHECK(item.skill == "release-notes");
    CHECK(item.description == "Writes them.");
    CHECK(item.model == "sonnet");
    CHECK(item.created_at == "2027-01-15T08:00:00.000Z");
    CHECK(item.sessions == world.asked[0].topic.sessions);
    CHECK(item.reason.starts_with("asked for 3 times in 3 sessions, and corrected once: "));
    CHECK(item.warnings == std::vector<std::string>{"written from 3 sessions"});
    CHECK(result->topics.at(0).became == item.id);
    CHECK(result->cost == 0.25);
    CHECK(world.inbox.find(item.id)->origin.fingerprint == world.asked[0].topic.fingerprint);
    // While it waits, and once it was declined.
    CHECK(world.dry_run().topics.empty());
    REQUIRE(world.inbox.settle(*world.inbox.find(item.id), store::Settled::declined, 1));
    CHECK(world.dry_run().topics.empty());
    CHECK(world.propose()->proposed.empty());
    CHECK(world.asked.size() == 1);
  }

  TEST_CASE("what comes up and is settled, or waits, is told with what became of it") {
    World world;
    world.keep_wishes();
    CHECK(world.dry_run().settled.empty());
    std::string id = world.propose()->proposed.at(0).id;
    auto became = [&] {
      ProposeResult result = world.dry_run();
      CHECK(result.topics.empty());
      REQUIRE(result.settled.size() == 1);
      CHECK(result.settled[0].intent.find("elease notes") != std::string::npos);
      CHECK(result.settled[0].prompts == 3);
      CHECK(result.settled[0].sessions.size() == 3);
      return result.settled[0].became;
    };
    CHECK(became() == "waits in the inbox: `release-notes`");
    REQUIRE(world.inbox.settle(*world.inbox.find(id), store::Settled::declined, 1));
    CHECK(became() == "declined before: `release-notes`");
    // An agent asked for it in other words, and the person thought otherwise: that holds.
    store::InboxOrigin origin{.skill = "notes"};
    origin.fingerprint = world.asked.at(0).topic.fingerprint + " weekly";
    Result<store::InboxEntry> later = world.inbox.add(origin, drafted("notes").files);
    REQUIRE(later);
    REQUIRE(world.inbox.settle(*later, store::Settled::accepted, 2));
    CHECK(became() == "accepted before: `notes`");
  }

  TEST_CASE("of what is settled no more is told than of what is new") {
    World world;
    for (const char* wish : {"Rotate the staging certificates and restart nginx",
                             "Write release notes from the git log since the tag",
                             "Translate the invoice templates into Portuguese",
                             "Profile the tokenizer benchmark and plot flame graphs",
                             "Convert the quarterly spreadsheet into charts",
                             "Migrate the postgres schema with alembic revisions"}) {
      for (int i = 0; i < 2; ++i) {
        world.keep("s" + std::to_string(world.kept),
                   [&](ClaudeSession& session) { session.prompt(wish); });
      }
    }
    REQUIRE(world.propose()->proposed.size() == 5);
    REQUIRE(world.propose()->proposed.size() == 1);
    ProposeResult result = world.dry_run();
    CHECK(result.topics.empty());
    CHECK(result.settled.size() == 5);
  }

  TEST_CASE("what a skill is there for already is not drafted") {
    World world;
    world.keep_wishes();
    world.skills.skill(".claude/skills/changelog",
                       "Writes release notes from the git log and tags");
    world.skills.wait_idle();
    CHECK(world.dry_run().topics.empty());
  }

  TEST_CASE("a teacher that finds nothing to teach, or fails, is told of the topic") {
    World world;
    world.keep_wishes();
    SUBCASE("nothing to teach") {
      world.reply = DraftedTopic{generate::NotWarranted{"every\nmodel can"}, {}};
      Result<ProposeResult> result = world.propose();
      REQUIRE(result);
      CHECK(result->topics.at(0).became.find("no skill is warranted: every") == 0);
      CHECK(result->warnings.empty());
      CHECK_FALSE(result->cost);
    }
    SUBCASE("an error") {
      world.reply = fail(ErrorCode::unavailable, "the server is down");
      Result<ProposeResult> result = world.propose();
      REQUIRE(result);
      CHECK(result->topics.at(0).became == "the server is down");
      CHECK(result->warnings.at(0).find("the server is down") != std::string::npos);
    }
    SUBCASE("what is no skill") {
      DraftedSkill skill = drafted("x");
      skill.files["../../out"] = {"text"};
      world.reply = DraftedTopic{skill, {}};
      Result<ProposeResult> result = world.propose();
      REQUIRE(result);
      CHECK(result->topics.at(0).became.find("no path inside a skill") != std::string::npos);
    }
    SUBCASE("a refusal ends it") {
      world.reply = fail(ErrorCode::refused, "not with these sessions");
      CHECK(world.propose().error().code == ErrorCode::refused);
    }
    CHECK(world.inbox.list()->empty());
  }

  TEST_CASE("what is spent is spent") {
    World world;
    world.keep_wishes();
    for (int i = 0; i < 3; ++i) {
      world.keep("t" + std::to_string(i), [&](ClaudeSession& session) {
        session.prompt("Rotate the staging certificates and restart nginx on every host");
      });
    }
    ProposeParams params;
    params.budget = 0.2; // the first one takes it all
    Result<ProposeResult> result = world.propose(params);
    REQUIRE(result);
    REQUIRE(result->topics.size() == 2);
    CHECK(world.asked.size() == 1);
    CHECK(result->topics[1].became == "the budget is spent");
    params.limit = 1;
    params.dry_run = true;
    CHECK(world.propose(params)->topics.size() == 1);
  }

  TEST_CASE("where nobody can be asked a real run says so") {
    World world(false);
    world.keep_wishes();
    Result<ProposeResult> result = world.propose();
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::unavailable);
    CHECK(world.dry_run().topics.size() == 1);
  }

  TEST_CASE("copies of a session are one, and what helpers were told is nobody's wish") {
    World world;
    ClaudeSession session("s1");
    session.prompt(k_wishes[0]);
    session.says("Here they are.");
    world.keep_file("s1", session.bytes);
    // Claude Code goes on in another file, which begins with all of it.
    std::string forked = session.bytes;
    for (std::size_t at = 0; (at = forked.find(R"("sessionId":"s1")", at)) != std::string::npos;) {
      forked.replace(at, 16, R"("sessionId":"s2")");
    }
    world.keep_file("s2", forked);
    world.keep("s3", [](ClaudeSession& one) {
      one.prompt("Explain how thumbnails are cached");
      one.is_sidechain = true;
      one.prompt(k_wishes[1]);
    });
    ProposeResult result = world.dry_run();
    CHECK(result.sessions == 3);
    CHECK(result.topics.empty());
  }

  TEST_CASE("what may be a secret stands for no topic until a person allows it") {
    World world;
    // A registry's password, which may be one.
    std::string suspicious = " {\"auth\": \"" + tests::Plants(7).letters('W', 32) + "\"}";
    for (int i = 0; i < 2; ++i) {
      world.keep("s" + std::to_string(i),
                 [&](ClaudeSession& session) { session.prompt(k_wishes[0] + suspicious); });
    }
    ProposeResult result = world.dry_run();
    CHECK(result.topics.empty());
    REQUIRE(result.warnings.size() == 1);
    CHECK(result.warnings[0].starts_with("2 prompts may hold a secret"));
    auto allow = [](archive::Archive& archive) -> Result<void> {
      for (const char* name : {"s0", "s1"}) {
        TRY_ASSIGN(store::SessionRow row, archive.store().find_named(name));
        TRY(archive.store().allow(row.id, std::nullopt));
      }
      return {};
    };
    REQUIRE(world.skills.run(world.desk.with(allow)));
    CHECK(world.dry_run().topics.size() == 1);
  }

  TEST_CASE("nobody but a person, and no more than five") {
    World world;
    ProposeParams params;
    for (std::int64_t limit : {0, -1, 6}) {
      params.limit = limit;
      CHECK(world.propose(params).error().code == ErrorCode::invalid_argument);
    }
    params.limit = 5;
    params.budget = 0;
    CHECK(world.propose(params).error().code == ErrorCode::invalid_argument);
    world.context.principal = "agent";
    params = {};
    params.dry_run = true;
    CHECK(world.propose(params).error().code == ErrorCode::refused);
  }

  TEST_CASE("who hangs up is not answered, and nothing was asked") {
    World world;
    world.keep_wishes();
    std::stop_source stop;
    stop.request_stop();
    world.context.stopping = stop.get_token();
    Result<ProposeResult> result = world.propose();
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::cancelled);
    CHECK(world.asked.empty());
  }
}
