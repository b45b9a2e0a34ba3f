#include "daemon/students/cli_agent.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/students/cli_result.h"
#include "protocol/base/utf8.h"
#include "skills/agent_events/event_reader.h"

#include <utility>

namespace upskill::students {
namespace {

constexpr std::size_t k_max_output = 64u << 20;          // bytes; then it is ended
constexpr std::size_t k_max_usage = 1u << 20;            // bytes of the file
constexpr std::size_t k_max_argument = (128u << 10) - 2; // bytes (MAX_ARG_STRLEN, its end, a space)
constexpr std::size_t k_max_version = 200;               // bytes
constexpr auto k_short_limit = std::chrono::seconds(20);

Error not_there(const CliAgentRow& row) {
  return {ErrorCode::not_found,
          "`cli." + std::string(row.name) + "` needs the program `" + std::string(row.program)
              + "`, which is not in the PATH",
          "`" + std::string(row.install) + "`"};
}

std::string known_agents() {
  std::string all;
  for (const CliAgentRow& row : cli_agents()) {
    all += (all.empty() ? "`cli." : ", `cli.") + std::string(row.name) + "`";
  }
  return "known are " + all;
}

std::vector<std::string> names_of(const std::vector<OfferedSkill>& skills) {
  std::vector<std::string> names;
  for (const OfferedSkill& skill : skills) {
    names.push_back(skill.name);
  }
  return names;
}

// As its input, which nobody else sees; one that takes it as an argument only is given it so.
Result<void> give_prompt(const CliAgentRow& row, std::string text, runtime::ChildProgram& program) {
  if (!row.is_prompt_argument) {
    program.input = std::move(text);
    return {};
  }
  if (text.size() > k_max_argument) {
    return fail(ErrorCode::too_large,
                "the case's input has " + std::to_string(text.size()) + " bytes, `cli."
                    + std::string(row.name) + "` takes " + std::to_string(k_max_argument),
                "put the rest into a file of the case");
  }
  if (text.find('\0') != std::string::npos) {
    return fail(ErrorCode::invalid_argument, "the case's input has a zero byte");
  }
  program.argv.push_back((text.starts_with('-') ? " " : "") + text); // no option
  return {};
}

// Agents look for the root of a project, and some want to go back. Without git they do without.
asio::awaitable<void> make_repository(runtime::ChildProgram program) {
  program.argv = {"git", "init", "--quiet"};
  program.input = {};
  program.limit = k_short_limit;
  AWAIT(Result<runtime::ChildEnd> ended, runtime::run_child(std::move(program)));
  static_cast<void>(ended);
}

} // namespace

Result<std::unique_ptr<CliAgent>> CliAgent::open(std::string_view name,
                                                 runtime::Pool::Share pool,
                                                 SkillSets skills,
                                                 CliAgentOptions options) {
  const CliAgentRow* row = find_cli_agent(name);
  if (row == nullptr) {
    return fail(ErrorCode::invalid_argument,
                "no student is called " + in_backticks(utf8_prefix(name, k_max_version)),
                known_agents());
  }
  TRY_ASSIGN(CliCall call,
             make_cli_call(*row, options.model, options.base_url, options.environment));
  Result<std::string> program =
      runtime::find_program(std::string(row->program), program_path(options.environment));
  if (!program) {
    return program.error().code == ErrorCode::not_found ? fail(not_there(*row))
                                                        : fail(std::move(program).error());
  }
  return std::unique_ptr<CliAgent>(new CliAgent(
      *row, std::move(*program), std::move(call), pool, std::move(skills), std::move(options)));
}

CliAgent::CliAgent(const CliAgentRow& row,
                   std::string program,
                   CliCall call,
                   runtime::Pool::Share pool,
                   SkillSets skills,
                   CliAgentOptions options)
    : m_row(row)
    , m_name("cli." + std::string(row.name))
    , m_program(std::move(program))
    , m_call(std::move(call))
    , m_pool(pool)
    , m_skills(std::move(skills))
    , m_options(std::move(options)) {}

asio::awaitable<Result<Work>> CliAgent::work(Task task) {
  auto prepare = [this, &task] { return this->prepare(task); };
  AWAIT(Result<std::shared_ptr<CliWorkspace>> made, runtime::offload(m_pool, std::move(prepare)));
  CO_TRY(made);
  std::shared_ptr<CliWorkspace> place = std::move(*made);
  CliCall call = m_call;
  call.folders = place->folders();
  runtime::ChildProgram program = program_in(call);
  AWAIT_DONE(make_repository(program));

  agent_events::EventReader reader(m_row.events, names_of(m_skills.of(task.arm)));
  CO_TRY(give_prompt(m_row, std::move(task.input), program));
  program.on_line = [&reader](std::string_view line) { reader.take_line(line); };
  AWAIT(Result<runtime::ChildEnd> end, runtime::run_child(std::move(program)));
  auto tidy = [this, &place] {
    Result<std::string> usage =
        m_row.usage_file.empty() ? std::string() : place->read(m_row.usage_file, k_max_usage);
    place->forget_agent();
    return usage.value_or(std::string());
  };
  AWAIT(std::string usage, runtime::offload(m_pool, std::move(tidy)));
  if (!end && end.error().code == ErrorCode::not_found) {
    co_return fail(not_there(m_row));
  }
  CO_TRY(end);
  if (!usage.empty()) {
    reader.take_usage_file(usage);
  }
  Result<Work> work = cli_work(m_row, call, *end, reader.finish());
  CO_TRY(work);
  work->workspace = std::move(place);
  co_return work;
}

asio::awaitable<Result<std::string>> CliAgent::version() {
  auto prepare = [this] { return this->prepare({}); };
  AWAIT(Result<std::shared_ptr<CliWorkspace>> made, runtime::offload(m_pool, std::move(prepare)));
  CO_TRY(made);
  CliCall call = m_call;
  call.keys.clear();
  call.folders = (*made)->folders();
  runtime::ChildProgram program = program_in(call);
  program.argv = {m_program, "--version"};
  program.limit = k_short_limit;
  AWAIT(Result<runtime::ChildEnd> end, runtime::run_child(std::move(program)));
  auto remove = [&made] { made->reset(); };
  AWAIT_DONE(runtime::offload(m_pool, std::move(remove)));
  CO_TRY(end);
  std::string line = to_valid_utf8(end->output.substr(0, end->output.find('\n')));
  if (!end->is_success() || line.empty()) {
    co_return fail(ErrorCode::unavailable, "`" + m_name + "` does not tell its version");
  }
  co_return std::string(utf8_prefix(line, k_max_version));
}

Result<std::shared_ptr<CliWorkspace>> CliAgent::prepare(const Task& task) const {
  TRY_ASSIGN(std::shared_ptr<CliWorkspace> place,
             CliWorkspace::make(m_pool.pool, task, m_skills.of(task.arm), m_row.skills));
  if (m_row.files != nullptr) {
    CliCall call = m_call;
    call.folders = place->folders();
    for (const auto& [path, bytes] : m_row.files(call)) {
      TRY(place->write(path, bytes));
    }
  }
  return place;
}

runtime::ChildProgram CliAgent::program_in(const CliCall& call) const {
  runtime::ChildProgram program;
  program.argv = cli_argv(m_row, call);
  program.argv.front() = m_program;
  program.environment = cli_environment(m_row, call, m_options.environment);
  program.folder = call.folders.workspace;
  program.max_output = k_max_output;
  program.max_errors = k_max_output;
  program.excess = runtime::Excess::kill;
  program.limit = m_options.limit;
  program.idle_limit = m_options.idle_limit;
  program.max_line = agent_events::k_max_event + 1; // longer ones are broken, and known to be
  return program;
}

} // namespace upskill::students
