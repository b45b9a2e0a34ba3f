#include "daemon/students/agent.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/timeout.h"
#include "daemon/students/usage.h"

#include <utility>

namespace upskill::students {
namespace {

constexpr std::string_view k_instructions =
    "You are given a task. Do it with your tools, in the folder `/workspace`, which is yours. "
    "There "
    "is no network. When you have finished, answer with the result.";
constexpr std::string_view k_offer =
    "\n\nSkills are instructions for certain tasks. When the description of a skill fits the task, "
    "read the file at its location before you begin, and do as it says.\n\n<available_skills>\n";

// As agentskills.io has it: XML, so that a description cannot end its own element.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '&':
      out += "&amp;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

std::string system_prompt(const std::vector<OfferedSkill>& skills) {
  std::string text(k_instructions);
  if (skills.empty()) {
    return text;
  }
  text += k_offer;
  for (std::size_t i = 0; i < skills.size(); ++i) {
    text += "  <skill>\n    <name>" + escaped(skills[i].name) + "</name>\n    <description>"
            + escaped(skills[i].description) + "</description>\n    <location>"
            + escaped(skill_location(skills, i)) + "</location>\n  </skill>\n";
  }
  return text + "</available_skills>";
}

std::size_t size_of(const models::Message& message) {
  std::size_t bytes = message.text.size();
  for (const models::ToolCall& call : message.calls) {
    bytes += call.id.size() + call.name.size() + call.arguments.size();
  }
  for (const models::ToolResult& result : message.results) {
    bytes += result.call_id.size() + result.text.size();
  }
  return bytes;
}

// Adds what one turn took.
void add(Work& work, const models::Answer& answer, bool is_first) {
  work.usage = is_first ? answer.usage : sum(work.usage, answer.usage);
  if (is_first) {
    work.cost = answer.cost;
    work.cached = answer.cached;
  } else {
    work.cost = work.cost && answer.cost ? std::optional(*work.cost + *answer.cost) : std::nullopt;
    work.cached = work.cached && answer.cached;
  }
  work.milliseconds += answer.milliseconds;
  work.model = answer.model;
}

std::int64_t milliseconds_since(runtime::Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(runtime::Clock::now() - begin)
      .count();
}

tl::unexpected<Error> endless(const std::string& what) {
  return fail(ErrorCode::timed_out, "the student came to no end within " + what);
}

} // namespace

Agent::Agent(runtime::Pool& pool,
             sandbox::Sandbox& sandbox,
             models::Model& model,
             std::string model_name,
             SkillSets skills,
             AgentOptions options)
    : m_pool(pool)
    , m_sandbox(sandbox)
    , m_model(model)
    , m_model_name(std::move(model_name))
    , m_skills(std::move(skills))
    , m_options(options) {}

asio::awaitable<Result<Work>> Agent::work(Task task) {
  AWAIT(Result<void> works, m_sandbox.check());
  CO_TRY(works);
  std::string who = "the student";
  AWAIT(Result<Work> work,
        runtime::with_timeout(m_options.limit, converse(std::move(task)), std::move(who)));
  co_return work;
}

asio::awaitable<Result<Work>> Agent::converse(Task task) {
  auto make = [this, &task] { return WorkspaceFolder::make(m_pool, task.files); };
  AWAIT(Result<std::shared_ptr<WorkspaceFolder>> workspace, runtime::offload(m_pool, make));
  CO_TRY(workspace);
  const std::vector<OfferedSkill>& skills = m_skills.of(task.arm);
  AgentTools::Context context{m_pool, m_sandbox, m_options.run_limit};
  AgentTools tools(context, *workspace, skills);
  models::Request request;
  request.model = m_model_name;
  request.system = system_prompt(skills);
  request.tools = AgentTools::offered();
  request.max_tokens = m_options.max_answer_tokens;
  request.sample = task.sample;
  models::Message question;
  question.text = std::move(task.input);
  request.messages.push_back(std::move(question));
  Work work;
  std::size_t history = 0;
  std::int64_t calls = 0;
  for (std::int64_t turn = 1; turn <= m_options.max_turns; ++turn) {
    AWAIT(Result<models::Answer> answer, m_model.answer(request));
    CO_TRY(answer);
    if (answer->stop == models::Stop::refusal) {
      co_return fail(ErrorCode::refused, "the model refused to answer");
    }
    add(work, *answer, turn == 1);
    if (answer->calls.empty()) {
      work.turns = turn;
      work.tool_calls = calls;
      work.workspace = std::move(*workspace);
      work.observation.answer = std::move(answer->text);
      work.observation.tokens = total_tokens(work.usage);
      work.observation.cost_usd = work.cost;
      work.observation.seconds = static_cast<double>(work.milliseconds) / 1000;
      work.observation.tools_used = tools.tools_used();
      work.observation.skills_used = tools.skills_used();
      co_return work;
    }
    if (total_tokens(work.usage).value_or(0) > m_options.max_tokens) {
      co_return endless(std::to_string(m_options.max_tokens) + " tokens");
    }
    models::Message said;
    said.role = models::Role::assistant;
    said.text = std::move(answer->text);
    said.calls = std::move(answer->calls);
    models::Message results;
    runtime::Clock::time_point begin = runtime::Clock::now();
    for (const models::ToolCall& call : said.calls) {
      if (static_cast<std::int64_t>(results.results.size()) == m_options.max_calls) {
        // Every call must be answered, or servers reject the next request.
        said.calls.resize(results.results.size());
        results.text = "Only the first " + std::to_string(m_options.max_calls)
                       + " calls of a turn are carried out.";
        break;
      }
      ++calls;
      AWAIT(Result<models::ToolResult> result, tools.use(call));
      CO_TRY(result);
      results.results.push_back(std::move(*result));
    }
    work.milliseconds += milliseconds_since(begin);
    history += size_of(said) + size_of(results);
    if (history > m_options.max_history) {
      co_return fail(ErrorCode::too_large,
                     "the student and its tools said more than "
                         + std::to_string(m_options.max_history) + " bytes");
    }
    request.messages.push_back(std::move(said));
    request.messages.push_back(std::move(results));
  }
  co_return endless(std::to_string(m_options.max_turns) + " turns");
}

} // namespace upskill::students
