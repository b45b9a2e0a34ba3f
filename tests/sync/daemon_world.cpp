#include "tests/sync/daemon_world.h"

#include "protocol/base/paths.h"
#include "tests/sync/traces.h"

#include <algorithm>

namespace upskill::sync_test {
namespace {

struct Agent {
  const char* id;
  const char* folder;
  std::vector<sync::RootIndex> reads; // of the roots below
};

// The first of them writes to `.agents/skills`, the others to the folder beside them.
const std::vector<Agent> k_agents = {{"codex", ".agents", {0}},
                                     {"claude-code", ".claude", {1}},
                                     {"cursor", ".cursor", {2, 0, 1}},
                                     {"gemini-cli", ".gemini", {3, 0}},
                                     {"github-copilot", ".copilot", {4, 0, 1}}};

} // namespace

DaemonWorld::DaemonWorld(std::uint64_t shape, const std::string& folder)
    : m_folder(folder)
    , m_data(folder + "/.local/share/upskill") {
  std::mt19937_64 random(shape);
  std::size_t count = 3 + random() % 3;
  m_setup.enabled = true;
  m_setup.policy = random() % 3 == 0 ? SyncPolicy::cover : SyncPolicy::mirror;
  SyncEnableParams params;
  params.policy = m_setup.policy;
  params.exclude = {"outside"};
  std::vector<std::string>& named = params.agents.emplace();
  for (std::size_t i = 0; i < count; ++i) {
    sync::RootSetup& root = m_setup.roots.emplace_back();
    root.path = m_folder + "/" + k_agents[i].folder + "/skills";
    make_folders(root.path);
    sync::AgentSetup& agent = m_setup.agents.emplace_back();
    agent.id = k_agents[i].id;
    agent.preferred = static_cast<sync::RootIndex>(i);
    std::ranges::copy_if(k_agents[i].reads, std::back_inserter(agent.reads), [&](auto read) {
      return read < count;
    });
    named.push_back(agent.id); // named, so that they take part also while they are away
  }
  if (count > 3 && random() % 3 == 0) {
    params.link = {k_agents[3].id};
    m_setup.roots[3].by_link = true;
  }
  start();
  ask(k_sync_enable, params);
}

Layout DaemonWorld::layout() const {
  Layout layout{m_setup, {}};
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    layout.away.push_back(is_away(i));
  }
  return layout;
}

void DaemonWorld::start() {
  if (!m_daemon) {
    m_daemon = std::make_unique<RunningDaemon>(m_folder);
  }
}

// With nobody at work the disk stands still, and what an interruption leaves can be looked at.
void DaemonWorld::kill() {
  m_daemon.reset();
  check_wholeness();
  check_nothing_lost();
  check_bystanders();
}

// While the daemon works on an edit, or on what it finds at its start. Where the edit lies nothing
// is counted, so that every trace is the daemon's.
void DaemonWorld::kill_in_round(const Operation& operation) {
  std::size_t edited = m_daemon ? operation.root % m_setup.roots.size() : m_setup.roots.size();
  std::vector<std::string> folders = {m_data + "/objects", m_folder + "/.local/state/upskill"};
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    folders.push_back(parent_path(root(i)));
    if (i != edited) {
      folders.push_back(root(i));
    }
  }
  Traces traces(folders);
  if (m_daemon) {
    Operation act = operation;
    act.kind = operation.value % 3 == 0 ? Kind::write_skill : Kind::edit_file;
    person(act);
  }
  start();
  connect::LineStream rest = m_daemon->wait_for_rest();
  traces.wait_for(static_cast<int>(1 + operation.value / 3 % 24), rest.descriptor());
  kill();
}

template <class P, class R> R DaemonWorld::ask(const Method<P, R>& method, const P& params) {
  start();
  Result<R> answer = m_daemon->ask(method, params);
  if (!answer) {
    throw Violation("`" + std::string(method.name) + "` failed: " + answer.error().message);
  }
  return std::move(*answer);
}

SyncStatusResult DaemonWorld::wait_for_rest() {
  WaitIdleParams params;
  params.timeout_ms = 50'000;
  ask(k_wait_idle, params);
  return ask(k_sync_status, SyncStatusParams{});
}

// Whether nothing waits for a person either.
bool DaemonWorld::come_to_rest() {
  SyncStatusResult status = wait_for_rest();
  check_status(status, ask(k_skill_conflicts, SyncConflictsParams{}), layout());
  check_wholeness();
  check_nothing_lost();
  check_bystanders();
  bool all_here = std::ranges::none_of(layout().away, [](bool away) { return away; });
  bool clean = all_here && status.state == SyncState::idle && status.held == 0;
  if (clean) {
    check_rest(status);
  }
  remember(status, clean);
  return clean;
}

// What waits for a person: true when there was something.
bool DaemonWorld::settle_one(const SyncStatusResult& status, std::uint32_t choice) {
  if (status.state == SyncState::halted) {
    // Everything was put back; what is halted still lost its last skills one by one.
    SyncEnableParams params;
    params.accept = true;
    ask(k_sync_enable, params);
    m_upheaval = true;
    return true;
  }
  std::vector<Conflict> conflicts = ask(k_skill_conflicts, SyncConflictsParams{}).conflicts;
  if (status.held == 0 && (conflicts.empty() || choice % 2 == 0)) {
    return false;
  }
  const Conflict& one = conflicts[choice / 2 % conflicts.size()];
  ConflictResolveParams params;
  params.skill = std::to_string(one.id);
  params.take = choice % 3 == 0 ? "delete" : "restore";
  if (one.kind == ConflictKind::content) {
    params.take = one.versions[choice / 7 % one.versions.size()].hash;
  } else if (params.take == "delete") {
    m_deleted.insert(one.skill);
  }
  m_upheaval = true;
  ask(k_conflict_resolve, params);
  return true;
}

void DaemonWorld::apply(const Operation& operation) {
  switch (operation.kind) {
  case Kind::restart:
    start();
    return;
  case Kind::kill_daemon:
    kill();
    return;
  case Kind::kill_in_round:
    kill_in_round(operation);
    return;
  case Kind::come_to_rest:
    come_to_rest();
    return;
  case Kind::root_vanishes:
  case Kind::root_returns:
  case Kind::root_emptied:
    roots(operation);
    return;
  default:
    person(operation);
    return;
  }
}

void DaemonWorld::finish(std::uint32_t choice) {
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    put_back(i, false);
  }
  std::uint32_t tries = 0;
  while (tries < 12 && settle_one(wait_for_rest(), choice + tries)) {
    ++tries;
  }
  if (!come_to_rest()) {
    throw Violation("everything was put back and settled, and sync is "
                    + std::string(enum_name(wait_for_rest().state)));
  }
  kill();
  std::vector<SyncStep> steps = ask(k_sync_plan, SyncNowParams{}).steps;
  if (!steps.empty()) {
    throw Violation("a daemon that is started anew still plans: "
                    + std::string(enum_name(steps[0].action)) + " " + steps[0].path + " "
                    + steps[0].reason);
  }
  come_to_rest();
  kill();
  check_kept_versions();
}

} // namespace upskill::sync_test
