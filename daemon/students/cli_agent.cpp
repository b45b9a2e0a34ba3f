#include "daemon/students/cli_agent.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/students/cli_enclosure.h"
#include "daemon/students/cli_result.h"
#include "daemon/students/cli_upstream.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/agent_events/event_reader.h"

#include <sys/stat.h>

#include <exception>
#include <optional>
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
// What a case brings as `.git` is not looked into: git would follow it out of the workspace, and
// write.
asio::awaitable<void> make_repository(runtime::ChildProgram program, std::string folder) {
  struct stat status {};

  if (::lstat(join_path(folder, ".git").c_str(), &status) == 0) {
    co_return;
  }
  program.argv = {"git", "init", "--quiet"};
  program.folder = std::move(folder);
  program.input = {};
  program.limit = k_short_limit;
  AWAIT(Result<runtime::ChildEnd> ended, runtime::run_child(std::move(program)));
  static_cast<void>(ended);
}

std::string socket_of(const CliFolders& folders) {
  return join_path(parent_path(folders.home), k_proxy_socket);
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
  AWAIT(Result<std::unique_ptr<proxy::Proxy>> listening, listen(place->folders(), task.sample));
  CO_TRY(listening);
  proxy::Proxy* proxy = listening->get();
  CliCall call = call_in(place->folders(), proxy);

  agent_events::EventReader reader(m_row.events, names_of(m_skills.of(task.arm)));
  runtime::ChildProgram program = program_in(call);
  Result<void> given = give_prompt(m_row, std::move(task.input), program);
  program.on_line = [&reader](std::string_view line) { reader.take_line(line); };
  std::exception_ptr thrown;
  Result<runtime::ChildEnd> end = tl::make_unexpected(given ? Error{} : given.error());
  if (given) {
    try {
      AWAIT(end, run(place, call, std::move(program)));
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  if (proxy != nullptr) { // also after a cancellation: it belongs to this frame
    co_await asio::this_coro::throw_if_cancelled(false);
    AWAIT_DONE(proxy->stop());
    m_http->rest(); // unless another run asks: kept connections would keep the loop awake
    co_await asio::this_coro::throw_if_cancelled(true);
  }
  if (thrown) {
    std::rethrow_exception(thrown);
  }
  auto tidy = [this, &place] {
    Result<std::string> usage =
        m_row.usage_file.empty() ? std::string() : place->read(m_row.usage_file, k_max_usage);
    place->forget_agent();
    return usage.value_or(std::string());
  };
  AWAIT(std::string usage, runtime::offload(m_pool, std::move(tidy)));
  if (proxy != nullptr && proxy->problem()) {
    co_return fail(*proxy->problem());
  }
  if (!end && end.error().code == ErrorCode::not_found) {
    co_return fail(not_there(m_row));
  }
  CO_TRY(end);
  if (!usage.empty()) {
    reader.take_usage_file(usage);
  }
  CliCall told = m_call; // whose server it is, and both keys
  if (proxy != nullptr) {
    told.keys.emplace("token", proxy->token());
  }
  Result<Work> work = cli_work(m_row, told, *end, reader.finish());
  CO_TRY(work);
  if (proxy != nullptr) {
    take_measured(*work, proxy->measured(), task.arm);
    work->cached = !m_options.replay.empty();
  }
  work->workspace = std::move(place);
  co_return work;
}

asio::awaitable<Result<std::unique_ptr<proxy::Proxy>>> CliAgent::listen(const CliFolders& folders,
                                                                        std::uint32_t sample) {
  std::optional<proxy::Upstream> upstream = upstream_of(m_row, m_call);
  bool is_replay = !m_options.replay.empty();
  if (!upstream && is_replay && !m_row.upstream.empty()) { // whom nobody asks
    upstream = proxy::Upstream{std::string(m_row.upstream), {}};
  }
  if (!upstream && m_options.sandbox != nullptr && !m_call.keys.empty()) {
    co_return fail(ErrorCode::unsupported,
                   "`" + m_name
                       + "` cannot be told to ask its model through a proxy, and has no "
                         "network in the sandbox",
                   "`--base-url` names a server that it can be told; `--no-sandbox` runs it with "
                   "your files and network");
  }
  if (!upstream && (is_replay || !m_options.record.empty())) {
    co_return fail(ErrorCode::unsupported,
                   "what `" + m_name + "` asks cannot be recorded: it is not asked through a proxy",
                   "`--base-url` names a server that it can be told");
  }
  if (!upstream) {
    co_return nullptr;
  }
  auto executor = co_await asio::this_coro::executor;
  if (!m_http) {
    m_http = std::make_unique<models::Http>(executor);
  }
  proxy::ProxyOptions options;
  options.upstream = std::move(*upstream);
  options.environment = [this](const std::string& name) { return m_options.environment(name); };
  for (const OfferedSkill& skill : m_skills.with_skill) {
    options.skills.push_back({skill.name, skill.description, skill.body});
  }
  bool is_enclosed = m_options.sandbox != nullptr;
  if (is_enclosed) {
    options.socket = socket_of(folders);
  }
  if (is_replay || !m_options.record.empty()) {
    const CliFolders seen = is_enclosed ? enclosed_folders() : folders;
    options.records.emplace(
        proxy::ProxyRecords{m_pool,
                            proxy::AgentCassette(is_replay ? m_options.replay : m_options.record),
                            is_replay,
                            sample,
                            {{seen.home, "{home}"},
                             {seen.config, "{config}"},
                             {seen.temporary, "{tmp}"},
                             {seen.workspace, "{workspace}"}}});
  }
  co_return proxy::Proxy::listen(executor, *m_http, std::move(options));
}

CliCall CliAgent::call_in(const CliFolders& folders, const proxy::Proxy* proxy) const {
  CliCall call = m_call;
  call.is_enclosed = m_options.sandbox != nullptr;
  call.folders = call.is_enclosed ? enclosed_folders() : folders;
  if (proxy == nullptr) {
    return call;
  }
  std::uint16_t port = call.is_enclosed ? k_enclosed_port : proxy->port();
  return proxied(m_row,
                 std::move(call),
                 "http://127.0.0.1:" + std::to_string(port) + proxy->path(),
                 proxy->token());
}

asio::awaitable<Result<runtime::ChildEnd>>
CliAgent::run(std::shared_ptr<CliWorkspace> place, CliCall call, runtime::ChildProgram program) {
  auto configure = [this, &place, &call] { return this->configure(*place, call); };
  AWAIT(Result<void> configured, runtime::offload(m_pool, std::move(configure)));
  CO_TRY(configured);
  const CliFolders& folders = place->folders();
  CliCall outside = call;
  outside.folders = folders;
  outside.keys.clear();
  AWAIT_DONE(make_repository(program_in(outside), folders.workspace));
  if (m_options.sandbox == nullptr) {
    AWAIT(Result<runtime::ChildEnd> end, runtime::run_child(std::move(program)));
    co_return end;
  }
  auto look = [this] { return find_installation(m_program, program_path(m_options.environment)); };
  AWAIT(Result<Installation> installation, runtime::offload(m_pool, std::move(look)));
  CO_TRY(installation);
  CO_TRY_ASSIGN(std::string forwarder, find_forwarder());
  std::erase_if(program.environment, [](const auto& one) { return one.starts_with("PATH="); });
  program.environment.push_back("PATH=" + installation->path);
  sandbox::Enclosed inside = enclosed(std::move(program),
                                      *installation,
                                      folders,
                                      call.base_url.empty() ? "" : socket_of(folders),
                                      forwarder);
  AWAIT(Result<void> works, m_options.sandbox->check());
  if (!works) {
    Error error = works.error();
    error.hint = "`--no-sandbox` runs agents with your files and network; or " + error.hint;
    co_return fail(std::move(error));
  }
  AWAIT(Result<runtime::ChildEnd> end, m_options.sandbox->run(std::move(inside)));
  co_return end;
}

asio::awaitable<Result<std::string>> CliAgent::version() {
  auto prepare = [this] { return this->prepare({}); };
  AWAIT(Result<std::shared_ptr<CliWorkspace>> made, runtime::offload(m_pool, std::move(prepare)));
  CO_TRY(made);
  CliCall call = call_in((*made)->folders(), nullptr);
  call.keys.clear();
  call.base_url.clear();
  runtime::ChildProgram program = program_in(call);
  program.argv = {m_program, "--version"};
  program.limit = k_short_limit;
  AWAIT(Result<runtime::ChildEnd> end, run(*made, std::move(call), std::move(program)));
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
  return CliWorkspace::make(m_pool.pool, task, m_skills.of(task.arm), m_row.skills);
}

Result<void> CliAgent::configure(CliWorkspace& place, const CliCall& call) const {
  if (m_row.files != nullptr) {
    for (const auto& [path, bytes] : m_row.files(call)) {
      TRY(place.write(path, bytes));
    }
  }
  return {};
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
