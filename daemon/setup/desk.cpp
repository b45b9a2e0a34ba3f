#include "daemon/setup/desk.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/setup/order.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/utf8.h"

#include <sys/stat.h>
#include <unistd.h>

#include <iterator>
#include <map>
#include <utility>

namespace upskill::setup {
namespace {

constexpr std::size_t k_max_table = 1u << 20; // bytes

// Of the project that is meant, without links.
Result<std::string> project_of(Scope scope, const std::string& project, const std::string& cwd) {
  if (scope == Scope::user) {
    return std::string();
  }
  if (cwd.empty() && !project.starts_with('/')) {
    return fail(ErrorCode::invalid_argument, "params.project: must be an absolute path");
  }
  std::string path = real_path(normalized_path(project.empty() ? "." : project, cwd));

  struct stat status {};

  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::invalid_argument,
                "params.project: " + in_backticks(path) + " is no folder",
                "name the folder of a project, or run this in it");
  }
  return path;
}

// Of a dry run that was shown, a file that is not as it was then.
void hold_to_plan(FileChange& change, const std::string& plan) {
  if (plan.empty() || !change.is_change || plan.find(change.plan_key()) != std::string::npos) {
    return;
  }
  change.is_change = false;
  change.step.state = SetupState::failed;
  change.step.diff.clear();
  change.step.reason = in_backticks(change.file.path) + " was changed since the plan was shown";
  change.step.hint = "run the same command again";
  change.others.push_back(std::move(change.step));
}

} // namespace

SetupDesk::SetupDesk(daemon::SyncService& service, capture::Desk& capture)
    : m_service(service)
    , m_capture(capture)
    , m_turns(service.context().io.get_executor()) {}

Result<std::string> upskill_program() {
  std::string path(4096, '\0');
  ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  std::string program = join_path(parent_path(path), "upskill");
  if (path.empty() || ::access(program.c_str(), X_OK) != 0) {
    return fail(ErrorCode::not_found,
                "the program `upskill` is not beside `upskilld`",
                "install both into the same folder");
  }
  return program;
}

agents::Setting SetupDesk::setting(const std::string& project) const {
  return {places(), m_service.environment(), agents::real_probe(), project};
}

// Who is meant: those that were named, or those that are here.
Awaitable<void> SetupDesk::look_at_agents(Order& order) {
  AWAIT(Result<std::shared_ptr<const daemon::Scene>> scene, m_service.scene());
  CO_TRY(scene);
  using Found = Result<std::vector<agent_config::FoundConnection>>;
  auto look = [&]() -> Found {
    std::string path = join_path(places().config, "agents.json");
    Result<std::string> users = read_file(path, k_max_table);
    Result<std::vector<agent_config::Connection>> known =
        agent_config::read_connections(users ? *users : "");
    if (!known) {
      order.result.warnings.push_back(known.error().message);
      known = agent_config::read_connections("");
    }
    TRY(known);
    return agent_config::find_connections(*known, (*scene)->table, setting(order.project));
  };
  AWAIT(Found found, runtime::offload(m_service.context().pool(), std::move(look)));
  CO_TRY(found);
  for (const std::string& name : order.named) {
    bool is_known =
        std::ranges::any_of(*found, [&](const auto& one) { return one.connection.id == name; });
    if (!is_known) {
      std::string ids;
      for (const agent_config::FoundConnection& one : *found) {
        ids += (ids.empty() ? "`" : ", `") + one.connection.id + "`";
      }
      co_return fail(ErrorCode::invalid_argument,
                     "params.agent: " + in_backticks(name) + " is no agent that can be set up",
                     "those are " + ids);
    }
  }
  for (agent_config::FoundConnection& one : *found) {
    bool is_named = std::ranges::find(order.named, one.connection.id) != order.named.end();
    if (order.named.empty() ? !one.evidence.empty() : is_named) {
      order.result.agents.push_back({one.connection.id, one.connection.title, one.evidence});
      order.connections.push_back(std::move(one));
    }
  }
  co_return Result<void>();
}

Awaitable<void> SetupDesk::change_files(Order& order) {
  auto work = [&] {
    agents::Setting where = setting(order.project);
    std::string boundary = order.project.empty() ? real_path(places().home) : order.project;
    std::vector<std::string> paths; // in the order of agents
    std::map<std::string, std::vector<EntryRow>> wanted;
    auto want = [&](const agent_config::Connection& connection,
                    const agent_config::Target& target,
                    SetupPart part) {
      auto path = agent_config::file_of(target, order.scope(), where);
      if (!path) {
        if (part == SetupPart::mcp || order.project.empty()) {
          SetupStep step;
          step.part = part;
          step.state = SetupState::skipped;
          step.agents = {connection.id};
          step.text = part == SetupPart::mcp ? "MCP server `upskill`" : "hooks";
          step.reason = part == SetupPart::mcp
                            ? connection.title + " has no file for it in a project"
                            : connection.title + " runs no hooks; its sessions are followed";
          order.result.others.push_back(std::move(step));
        }
        return;
      }
      if (!wanted.contains(*path)) {
        paths.push_back(*path);
      }
      for (agent_config::Wanted& one : agent_config::wanted_entries(target, order.result.program)) {
        EntryRow row;
        row.agent = connection.id;
        row.part = part;
        row.is_toml = one.form == agent_config::Form::toml;
        row.parents = one.place.parents;
        row.key = one.place.key;
        row.is_element = one.place.is_element;
        row.value = std::move(one.value);
        wanted[*path].push_back(std::move(row));
      }
    };
    for (const agent_config::FoundConnection& found : order.connections) {
      if (order.wants_mcp) {
        want(found.connection, found.connection.mcp, SetupPart::mcp);
      }
      if (order.wants_hooks && order.project.empty()) {
        want(found.connection, found.connection.hooks, SetupPart::hooks);
      }
    }
    for (const std::string& path : paths) {
      FileChange change =
          plan_entries(path, boundary, order.project, std::move(wanted[path]), order.record);
      hold_to_plan(change, order.plan);
      if (change.is_change) {
        order.result.plan += (order.result.plan.empty() ? "" : ".") + change.plan_key();
        if (!order.dry_run) {
          carry_out(change, order.record, places());
        }
        bool failed = change.step.state == SetupState::failed;
        (failed ? order.result.others : order.result.steps).push_back(std::move(change.step));
      }
      std::ranges::move(change.others, std::back_inserter(order.result.others));
    }
  };
  AWAIT_DONE(runtime::offload(m_service.context().pool(), std::move(work)));
  co_return Result<void>();
}

Awaitable<void> SetupDesk::keep_record(Order& order) {
  auto work = [&] { return save_record(record_path(places()), order.record); };
  AWAIT(Result<void> saved, runtime::offload(m_service.context().pool(), std::move(work)));
  co_return saved;
}

Awaitable<SetupResult> SetupDesk::apply(SetupParams params, std::string cwd) {
  runtime::Turns::Ticket turn(m_turns);
  AWAIT_DONE(turn.called());
  // Begun, it comes to its end, whoever hangs up: what is done and not on record would stay for
  // good.
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  Order order;
  order.dry_run = order.result.dry_run = params.dry_run;
  order.wants_mcp = !params.no_mcp;
  order.wants_hooks = !params.no_hooks;
  order.named = std::move(params.agent);
  order.plan = std::move(params.plan);
  auto prepare = [&]() -> Result<void> {
    TRY_ASSIGN(order.project, project_of(params.scope, params.project, cwd));
    TRY_ASSIGN(order.result.program, upskill_program());
    TRY_ASSIGN(order.record, load_record(record_path(places())));
    return {};
  };
  AWAIT(Result<void> prepared, runtime::offload(m_service.context().pool(), std::move(prepare)));
  CO_TRY(prepared);
  AWAIT(Result<void> looked, look_at_agents(order));
  CO_TRY(looked);
  AWAIT(Result<void> changed, change_files(order));
  CO_TRY(changed);
  if (order.project.empty() && !order.connections.empty()) {
    AWAIT(Result<void> captured, switch_capture(order));
    CO_TRY(captured);
    AWAIT(Result<void> synced, switch_sync(order));
    CO_TRY(synced);
    AWAIT(Result<void> placed, place_skill(order));
    CO_TRY(placed);
    AWAIT(Result<void> starts, start_at_login(order));
    CO_TRY(starts);
  }
  co_return std::move(order.result);
}

Awaitable<void> SetupDesk::restore_files(Order& order) {
  auto work = [&] {
    std::string home = real_path(places().home);
    std::vector<FileRow> rows = order.record.files; // carrying out changes them
    for (const FileRow& row : rows) {
      bool is_meant =
          row.project == order.project
          && std::ranges::any_of(row.entries, [&](const EntryRow& entry) {
               return order.named.empty()
                      || std::ranges::find(order.named, entry.agent) != order.named.end();
             });
      if (!is_meant) {
        continue;
      }
      FileChange change =
          plan_removal(row, order.project.empty() ? home : order.project, order.named);
      hold_to_plan(change, order.plan);
      if (change.is_change) {
        order.result.plan += (order.result.plan.empty() ? "" : ".") + change.plan_key();
      }
      if (!order.dry_run) {
        bool is_change = change.is_change;
        carry_out(change, order.record, places());
        change.is_change = is_change;
      }
      if (change.is_change) {
        bool failed = change.step.state == SetupState::failed;
        (failed ? order.result.others : order.result.steps).push_back(std::move(change.step));
      }
      std::ranges::move(change.others, std::back_inserter(order.result.others));
    }
  };
  AWAIT_DONE(runtime::offload(m_service.context().pool(), std::move(work)));
  co_return Result<void>();
}

Awaitable<SetupResult> SetupDesk::remove(SetupRemoveParams params, std::string cwd) {
  runtime::Turns::Ticket turn(m_turns);
  AWAIT_DONE(turn.called());
  // Begun, it comes to its end, whoever hangs up: what is done and not on record would stay for
  // good.
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  Order order;
  order.dry_run = order.result.dry_run = params.dry_run;
  order.named = std::move(params.agent);
  order.plan = std::move(params.plan);
  auto prepare = [&]() -> Result<void> {
    TRY_ASSIGN(order.project, project_of(params.scope, params.project, cwd));
    TRY_ASSIGN(order.record, load_record(record_path(places())));
    return {};
  };
  AWAIT(Result<void> prepared, runtime::offload(m_service.context().pool(), std::move(prepare)));
  CO_TRY(prepared);
  AWAIT(Result<void> restored, restore_files(order));
  CO_TRY(restored);
  if (order.project.empty()) {
    AWAIT(Result<void> captured, end_capture(order));
    CO_TRY(captured);
    if (order.named.empty()) {
      AWAIT(Result<void> taken, take_skill(order));
      CO_TRY(taken);
      AWAIT(Result<void> synced, end_sync(order));
      CO_TRY(synced);
      AWAIT(Result<void> ended, end_login(order));
      CO_TRY(ended);
    }
  }
  co_return std::move(order.result);
}

} // namespace upskill::setup
