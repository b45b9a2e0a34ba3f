#include "daemon/handlers/plain_line.h"
#include "daemon/handlers/sync_changes.h"
#include "tests/support/skills_world.h"

using namespace upskill;
using namespace upskill::daemon;
using tests::SkillsWorld;

namespace {

constexpr std::string_view k_accepted =
    R"({"confirm":{"action":"accept","content":{"confirm":true}}})";

// One skill with a conflict: the copy for Claude Code is older, so it lost.
class ConflictWorld {
public:
  ConflictWorld() {
    m_world.skill(".claude/skills/pdf", "the loser");
    m_world.skill(".agents/skills/pdf", "the winner");
    namespace fs = std::filesystem;
    fs::path loser = m_world / ".claude/skills/pdf/SKILL.md";
    fs::last_write_time(loser, fs::last_write_time(loser) - std::chrono::hours(1));
    REQUIRE(m_world.call(k_sync_enable, SyncEnableParams{}));
    m_world.wait_idle();
    REQUIRE(conflicts().size() == 1);
  }

  SkillsWorld& world() { return m_world; }

  std::vector<Conflict> conflicts() {
    auto found = m_world.call(k_skill_conflicts, SyncConflictsParams{});
    REQUIRE(found);
    return found->conflicts;
  }

  bool holds(std::string_view root, std::string_view text) {
    Result<std::string> read =
        read_file(m_world / (std::string(root) + "/skills/pdf/SKILL.md"), 10'000);
    return read && read->find(text) != std::string::npos;
  }

  Result<Asked<SyncNowResult>> resolve(RequestContext context, bool dry_run = false) {
    ConflictResolveParams params;
    params.skill = "pdf";
    params.take = "loser";
    params.dry_run = dry_run;
    return m_world.run(resolve_conflict(m_world.library(), params, std::move(context)));
  }

  // The question that an agent's call leads to.
  mcp::InputRequired question() {
    auto asked = resolve(agent());
    REQUIRE(asked);
    REQUIRE(std::holds_alternative<mcp::InputRequired>(*asked));
    return std::get<mcp::InputRequired>(*asked);
  }

  static RequestContext agent(std::string_view responses = {}, std::string state = {}) {
    RequestContext context;
    context.principal = "an agent";
    context.client.form = true;
    context.input_responses = responses;
    context.state = std::move(state);
    return context;
  }

private:
  SkillsWorld m_world;
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

} // namespace

TEST_SUITE("conflict_resolve") {
  TEST_CASE("a person's own client is not asked") {
    ConflictWorld world;
    auto done = world.resolve({});
    REQUIRE(done);
    CHECK(std::get<SyncNowResult>(*done).settled.size() == 1);
    CHECK(world.holds(".agents", "the loser"));
    CHECK(world.conflicts().empty());
  }

  TEST_CASE("an agent's call asks the person, and changes nothing before the answer") {
    ConflictWorld world;
    Conflict conflict = world.conflicts().front();
    mcp::InputRequired question = world.question();
    REQUIRE(question.requests.size() == 1);
    CHECK(question.requests[0].key == "confirm");
    CHECK(question.requests[0].kind == mcp::InputKind::elicitation);
    const std::string& form = question.requests[0].params;
    CHECK(has(form, "`pdf`"));
    CHECK(has(form, "is written to every copy"));
    CHECK(has(form, "Overwritten:"));
    CHECK(has(form, world.world() / ".agents/skills/pdf"));
    for (const ConflictVersion& version : conflict.versions) {
      CHECK(has(form, version.hash.substr(0, 12)));
    }
    CHECK(has(form, R"("properties":{"confirm":{"type":"boolean")"));
    CHECK(has(form, R"("default":false)"));
    CHECK(has(form, R"("required":["confirm"])"));
    CHECK_FALSE(question.state.empty());
    CHECK(world.holds(".agents", "the winner"));
    CHECK(world.conflicts().size() == 1);
  }

  TEST_CASE("what the person confirms is done, and only that") {
    ConflictWorld world;
    std::string state = world.question().state;
    SUBCASE("as it was shown") {
      auto done = world.resolve(ConflictWorld::agent(k_accepted, state));
      REQUIRE_MESSAGE(done, done.error().message);
      CHECK(std::get<SyncNowResult>(*done).settled.size() == 1);
      CHECK(world.holds(".agents", "the loser"));
      CHECK(world.holds(".claude", "the loser"));
      CHECK(world.conflicts().empty());
    }
    SUBCASE("not once a copy was changed") {
      world.world().skill(".agents/skills/pdf", "edited meanwhile");
      auto done = world.resolve(ConflictWorld::agent(k_accepted, state));
      REQUIRE_FALSE(done);
      CHECK(done.error().code == ErrorCode::changed);
      CHECK(has(done.error().hint, "call again"));
      CHECK(world.holds(".agents", "edited meanwhile"));
    }
    SUBCASE("not with what was shown for something else") {
      auto done = world.resolve(ConflictWorld::agent(k_accepted, std::string(64, '0')));
      REQUIRE_FALSE(done);
      CHECK(done.error().code == ErrorCode::changed);
      CHECK(world.holds(".agents", "the winner"));
    }
  }

  TEST_CASE("what is no confirmation changes nothing") {
    ConflictWorld world;
    std::string state = world.question().state;
    for (std::string_view answer :
         {R"({"confirm":{"action":"decline"}})",
          R"({"confirm":{"action":"cancel","content":null}})",
          R"({"confirm":{"action":"accept","content":{"confirm":false}}})",
          R"({"confirm":{"action":"accept","content":{}}})",
          R"({"confirm":{"action":"accept"},"other":1})"}) {
      CAPTURE(answer);
      auto done = world.resolve(ConflictWorld::agent(answer, state));
      REQUIRE_FALSE(done);
      CHECK(done.error().code == ErrorCode::refused);
    }
    for (std::string_view answer :
         {R"({})",
          R"({"other":{"action":"accept"}})",
          R"({"confirm":null})",
          R"({"confirm":7})",
          R"({"confirm":{"action":1}})",
          R"({"confirm":{"action":"accept","content":{"confirm":"yes"}}})"}) {
      CAPTURE(answer);
      auto asked = world.resolve(ConflictWorld::agent(answer, state));
      REQUIRE(asked);
      CHECK(std::holds_alternative<mcp::InputRequired>(*asked));
    }
    CHECK(world.holds(".agents", "the winner"));
    CHECK(world.conflicts().size() == 1);
  }

  TEST_CASE("where the client cannot ask, it says who can") {
    ConflictWorld world;
    RequestContext context = ConflictWorld::agent();
    context.client.form = false;
    auto refused = world.resolve(context);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);
    CHECK(refused.error().hint == "`upskill sync resolve` settles it at a terminal");
    CHECK(world.holds(".agents", "the winner"));
  }

  TEST_CASE("a rehearsal asks nobody") {
    ConflictWorld world;
    RequestContext context = ConflictWorld::agent();
    context.client.form = false;
    auto plan = world.resolve(context, true);
    REQUIRE(plan);
    CHECK_FALSE(std::get<SyncNowResult>(*plan).steps.empty());
    CHECK(world.holds(".agents", "the winner"));
    CHECK(world.conflicts().size() == 1);
  }

  TEST_CASE("words that are off are told before anybody is asked") {
    ConflictWorld world;
    ConflictResolveParams params;
    params.skill = "pdf";
    params.take = "ffffffff";
    auto wrong = world.world().run(
        resolve_conflict(world.world().library(), params, ConflictWorld::agent()));
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::invalid_argument);
    params.skill = "pdg";
    wrong = world.world().run(
        resolve_conflict(world.world().library(), params, ConflictWorld::agent()));
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::not_found);
  }
}

TEST_SUITE("plain_line") {
  TEST_CASE("what others wrote stays in its line, and shows what it is") {
    CHECK(plain_line("pdf форма") == "pdf форма");
    CHECK(plain_line("a\nb`c")
          == "a\xEF\xBF\xBD"
             "b'c");
    CHECK(plain_line("x\xE2\x80\xAEy\x1B[2J") == "x\xEF\xBF\xBDy\xEF\xBF\xBD[2J");
    CHECK(plain_line("\xF3\xA0\x81\x81") == "\xEF\xBF\xBD");
    CHECK(plain_line(std::string(400, 'a')) == std::string(300, 'a') + "…");
    CHECK(plain_line("\xFF\xFE") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  }
}
