#include "clients/cli/exit_code.h"
#include "clients/cli/help.h"
#include "clients/cli/progress.h"
#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"
#include "protocol/codec/codec.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::cli;

namespace {

Screen screen(std::size_t columns, bool colour = false) {
  Screen screen;
  screen.columns = columns;
  screen.colour = colour;
  screen.home = "/home/ann";
  return screen;
}

Invocation invoked(std::vector<std::string_view> words) {
  auto invocation = parse(words);
  REQUIRE(invocation);
  return *invocation;
}

struct Shown {
  std::string out;
  std::string err;
};

Shown shown(std::vector<std::string_view> words, const std::string& result, bool colour = false) {
  Page page(screen(80, colour));
  auto reader = connect::TextReader::open(result, "the result");
  REQUIRE(reader);
  Result<void> done = render(page, invoked(std::move(words)), *reader);
  if (!done) {
    FAIL(done.error().message);
  }
  return {page.text(Stream::out), page.text(Stream::err)};
}

int exit_code(std::vector<std::string_view> words, const std::string& result) {
  auto reader = connect::TextReader::open(result, "the result");
  REQUIRE(reader);
  return exit_code_of(invoked(std::move(words)), *reader);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, display_width(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

SkillSummary skill(std::string name, std::string description) {
  SkillSummary summary;
  summary.skill = std::move(name);
  summary.description = std::move(description);
  summary.tokens = 1520;
  summary.agents = {"claude-code", "codex"};
  return summary;
}

} // namespace

TEST_SUITE("Table") {
  TEST_CASE("lines columns up by what is seen") {
    Page page(screen(40));
    Table table({{"NAME"}, {"N", Fit::right}});
    table.add({{"技能"}, {"1"}});
    table.add({{"abc"}, {"1000"}});
    table.print(page);
    CHECK(page.text(Stream::out) == "NAME     N\n技能     1\nabc   1000\n");
  }

  TEST_CASE("cuts what may shrink and nothing else") {
    Page page(screen(24));
    Table table({{"NAME"}, {"TEXT", Fit::shrinks}});
    table.add({{"a-long-name"}, {"a very long description of it"}});
    table.print(page);
    CHECK(page.text(Stream::out) == "NAME         TEXT\na-long-name  a very lon…\n");
  }

  TEST_CASE("fits any screen of forty columns and more") {
    for (std::size_t columns : {40u, 60u, 80u, 200u}) {
      Page page(screen(columns));
      Table table({{"A"}, {"B", Fit::shrinks}, {"C", Fit::shrinks}, {"D", Fit::right}});
      table.add({{std::string(70, 'a')}, {std::string(90, 'b')}, {std::string(90, 'c')}, {"12"}});
      table.print(page);
      CHECK(widest_line(page.text(Stream::out)) <= columns);
    }
  }
}

TEST_SUITE("render") {
  TEST_CASE("has a picture of every command's result") {
    for (const MethodInfo& method : catalog()) {
      CAPTURE(method.name);
      CHECK((method.command.empty() || has_renderer(method.name)));
    }
  }

  TEST_CASE("shows nothing that could act on a terminal") {
    SkillListResult result;
    result.skills = {skill("evil\x1b[2J",
                           "\x1b]0;owned\x07"
                           "hi\r\x08")};
    result.total = 1;
    std::string out = shown({"list"}, encode(result)).out;
    CHECK_FALSE(has(out, "\x1b"));
    CHECK_FALSE(has(out, "owned"));
    CHECK_FALSE(has(out, "\r"));
    CHECK(has(out, "evil"));
  }

  TEST_CASE("colours only where there may be colours") {
    SkillListResult result;
    result.skills = {skill("pdf", "Reads PDF.")};
    result.total = 1;
    CHECK(has(shown({"list"}, encode(result), true).out, "\x1b[32min sync\x1b[0m"));
    CHECK(has(shown({"list"}, encode(result), false).out, "in sync"));
  }

  TEST_CASE("tells where a page of a list goes on") {
    SkillListResult result;
    result.skills = {skill("pdf", "Reads PDF.")};
    result.total = 1042;
    result.next_cursor = "pdf";
    CHECK(has(shown({"list"}, encode(result)).out, "1 of 1,042 skills; go on with --cursor pdf"));
  }

  TEST_CASE("tells what to do next where there is nothing") {
    CHECK(has(shown({"list"}, encode(SkillListResult{})).out, "`upskill agents`"));
    CHECK(has(shown({"list", "x"}, encode(SkillListResult{})).out, "`upskill list`"));
    CHECK(has(shown({"status"}, encode(StatusResult{})).out, "`upskill agents --all`"));
    StatusResult with_agents;
    with_agents.agents = 2;
    CHECK(has(shown({"status"}, encode(with_agents)).out, "`upskill sync enable`"));
    CHECK(has(shown({"sync", "status"}, encode(SyncStatusResult{})).out, "`upskill sync enable`"));
    CHECK(has(shown({"sync", "conflicts"}, encode(SyncConflictsResult{})).out, "no conflicts"));
    CHECK(has(shown({"sync", "log"}, encode(SyncLogResult{})).out, "not changed anything"));
    CHECK(has(shown({"agents"}, encode(AgentListResult{})).out, "--all"));
    CHECK(has(shown({"doctor"}, encode(DoctorResult{})).out, "all is well"));
    CHECK(has(shown({"sync", "now"}, encode(SyncNowResult{})).out, "nothing to do"));
  }

  TEST_CASE("validates in the reference validator's words and streams") {
    SkillValidateResult result;
    result.valid = false;
    SkillValidation good;
    good.path = "/s/good";
    SkillValidation bad;
    bad.path = "/s/Bad";
    bad.valid = false;
    bad.errors = {"Skill name 'Bad' must be lowercase", "Description exceeds"};
    result.skills = {good, bad};
    Shown text = shown({"validate", "x"}, encode(result));
    CHECK(text.out == "Valid skill: /s/good\n");
    CHECK(text.err
          == "Validation failed for /s/Bad:\n  - Skill name 'Bad' must be lowercase\n"
             "  - Description exceeds\n");
  }

  TEST_CASE("draws a skill's copies under the folders they lie in, aliases too") {
    SyncStatusResult result;
    result.enabled = true;
    RootStatus agents;
    agents.path = "/home/ann/.agents/skills";
    RootStatus claude;
    claude.path = "/home/ann/.claude/skills";
    claude.aliases = {"/home/ann/.cursor/skills"};
    result.roots = {agents, claude};
    SkillSyncStatus pdf;
    pdf.skill = "pdf";
    pdf.state = SkillSyncState::pending;
    pdf.replicas = {{"/home/ann/.cursor/skills/pdf", ReplicaState::changed}};
    result.skills = {pdf};
    std::string out = shown({"sync", "status"}, encode(result)).out;
    CHECK(has(out, "1  ~/.agents/skills"));
    CHECK(has(out, "pdf    ·  ±  pending"));
    CHECK(has(out, "± changed"));
  }

  TEST_CASE("counts a plan's steps by kind and lists no more than a screenful") {
    SyncPlanResult plan;
    plan.agents = {"codex"};
    for (int i = 0; i < 30; ++i) {
      plan.steps.push_back({SyncAction::create, "s" + std::to_string(i), "/x"});
    }
    std::string out = shown({"sync", "plan"}, encode(plan)).out;
    CHECK(has(out, "create 30"));
    CHECK(has(out, "and 10 more"));
    CHECK(has(out, "What sync would do"));
  }

  TEST_CASE("shows what a loser changes, as a diff") {
    SyncConflictsResult result;
    Conflict conflict;
    conflict.id = 3;
    conflict.skill = "pdf";
    conflict.time = "2026-11-21T05:51:36Z";
    conflict.versions = {{.hash = "aaaa", .path = "/home/ann/.agents/skills/pdf", .winner = true},
                         {.hash = "bbbb",
                          .path = "/home/ann/.claude/skills/pdf",
                          .stored = "/kept",
                          .diff = "@@ -1 +1 @@\n-old\n+new\n"}};
    result.conflicts = {conflict};
    std::string out = shown({"sync", "conflicts"}, encode(result), true).out;
    CHECK(has(out, "\x1b[31m-old\x1b[0m"));
    CHECK(has(out, "\x1b[32m+new\x1b[0m"));
    CHECK(has(out, "sync resolve pdf loser"));
    CHECK_FALSE(has(out, "differs in"));
    CHECK_FALSE(has(out, "edited since"));
    conflict.versions[0].edited = true;
    conflict.versions[0].before = "cccc";
    conflict.versions[1].differs = {"SKILL.md", "scripts/run.sh"};
    conflict.versions[1].more_differ = 3;
    result.conflicts = {conflict};
    out = shown({"sync", "conflicts"}, encode(result)).out;
    CHECK(has(out, "differs in SKILL.md, scripts/run.sh and 3 more"));
    CHECK(has(out, "edited since it won; it was cccc then"));
    result.conflicts.push_back(conflict); // in another scope
    result.conflicts.back().id = 4;
    out = shown({"sync", "conflicts"}, encode(result)).out;
    CHECK(has(out, "sync resolve 3 loser"));
    CHECK(has(out, "sync resolve 4 loser"));
  }

  TEST_CASE("says after a wait what is not in sync all the same") {
    WaitIdleResult result{SyncState::idle};
    CHECK(shown({"sync", "wait"}, encode(result)).out == "Everything is seen and synced.\n");
    for (SyncState state : {SyncState::idle, SyncState::held, SyncState::halted}) {
      result = {state, 2};
      std::string out = shown({"sync", "wait"}, encode(result)).out;
      CHECK(has(out, "2 skills have problems: `upskill sync status`"));
      CHECK_FALSE(has(out, "seen and synced"));
    }
  }

  TEST_CASE("tells all of why a skill is left out") {
    SyncPlanResult result;
    result.left_out = {{"pdf", "user", "its text is " + std::string(100, 'l') + " long indeed"}};
    std::string out = shown({"sync", "enable", "--dry-run"}, encode(result)).out;
    CHECK(has(out, "left out 1"));
    CHECK(has(out, "long indeed"));
  }

  TEST_CASE("counts what an agent lists more than once") {
    DoctorResult result;
    result.healthy = false;
    AgentView view;
    view.agent = "cursor";
    view.lists = {{"pdf", "/home/ann/.agents/skills/pdf", 2, "also in ~/.claude/skills"}};
    view.misses = {"docx"};
    result.agents = {view};
    std::string out = shown({"doctor"}, encode(result)).out;
    CHECK(has(out, "lists 2 skills, 1 of them more than once"));
    CHECK(has(out, "listed 2 times"));
    CHECK(has(out, "cannot see it"));
  }

  TEST_CASE("fails on what is not the result it knows") {
    Page page(screen(80));
    auto reader = connect::TextReader::open(R"({"surprise":1})", "the result");
    CHECK_FALSE(render(page, invoked({"status"}), *reader));
  }
}

TEST_SUITE("exit_code_of") {
  TEST_CASE("says no where the answer is no") {
    CHECK(exit_code({"validate", "x"}, R"({"valid":true,"skills":[]})") == 0);
    CHECK(exit_code({"validate", "x"}, R"({"valid":false,"skills":[]})") == 1);
    CHECK(exit_code({"doctor"}, R"({"healthy":false})") == 0);
    CHECK(exit_code({"doctor", "--check"}, R"({"healthy":false})") == 1);
    CHECK(exit_code({"doctor", "--check"}, R"({"healthy":true})") == 0);
  }

  TEST_CASE("is in sync only when sync is on and every skill is") {
    std::string in_sync = R"({"enabled":true,"state":"idle","skills":[{"state":"in_sync"}]})";
    std::string pending = R"({"enabled":true,"state":"working","skills":[{"state":"pending"}]})";
    std::string off = R"({"enabled":false,"state":"off","skills":[]})";
    std::string halted = R"({"enabled":true,"state":"halted","skills":[]})";
    CHECK(exit_code({"sync", "status", "--check"}, in_sync) == 0);
    CHECK(exit_code({"sync", "status", "--check"}, pending) == 1);
    CHECK(exit_code({"sync", "status", "--check"}, off) == 1);
    CHECK(exit_code({"sync", "status", "--check"}, halted) == 1);
    CHECK(exit_code({"sync", "status"}, pending) == 0);
    std::string stopped = R"({"enabled":true,"state":"stopped","skills":[]})";
    CHECK(exit_code({"sync", "status", "--check"}, stopped) == 1);
    CHECK(exit_code({"sync", "status"}, stopped) == 3);
  }

  TEST_CASE("tells usage from what could not be done") {
    CHECK(exit_code_of(Error{ErrorCode::invalid_argument, ""}) == 2);
    CHECK(exit_code_of(Error{ErrorCode::unavailable, ""}) == 3);
    CHECK(exit_code_of(Error{ErrorCode::no_space, ""}) == 3);
    CHECK(exit_code_of(Error{ErrorCode::cancelled, ""}) == 130);
  }
}

TEST_SUITE("help") {
  TEST_CASE("names every command, and its page fits forty columns") {
    Page overview(screen(80));
    show_overview(overview);
    std::string out = overview.text(Stream::out);
    CHECK(widest_line(out) <= 80);
    for (const Command& command : all_commands()) {
      CAPTURE(command.words);
      CHECK(has(out, "  " + command.words) == (command.words != "reference"));
      Page page(screen(60));
      show_command(page, command);
      CHECK(has(page.text(Stream::out), "Usage  upskill " + command.words));
    }
  }
}

TEST_SUITE("progress_line") {
  TEST_CASE("draws twenty cells where the total is known") {
    CHECK(progress_line(1, 2.0, "hashing", 80, true) == "██████████░░░░░░░░░░ 50%  hashing");
    CHECK(progress_line(5, 2.0, "", 80, false) == "#################### 100%  ");
    CHECK(progress_line(3, std::nullopt, "copying", 80, true) == "3  copying");
    CHECK(progress_line(0, std::nullopt, "a\nb", 80, true) == "a b");
    CHECK(progress_line(0, std::nullopt, "abcdefghij", 6, true) == "abcd…");
  }
}

TEST_SUITE("what is shown is true") {
  TEST_CASE("sync disable of a project leaves the rest on") {
    std::string result = R"({"enabled":true,"policy":"cover","agents":[],"roots":[],"steps":[],)"
                         R"("in_sync":0})";
    std::string text =
        shown({"sync", "disable", "--project", "/home/ann/work", "--yes"}, result).out;
    CHECK(has(text, "Sync of `~/work` is off"));
    CHECK(has(text, "stays so"));
    CHECK(has(shown({"sync", "disable", "--yes"}, result).out, "Sync is off"));
  }

  TEST_CASE("what is asked about one skill is answered about that one") {
    CHECK(has(shown({"sync", "log", "pdf"}, R"({"entries":[]})").out,
              "Sync has not changed `pdf` yet."));
    CHECK(has(shown({"sync", "log"}, R"({"entries":[]})").out, "changed anything yet"));
    CHECK(has(shown({"sync", "conflicts", "pdf"}, R"({"conflicts":[]})").out, "`pdf` has no"));
    std::string status = R"({"enabled":true,"policy":"cover","state":"idle","agents":["codex"],)"
                         R"("roots":[],"skills":[],"conflicts":0,"held":0})";
    CHECK(has(shown({"sync", "status", "pdf"}, status).out, "`pdf` is not under sync."));
    CHECK(exit_code({"sync", "status", "pdf", "--check"}, status) == 1);
    CHECK(exit_code({"sync", "status", "--check"}, status) == 0);
  }

  TEST_CASE("the log says that there are older entries") {
    std::string entry = R"({"id":1,"time":"2026-11-21T05:51:00Z","action":"create","skill":"a"})";
    CHECK(
        has(shown({"sync", "log"}, R"({"entries":[)" + entry + R"(],"more":true})").out, "older"));
    CHECK_FALSE(has(shown({"sync", "log"}, R"({"entries":[)" + entry + "]}").out, "older"));
  }

  TEST_CASE("a conflict is listed as one, also where all copies are the same") {
    SkillListResult result;
    result.skills = {skill("pdf", "x")};
    result.total = 1;
    result.skills[0].state = SkillSyncState::conflict;
    std::string text = shown({"list"}, encode(result)).out;
    CHECK(has(text, "conflict"));
    CHECK_FALSE(has(text, "in sync"));
  }

  TEST_CASE("each warning of sync status comes once, with short paths") {
    std::string status =
        R"({"enabled":true,"policy":"cover","state":"halted","agents":["codex"],"roots":[{"path":)"
        R"("/home/ann/.agents/skills","scope":"user","state":"halted","reason":)"
        R"("`/home/ann/.agents/skills` vanished","agents":["codex"],"skills":0}],"skills":[],)"
        R"("conflicts":0,"held":1,"warnings":["`/home/ann/.agents/skills` vanished",)"
        R"("`/home/ann/.agents/skills` vanished","other"]})";
    std::string text = shown({"sync", "status"}, status).out;
    CHECK(has(text, "warning: `~/.agents/skills` vanished\n"));
    CHECK(text.find("vanished") == text.rfind("vanished"));
    CHECK(has(text, "warning: other"));
    CHECK_FALSE(has(text, "/home/ann"));
    CHECK(has(text, "1 held deletion waits for you"));
    CHECK_FALSE(has(text, "0 conflicts"));
  }

  TEST_CASE("validate and doctor write the home folder as ~") {
    std::string text = shown({"validate", "x"},
                             R"({"valid":true,"skills":[{"skill":"a","path":"/home/ann/a",)"
                             R"("valid":true,"errors":[],"warnings":["`/home/ann/a/b` is odd"],)"
                             R"("loaders":[],"tokens":1}]})")
                           .out;
    CHECK(has(text, "Valid skill: ~/a\n"));
    CHECK(has(text, "`~/a/b` is odd"));
    Page page(screen(80));
    CHECK(page.prose("see /home/ann/x and (/home/ann/y), not /mnt/home/ann/z or /home/anna")
          == "see ~/x and (~/y), not /mnt/home/ann/z or /home/anna");
  }
}

TEST_SUITE("narrow screens") {
  TEST_CASE("no table is wider than 40 columns") {
    Page page(screen(40));
    Table table({{"SKILL"},
                 {"AGENTS", Fit::shrinks},
                 {"TOKENS", Fit::right},
                 {"STATE"},
                 {"FROM", Fit::shrinks},
                 {"DESCRIPTION", Fit::shrinks},
                 {"WHERE"}});
    table.add({{"a-rather-long-name"},
               {"claude-code, codex"},
               {"~1,520"},
               {"in sync"},
               {"~/.claude/skills"},
               {"What it does."},
               {"12 copies"}});
    table.print(page, 2);
    CHECK(widest_line(page.text(Stream::out)) <= 40);
  }
}
