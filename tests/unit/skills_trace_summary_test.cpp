#include "skills/trace/parser.h"
#include "skills/trace/summary.h"
#include "tests/support/claude_session.h"

#include <doctest/doctest.h>

#include <random>

using namespace upskill;
using namespace upskill::tests;
using namespace upskill::trace;

namespace {

void take(Summary& summary, std::string_view bytes, std::uint64_t offset = 0) {
  TraceParser parser(Format::claude, offset);
  parser.take(bytes.substr(offset), summary);
  parser.finish(summary);
}

SessionSummary summary_of(std::string_view bytes, TextFilter* filter = nullptr) {
  Summary summary(Format::claude, filter);
  take(summary, bytes);
  return summary.summary();
}

std::string answer(const std::string& message, int output, const std::string& block) {
  return R"("type":"assistant","message":{"model":"m","id":")" + message
         + R"(","role":"assistant","content":[)" + block
         + R"(],"usage":{"input_tokens":10,"cache_read_input_tokens":100,"output_tokens":)"
         + std::to_string(output) + "}}";
}

} // namespace

TEST_CASE("what a session is") {
  ClaudeSession session("s9");
  session.prompt("Fix the build\nof the parser, " + std::string(100, 'x'));
  session.says("I will look.");
  session.runs("t1", "make");
  session.fails("t1", "Exit code 2\nno rule");
  session.calls("t2", "Read", R"({"file_path":"/home/ada/.claude/skills/make/SKILL.md"})");
  session.gives("t2", "# Make");
  session.calls("t3", "Skill", R"({"skill":"ninja"})");
  session.gives("t3", "loaded");
  session.says("Done.");
  session.prompt("no, use ninja");
  session.prompt("[Request interrupted by user]");
  session.prompt("go on");
  session.line(R"("type":"hologram","x":1)");
  session.bytes += "garbage\n";
  session.says("Done again.");
  SessionSummary all = summary_of(session.bytes);
  CHECK(all.harness == "claude-code");
  CHECK(all.session == "s9");
  CHECK(all.first_record == "u1");
  CHECK(all.cwd == "/home/ada/app");
  CHECK(all.branch == "main");
  CHECK(all.version == "2.1.218");
  CHECK(all.title == "Fix the build of the parser, " + std::string(51, 'x')); // 80 bytes
  CHECK(all.models == std::vector<std::string>{"claude-opus-4-6"});
  CHECK(all.first_ms == 1782900001000); // date -ud 2026-07-01T10:00:01Z +%s
  CHECK(all.last_ms == 1782900014000);
  CHECK(all.counts.records == 15);
  CHECK(all.counts.prompts == 3);
  CHECK(all.counts.answers == 3);
  CHECK(all.counts.calls == 3);
  CHECK(all.counts.errors == 1);
  CHECK(all.counts.interrupts == 1);
  CHECK(all.counts.corrections == 1);
  CHECK(all.counts.unknown == 1);
  CHECK(all.counts.unreadable == 1);
  CHECK(all.unknown == std::map<std::string, std::uint64_t>{{"hologram", 1}});
  CHECK(all.tools.at("Bash") == ToolCount{1, 1});
  CHECK(all.tools.at("Read") == ToolCount{1, 0});
  CHECK(all.skills == std::map<std::string, std::uint64_t>{{"make", 1}, {"ninja", 1}});
  CHECK(all.outcome == Outcome::done);
  CHECK(all.tokens.input == 18); // six answers of 3 and 8
  CHECK(all.tokens.output == 48);
  CHECK(all.index.answers == "I will look.\nDone.\nDone again.");
  CHECK(all.index.work
        == "make\nExit code 2\nno rule\n/home/ada/.claude/skills/make/SKILL.md\nninja");
  CHECK(!all.is_helper);
}

TEST_CASE("an answer in several records is counted once, by its largest output") {
  ClaudeSession session;
  session.line(answer("m1", 2, R"({"type":"thinking","thinking":"x"})"));
  session.line(answer("m1", 50, R"({"type":"text","text":"x"})"));
  session.line(answer("m1", 7, R"({"type":"tool_use","id":"t","name":"Read","input":{}})"));
  session.line(answer("m2", 5, R"({"type":"text","text":"y"})"));
  session.line(answer("m1", 60, R"({"type":"text","text":"z"})"));
  SessionSummary all = summary_of(session.bytes);
  CHECK(all.tokens.input == 20);
  CHECK(all.tokens.cache_read == 200);
  CHECK(all.tokens.output == 65);
  CHECK(!all.tokens.cost);
}

TEST_CASE("what each model took is told apart") {
  ClaudeSession session;
  session.line(answer("m1", 2, R"({"type":"text","text":"x"})"));
  std::string other = answer("m2", 5, R"({"type":"text","text":"y"})");
  std::size_t model = other.find(R"("model":")") + 9;
  std::string first = other.substr(model, other.find('"', model) - model);
  session.line(other.replace(model, first.size(), "claude-haiku-4-5"));
  session.line(answer("m1", 20, R"({"type":"text","text":"z"})"));
  SessionSummary all = summary_of(session.bytes);
  REQUIRE(all.by_model.size() == 2);
  CHECK(all.by_model[first].input == 10);
  CHECK(all.by_model[first].output == 20);
  CHECK(all.by_model["claude-haiku-4-5"].input == 10);
  CHECK(all.by_model["claude-haiku-4-5"].output == 5);
}

TEST_CASE("a total takes the place of what was counted") {
  Envelope envelope;
  Event event;
  event.envelope = &envelope;
  event.form = EventForm::usage;
  Summary summary(Format::codex);
  Usage usage;
  usage.is_total = true;
  for (std::int64_t total : {10, 25}) {
    usage.input = total;
    event.usage = usage;
    summary.take(event);
  }
  CHECK(summary.summary().tokens.input == 25);
}

TEST_CASE("what a session's outcome is") {
  auto outcome = [](auto fill) {
    ClaudeSession session;
    session.prompt("Fix it");
    fill(session);
    return summary_of(session.bytes).outcome;
  };
  CHECK(outcome([](ClaudeSession&) {}) == Outcome::unknown);
  CHECK(outcome([](ClaudeSession& s) { s.says("ok"); }) == Outcome::done);
  CHECK(outcome([](ClaudeSession& s) {
          s.runs("t", "make");
          s.fails("t", "Exit code 1");
        })
        == Outcome::failed);
  CHECK(outcome([](ClaudeSession& s) {
          s.runs("t", "make");
          s.fails("t", "Exit code 1");
          s.says("I give up");
        })
        == Outcome::done);
  CHECK(outcome([](ClaudeSession& s) {
          s.says("ok");
          s.prompt("perfect");
        })
        == Outcome::approved);
  CHECK(outcome([](ClaudeSession& s) {
          s.says("ok");
          s.prompt("no, that's wrong");
        })
        == Outcome::corrected);
  CHECK(outcome([](ClaudeSession& s) {
          s.runs("t", "make");
          s.prompt("[Request interrupted by user]");
        })
        == Outcome::interrupted);
  CHECK(outcome([](ClaudeSession& s) {
          s.says("ok");
          s.prompt("thanks, now deploy");
          s.runs("t", "deploy");
          s.fails("t", "Exit code 1");
        })
        == Outcome::failed);
}

TEST_CASE("a helper's own file, and a helper within a session") {
  ClaudeSession own;
  own.is_sidechain = true;
  own.prompt("Search");
  own.line(R"("type":"assistant","agentId":"a7","message":{"id":"m","content":[]})");
  SessionSummary helper = summary_of(own.bytes);
  CHECK(helper.is_helper);
  CHECK(helper.agent == "a7");
  CHECK(helper.counts.prompts == 1);

  ClaudeSession session;
  session.prompt("Fix it");
  session.is_sidechain = true;
  session.prompt("Search");
  session.runs("t", "grep");
  session.fails("t", "Exit code 1");
  SessionSummary all = summary_of(session.bytes);
  CHECK(!all.is_helper);
  CHECK(all.counts.prompts == 1);
  CHECK(all.counts.calls == 1);
  CHECK(all.counts.errors == 1);
  CHECK(all.outcome == Outcome::unknown);
}

TEST_CASE("everything is bounded") {
  ClaudeSession session;
  for (int i = 0; i < 400; ++i) {
    std::string id = std::to_string(i);
    session.prompt(std::string(3000, 'p') + id);
    session.says(std::string(3000, 'a') + id);
    session.calls("t" + id, "Tool" + id, R"({"command":")" + std::string(500, 'c') + "\"}");
    session.fails("t" + id, std::string(1000, 'e'));
    session.calls("r" + id, "Read", R"({"path":"/skills/skill)" + id + R"(/SKILL.md"})");
    session.gives("r" + id, "x");
    session.line(R"("type":"unknown)" + id + "\"");
  }
  Summary summary(Format::claude);
  take(summary, session.bytes);
  SessionSummary all = summary.summary();
  CHECK(all.tools.size() == 256);
  CHECK(all.skills.size() == 64);
  CHECK(all.unknown.size() == 64);
  CHECK(all.counts.unknown == 400);
  CHECK(all.counts.calls == 800);
  CHECK(all.index.prompts.size() == 96u << 10);
  CHECK(all.index.title.size() + all.index.prompts.size() + all.index.answers.size()
            + all.index.work.size()
        <= 256u << 10);
  CHECK(summary.saved().size() < 600u << 10);
}

TEST_CASE("the summary of a beginning, restored and given the rest, is that of the whole") {
  unsigned seed = std::random_device{}();
  MESSAGE("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 10; ++round) {
    ClaudeSession session;
    std::vector<std::uint64_t> borders = {0};
    std::vector<std::string> open;
    for (int i = 0; i < 40; ++i) {
      std::string id = std::to_string(i);
      std::string some = std::to_string(random() % 5);
      switch (random() % 9) {
      case 0:
        session.prompt(random() % 2 == 0 ? "no, wrong \u00fc" : "thanks, next");
        break;
      case 1:
        session.prompt("[Request interrupted by user]");
        break;
      case 2:
        session.line(
            answer("m" + some, static_cast<int>(random() % 99), R"({"type":"text","text":"ok"})"));
        break;
      case 3:
        session.line(R"("type":"ai-title","aiTitle":"title )" + some + "\"");
        break;
      case 4:
        session.line(R"("type":"odd)" + some + "\"");
        break;
      case 5:
      case 6:
        session.calls("t" + id, "Read", R"({"path":"/skills/s)" + some + R"(/SKILL.md"})");
        open.push_back("t" + id);
        break;
      default:
        if (!open.empty()) {
          random() % 2 == 0 ? session.gives(open.back(), "x") : session.fails(open.back(), "x");
          open.pop_back();
        }
      }
      borders.push_back(session.bytes.size());
    }
    SessionSummary whole = summary_of(session.bytes);
    for (std::uint64_t border : borders) {
      CAPTURE(border);
      Summary beginning(Format::claude);
      take(beginning, std::string_view(session.bytes).substr(0, border));
      Result<Summary> rest = Summary::restored(beginning.saved(), Format::claude);
      REQUIRE(rest);
      REQUIRE(rest->summary() == beginning.summary());
      take(*rest, session.bytes, border);
      REQUIRE(rest->summary() == whole);
    }
  }
}

TEST_CASE("a state that is none is told, and never believed") {
  std::string good = Summary(Format::claude).saved();
  CHECK(Summary::restored(good, Format::claude));
  for (const std::string& bad : {std::string(),
                                 std::string("{}"),
                                 std::string("[1]"),
                                 std::string("{\"summary\":1}"),
                                 good.substr(0, good.size() / 2),
                                 std::string(5u << 20, ' '),
                                 std::string(R"({"summary":1,"tools":{"a":1}})")}) {
    Result<Summary> summary = Summary::restored(bad, Format::claude);
    REQUIRE(!summary);
    CHECK(summary.error().code == ErrorCode::corrupt);
  }
}

TEST_CASE("texts are cleaned before they are kept") {
  struct Secrets : TextFilter {
    void clean(std::string& text) override {
      for (std::size_t at = text.find("secret"); at != std::string::npos;
           at = text.find("secret")) {
        text.replace(at, 6, "[gone]");
      }
    }
  };

  Secrets secrets;
  ClaudeSession session;
  session.prompt("my secret");
  session.says("your secret");
  session.runs("t", "echo secret");
  session.fails("t", "secret: not found");
  session.line(R"("type":"ai-title","aiTitle":"A secret")");
  Summary summary(Format::claude, &secrets);
  take(summary, session.bytes);
  CHECK(summary.saved().find("secret") == std::string::npos);
  CHECK(summary.summary().title == "A [gone]");
  CHECK(summary.summary().index.work == "echo [gone]\n[gone]: not found");
}
