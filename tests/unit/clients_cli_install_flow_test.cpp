#include "clients/cli/install_flow.h"
#include "clients/cli/parse.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::cli;

namespace {

using Orders = std::vector<std::string>;

// A person who answers as it was written down, and a source with these skills.
class World : public InstallPerson {
public:
  std::vector<InstalledSkill> skills = {};
  std::vector<std::size_t> picks = {};
  std::vector<std::string> answers = {};
  Reply reply = Reply::yes;
  std::string taken_name = {}; // one more that is here already

  Orders calls = {};
  std::vector<std::string> questions = {};
  int shown = 0;

  Result<std::vector<std::size_t>> pick(const InstallResult&) override { return picks; }

  void show(const Invocation& invocation, const InstallResult&) override {
    CHECK(invocation.flag("dry_run"));
    ++shown;
  }

  Result<std::string> answer(std::string_view question) override {
    questions.emplace_back(question);
    if (answers.empty()) {
      return fail(ErrorCode::cancelled, "interrupted");
    }
    std::string text = answers.front();
    answers.erase(answers.begin());
    return text;
  }

  Reply agree(std::string_view question) override {
    questions.emplace_back(question);
    return reply;
  }

  // What a daemon says of a dry run.
  Result<InstallResult> look(const Invocation& invocation) {
    CHECK(invocation.flag("dry_run")); // nothing is installed before it was agreed to
    calls.push_back(invocation.arguments());
    InstallResult result{"github.com/owner/repo"};
    result.plan = "plan-" + std::to_string(calls.size());
    result.dry_run = true;
    auto named = invocation.values.find("skill");
    bool is_named = named != invocation.values.end();
    result.choose = !is_named && !invocation.flag("all") && skills.size() > 1;
    for (InstalledSkill skill : skills) {
      bool is_wanted = is_named
                           ? std::ranges::find(named->second, skill.skill) != named->second.end()
                           : !result.choose;
      if (!is_wanted) {
        skill.state = InstallState::offered;
      } else if (std::optional<std::string> as = invocation.value("as")) {
        skill.skill = *as;
        bool is_taken = *as == taken_name;
        skill.state = is_taken ? InstallState::taken : InstallState::installed;
        skill.reason = is_taken ? "`" + *as + "` is here too" : "";
      }
      result.skills.push_back(std::move(skill));
    }
    return result;
  }

  Result<std::vector<Invocation>> decide(std::vector<std::string_view> words) {
    auto invocation = parse(words);
    REQUIRE(invocation);
    return decide_install(
        *invocation, [this](const Invocation& order) { return look(order); }, *this);
  }

  // The orders as the daemon will be told them.
  Orders orders(std::vector<std::string_view> words) {
    auto decided = decide(std::move(words));
    REQUIRE(decided);
    Orders orders;
    for (const Invocation& order : *decided) {
      orders.push_back(order.arguments());
    }
    return orders;
  }
};

InstalledSkill comes(std::string name) {
  return {std::move(name), InstallState::installed};
}

InstalledSkill taken(std::string name) {
  return {std::move(name), InstallState::taken};
}

} // namespace

TEST_SUITE("install flow") {
  TEST_CASE("one skill: the plan is shown, and what was shown is ordered") {
    World world;
    world.skills = {comes("pdf")};
    CHECK(world.orders({"install", "o/r"}) == Orders{R"({"source":"o/r","plan":"plan-1"})"});
    CHECK(world.calls == Orders{R"({"source":"o/r","dry_run":true})"});
    CHECK(world.shown == 1);
    CHECK(world.questions == std::vector<std::string>{"Install 1 skill?"});
  }

  TEST_CASE("several: they are chosen first, without fetching twice") {
    World world;
    world.skills = {comes("csv"), comes("docx"), comes("pdf")};
    world.picks = {0, 2};
    CHECK(world.orders({"install", "o/r", "-a", "codex"})
          == Orders{R"({"source":"o/r","skill":["csv","pdf"],"agent":["codex"],"plan":"plan-2"})"});
    CHECK(world.calls.back()
          == R"({"source":"o/r","skill":["csv","pdf"],"agent":["codex"],"plan":"plan-1",)"
             R"("dry_run":true})");
    CHECK(world.questions.back() == "Install 2 skills?");
  }

  TEST_CASE("nothing chosen, or no agreed to, is nothing ordered") {
    World world;
    world.skills = {comes("csv"), comes("docx")};
    CHECK(world.orders({"install", "o/r"}).empty());
    CHECK(world.shown == 0);
    CHECK(world.questions.empty());
    world.reply = Reply::no;
    CHECK(world.orders({"install", "o/r", "--all"}).empty());
    world.reply = Reply::interrupted;
    auto decided = world.decide({"install", "o/r", "--all"});
    REQUIRE_FALSE(decided);
    CHECK(decided.error().code == ErrorCode::cancelled);
  }

  TEST_CASE("where nothing would come, nobody is asked, and the daemon says why") {
    World world;
    world.skills = {{"pdf", InstallState::unchanged}, {"evil", InstallState::dangerous}};
    CHECK(world.orders({"install", "o/r", "--all"})
          == Orders{R"({"source":"o/r","all":true,"plan":"plan-1"})"});
    CHECK(world.questions.empty());
    CHECK(world.shown == 0);
  }

  TEST_CASE("a taken name stays as it is, and is no failure of the others' order") {
    World world;
    world.skills = {comes("csv"), taken("pdf"), {"evil", InstallState::dangerous}};
    world.answers = {""};
    CHECK(world.orders({"install", "o/r", "--all"})
          == Orders{R"({"source":"o/r","skill":["csv","evil"],"plan":"plan-1"})"});
    CHECK(world.questions.back() == "Install 1 skill?");
    World alone;
    alone.skills = {taken("pdf")};
    alone.answers = {"keep"};
    CHECK(alone.orders({"install", "o/r"}).empty());
    CHECK(alone.questions.size() == 1); // there is nothing left to agree to
  }

  TEST_CASE("a taken name is replaced, or the new one comes beside it") {
    World world;
    world.skills = {comes("csv"), taken("docx"), taken("pdf"), taken("xlsx")};
    world.answers = {"r", "pdf-of-owner", "replace"};
    CHECK(world.orders({"install", "o/r", "--all"})
          == Orders{R"({"source":"o/r","skill":["csv"],"plan":"plan-1"})",
                    R"({"source":"o/r","skill":["docx","xlsx"],"replace":true,"plan":"plan-1"})",
                    R"({"source":"o/r","skill":["pdf"],"as":"pdf-of-owner","plan":"plan-1"})"});
    CHECK(world.questions.back() == "Install 4 skills?");
  }

  TEST_CASE("a new name is asked for again until it is one, and free") {
    World world;
    world.skills = {taken("pdf")};
    world.taken_name = "pdf-2";
    world.answers = {"y", "Pdf 3", "-x", "pdf-2", "pdf-3"};
    CHECK(world.orders({"install", "o/r"})
          == Orders{R"({"source":"o/r","skill":["pdf"],"as":"pdf-3","plan":"plan-1"})"});
    REQUIRE(world.questions.size() == 6);
    CHECK(world.questions[4].starts_with("`pdf-2` is here too. "));
    World stubborn;
    stubborn.skills = {taken("pdf")};
    stubborn.answers.assign(99, "no name");
    CHECK(stubborn.orders({"install", "o/r"}).empty());
    CHECK(stubborn.questions.size() == 5); // a program that answers is not asked for ever
  }

  TEST_CASE("a new name that was said beforehand and is taken is asked about as well") {
    World world;
    world.skills = {comes("csv"), comes("pdf")};
    world.taken_name = "pdf-2";
    world.answers = {"pdf-3"};
    CHECK(world.orders({"install", "o/r", "-s", "pdf", "--as", "pdf-2"})
          == Orders{R"({"source":"o/r","skill":["pdf"],"as":"pdf-3","plan":"plan-1"})"});
    world.answers = {"r"};
    CHECK(world.orders({"install", "o/r", "-s", "pdf", "--as", "pdf-2"})
          == Orders{
              R"({"source":"o/r","skill":["pdf"],"as":"pdf-2","replace":true,"plan":"plan-3"})"});
  }

  TEST_CASE("two skills of one name are told apart by their folders") {
    World world;
    world.skills = {comes("pdf"), comes("pdf"), comes("csv")};
    world.skills[0].from = "one/pdf";
    world.skills[1].from = "two/pdf";
    world.skills[2].from = "csv";
    world.picks = {1, 2};
    world.orders({"install", "o/r"});
    CHECK(world.calls.back()
          == R"({"source":"o/r","skill":["two/pdf","csv"],"plan":"plan-1","dry_run":true})");
  }

  TEST_CASE("an error of the daemon, or an interrupt, ends it") {
    World world;
    world.skills = {taken("pdf")};
    auto decided = world.decide({"install", "o/r"}); // nobody answers
    REQUIRE_FALSE(decided);
    CHECK(decided.error().code == ErrorCode::cancelled);
    auto invocation = parse(std::vector<std::string_view>{"install", "o/r"});
    auto broken = decide_install(
        *invocation,
        [](const Invocation&) -> Result<InstallResult> {
          return fail(ErrorCode::unavailable, "no such host");
        },
        world);
    REQUIRE_FALSE(broken);
    CHECK(broken.error().message == "no such host");
  }
}

TEST_SUITE("joined results") {
  TEST_CASE("tell every skill once, with the state of the order it was in") {
    InstallResult first{"github.com/owner/repo"};
    first.skills = {comes("csv"), {"pdf", InstallState::offered}, {"odt", InstallState::offered}};
    first.warnings = {"a"};
    InstallResult second{"github.com/owner/repo"};
    second.skills = {{"csv", InstallState::offered}, {"pdf", InstallState::updated}};
    second.warnings = {"a", "b"};
    InstallResult all = joined_results({first, second});
    REQUIRE(all.skills.size() == 3);
    CHECK(all.skills[0].skill == "csv");
    CHECK(all.skills[0].state == InstallState::installed);
    CHECK(all.skills[1].state == InstallState::offered);
    CHECK(all.skills[2].skill == "pdf");
    CHECK(all.skills[2].state == InstallState::updated);
    CHECK(all.warnings == std::vector<std::string>{"a", "b"});
    CHECK(all.source == "github.com/owner/repo");
  }
}
