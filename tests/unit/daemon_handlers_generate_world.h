#pragma once
#include "daemon/evals/eval_journal.h"
#include "daemon/handlers/generate.h"
#include "tests/support/claude_session.h"
#include "tests/support/skills_world.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace upskill::tests {

inline constexpr std::int64_t k_generated_ms = 1'800'000'000'000; // 2027-01-15T08:00:00Z

inline bool has_line(const std::vector<std::string>& lines, std::string_view part) {
  return std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

template <class T> T needed(Result<T> result) {
  REQUIRE(result);
  return *std::move(result);
}

// A home with a person in a project, whose models are scripts there: a teacher of the skill
// `box-codes`, a writer of test cases, and a student who knows answers by the skill alone.
class GenerateWorld {
public:
  SkillsWorld skills;
  std::string project = skills / "project";
  telemetry::Log log = telemetry::Log::none();
  capture::Desk desk;
  models::Http http;
  evals::EvalJournal journal;
  daemon::GenerateRoom room;
  daemon::Binder binder{log};
  daemon::RequestContext context = {};

  GenerateWorld()
      : desk(executor(), log, desk_options(skills))
      , http(executor())
      , journal(executor(), log, journal_options(skills))
      , room{skills.library(), http, journal, desk} {
    std::filesystem::create_directories(skills / "state");
    std::filesystem::create_directories(project);
    context.caller.cwd = project;
    daemon::bind_generate_handlers(binder, room);
    script("teacher", R"({"answer": )" + json(skill_text()) + R"(, "cost": 0.25})");
    script("writer",
           R"({"user": "Box 1?", "answer": )" + cases_text(21, 40) + R"(}, {"answer": )"
               + cases_text(1, 20) + "}");
    script("student", R"({"system": "Its code ends as", "answer": "pass"}, {"answer": "no"})");
  }

  ~GenerateWorld() {
    skills.run(journal.stop());
    skills.run(desk.stop());
  }

  GenerateWorld(const GenerateWorld&) = delete;
  GenerateWorld& operator=(const GenerateWorld&) = delete;

  asio::any_io_executor executor() { return skills.service().context().io.get_executor(); }

  const Places& places() { return skills.service().context().places; }

  static std::string json(std::string_view text) { return ClaudeSession::quoted(text); }

  static std::string skill_text(const std::string& name = "box-codes") {
    return "---\nname: " + name
           + "\ndescription: Tells the codes of boxes.\n---\n\n# Boxes\n\nIts code ends as the box "
             "does.\n";
  }

  static std::string cases_text(int first, int last) {
    std::string cases;
    for (int box = first; box <= last; ++box) {
      cases += (cases.empty() ? "" : ", ") + std::string(R"({"input": "Box )") + std::to_string(box)
               + R"(?", "expected": {"contains": ["pass"]}})";
    }
    return R"({"cases": [)" + cases + "]}";
  }

  // What `scripted:NAME.json` answers.
  void script(const std::string& name, const std::string& rules) {
    skills.file("project/" + name + ".json", R"({"rules": [)" + rules + "]}");
  }

  static GenerateParams params() {
    GenerateParams params;
    params.task = "Tell the code of a box.";
    params.model = "scripted:teacher.json";
    params.test_gen_model = "scripted:writer.json";
    params.eval_model = {"scripted:student.json"};
    params.log_runs = false;
    return params;
  }

  Result<mcp::Answer> ask(const GenerateParams& params) {
    const MethodInfo* info = find_method(k_skill_generate.name);
    REQUIRE(info != nullptr);
    return skills.run(binder.call_slow(*info, encode(params), daemon::RequestContext(context)));
  }

  Result<GenerateResult> generate(const GenerateParams& params) {
    Result<mcp::Answer> answer = ask(params);
    if (!answer) {
      return tl::make_unexpected(answer.error());
    }
    rpc::JsonParser parser;
    return needed(rpc::decode_arguments<GenerateResult>(
        parser, std::get<mcp::ToolAnswer>(*answer).structured));
  }

  // A session of Claude Code, kept in the archive.
  void keep(const std::string& id, const std::function<void(ClaudeSession&)>& write) {
    ClaudeSession session(id, 100 * ++m_kept); // records of ids that no other session has
    write(session);
    skills.file("sessions/" + id + ".jsonl", session.bytes);
    auto work = [path = skills / ("sessions/" + id + ".jsonl")](archive::Archive& archive) {
      archive::KeepOptions options;
      options.agent = "claude-code";
      options.is_named = true;
      return archive.keep(path, options, k_generated_ms, {});
    };
    needed(skills.run(desk.with(std::move(work))));
  }

  // Of all evaluations that are kept, the newest first.
  std::vector<store::EvaluationRow> evaluations() {
    auto list = [](store::EvalStore& store) { return store.list_evaluations("", 10); };
    return needed(skills.run(journal.with(std::move(list))));
  }

private:
  static capture::DeskOptions desk_options(SkillsWorld& skills) {
    capture::DeskOptions options;
    options.database = skills / "state/traces.db";
    options.objects = skills / "state/traces";
    options.spool = skills / "state/spool";
    options.user_rules = skills / "rules.json";
    options.pool = skills.service().context().pool;
    options.now_ms = [] { return k_generated_ms; };
    options.folders = []() -> asio::awaitable<std::vector<agents::SessionFolder>> {
      std::vector<agents::SessionFolder> none;
      co_return none;
    };
    return options;
  }

  static evals::EvalJournalOptions journal_options(SkillsWorld& skills) {
    evals::EvalJournalOptions options;
    options.path = skills / "state/evals.db";
    options.pool = skills.service().context().pool;
    options.now_ms = [] { return k_generated_ms; };
    return options;
  }

  std::uint64_t m_kept = 0;
};

} // namespace upskill::tests
