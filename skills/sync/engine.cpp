#include "skills/sync/engine.h"

#include "protocol/base/utf8.h"
#include "skills/sync/engine_state.h"
#include "skills/sync/round.h"
#include "skills/sync/take_back.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

namespace upskill::sync {

namespace {

store::Fingerprint to_stored(const Fingerprint& fingerprint) {
  store::Fingerprint stored{};
  std::memcpy(stored.data(), &fingerprint.low, 8);
  std::memcpy(stored.data() + 8, &fingerprint.high, 8);
  return stored;
}

Fingerprint from_stored(const store::Fingerprint& stored) {
  Fingerprint fingerprint;
  std::memcpy(&fingerprint.low, stored.data(), 8);
  std::memcpy(&fingerprint.high, stored.data() + 8, 8);
  return fingerprint;
}

} // namespace

Result<Tree> tree_of_object(const store::Objects& objects, const Digest& hash) {
  TRY_ASSIGN(store::ObjectReader reader, objects.open_object(hash));
  std::vector<Entry> entries;
  for (;;) {
    TRY_ASSIGN(std::optional<store::ObjectMember> member, reader.next());
    if (!member) {
      break;
    }
    Entry& entry = entries.emplace_back();
    entry.path = std::move(member->path);
    entry.kind = static_cast<EntryKind>(member->kind);
    if (entry.kind == EntryKind::link) {
      entry.target = std::move(member->target);
      entry.content = sha256(entry.target);
    } else if (entry.kind != EntryKind::folder) {
      entry.size = member->size;
      Sha256 sha;
      TRY(reader.each_piece([&](std::string_view piece) -> Result<void> {
        sha.update(piece);
        return {};
      }));
      entry.content = sha.finish();
    }
  }
  Tree tree(std::move(entries));
  if (tree.hash() != hash) {
    return fail(ErrorCode::corrupt,
                "the kept version `" + objects.path_of(hash) + "` is damaged",
                "restore it from a backup; other versions are not affected");
  }
  return tree;
}

namespace {

constexpr std::string_view k_boot_key = "boot_id";

struct OpenedStore {
  store::SyncStore store;
  OpenedState state;
};

// A damaged database is put aside: losing it costs history, never a version (sync facts, rule 4).
Result<OpenedStore> open_store(const std::string& path, Moment now) {
  Result<store::SyncStore> opened = store::SyncStore::open(path);
  if (opened) {
    TRY_ASSIGN(std::vector<store::ScopeRow> scopes, opened->scopes());
    OpenedState state = scopes.empty() ? OpenedState::fresh : OpenedState::known;
    return OpenedStore{std::move(*opened), state};
  }
  if (opened.error().code != ErrorCode::corrupt) {
    return fail(opened.error());
  }
  TRY(store::set_aside_database(path, now.wall_ms));
  TRY_ASSIGN(store::SyncStore again, store::SyncStore::open(path));
  return OpenedStore{std::move(again), OpenedState::damaged};
}

CoverScope cover_of(const ScopeSetup& setup) {
  CoverScope cover;
  for (const RootSetup& root : setup.roots) {
    cover.roots.push_back(root.refused       ? NewCopies::refused
                          : root.last_resort ? NewCopies::last_resort
                                             : NewCopies::welcome);
  }
  for (const AgentSetup& agent : setup.agents) {
    CoverAgent& out = cover.agents.emplace_back();
    out.reads.assign(agent.reads.begin(), agent.reads.end());
    out.preferred = agent.preferred;
    out.follows_links = agent.follows_links;
  }
  return cover;
}

void load_replica(Scope& scope, Skill& skill, RootIndex root, const store::ReplicaRow& row) {
  scope.agree(skill, root, row.hash);
  Replica& replica = skill.at(root);
  replica.withdrawn = row.kind == store::ReplicaKind::withdrawn;
  replica.kind = replica.withdrawn ? store::ReplicaKind::excluded : row.kind;
  replica.seen = row.kind == store::ReplicaKind::link ? Presence::link
                 : row.hash                           ? Presence::copy
                                                      : Presence::absent;
  if (row.fingerprint) {
    replica.fingerprint = from_stored(*row.fingerprint);
  }
}

// Loads what is known of a scope's skills; copies in roots that are no longer part of it are left
// in the store, for when they are again.
Result<void> load_skills(store::SyncStore& store, std::vector<Scope>& scopes) {
  std::unordered_map<store::Id, Scope*> scope_of;
  std::unordered_map<store::Id, std::pair<Scope*, RootIndex>> root_of;
  for (Scope& scope : scopes) {
    scope_of[scope.id] = &scope;
    for (std::size_t i = 0; i < scope.roots.size(); ++i) {
      root_of[scope.roots[i].id] = {&scope, static_cast<RootIndex>(i)};
    }
  }
  TRY(store.each_skill(store::TreeRecord::leave, [&](const store::SkillView& row) {
    auto scope = scope_of.find(row.scope);
    if (scope != scope_of.end()) {
      Skill& skill = scope->second->add(std::string(row.key), std::string(row.name));
      skill.id = row.id;
      skill.ancestor = row.ancestor;
      for (const store::ReplicaRow& replica : row.replicas) {
        if (auto root = root_of.find(replica.root); root != root_of.end()) {
          load_replica(*scope->second, skill, root->second.second, replica);
        } else {
          skill.elsewhere.push_back(replica);
        }
      }
    }
    return true;
  }));
  TRY_ASSIGN(std::vector<store::ConflictRow> open, store.open_conflicts());
  for (const store::ConflictRow& conflict : open) {
    auto scope = scope_of.find(conflict.scope);
    if (scope == scope_of.end()) {
      continue;
    }
    if (conflict.kind == ConflictKind::content) {
      scope->second->conflicts.insert(conflict.skill);
    } else {
      scope->second->deletions[conflict.skill].held = true;
    }
  }
  return {};
}

std::vector<LeftOut> left_out_of(const std::vector<Scope>& scopes, const std::string& only) {
  std::vector<LeftOut> left_out;
  for (const Scope& scope : scopes) {
    for (const auto& [name, note] : scope.notes) {
      if (scope.setup.enabled && (only.empty() || only == name)) {
        left_out.push_back({name, scope.setup.name(), note});
      }
    }
  }
  return left_out;
}

} // namespace

Engine::Engine(std::unique_ptr<State> state)
    : m_state(std::move(state)) {}

Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Result<Engine> Engine::open(EngineOptions options, Filesystem& files, Moment now) {
  TRY_ASSIGN(OpenedStore opened, open_store(options.database, now));
  TRY_ASSIGN(store::Objects objects, store::Objects::open(options.objects));
  store::Trash trash(options.trash);
  store::ConflictFolders conflicts(options.conflicts);
  auto state = std::unique_ptr<State>(new State{std::move(options),
                                                files,
                                                Stager(files),
                                                std::move(opened.store),
                                                std::move(objects),
                                                std::move(trash),
                                                std::move(conflicts),
                                                opened.state});
  return Engine(std::move(state));
}

OpenedState Engine::opened() const {
  return m_state->opened;
}

const std::vector<ScopeSetup>& Engine::setup() const {
  return m_state->setup;
}

std::vector<store::ReplicaRow> replica_rows(const Scope& scope, const Skill& skill) {
  std::vector<store::ReplicaRow> rows = skill.elsewhere;
  for (const Replica& replica : skill.replicas) {
    if (!replica.base && replica.kind == store::ReplicaKind::copy) {
      continue; // only seen
    }
    store::ReplicaRow& row = rows.emplace_back();
    row.root = scope.roots[replica.root].id;
    bool withdrawn = replica.withdrawn && replica.kind == store::ReplicaKind::excluded;
    row.kind = withdrawn ? store::ReplicaKind::withdrawn : replica.kind;
    row.hash = replica.base;
    if (replica.fingerprint.is_known()) {
      row.fingerprint = to_stored(replica.fingerprint);
    }
  }
  return rows;
}

Result<void> Engine::State::record_replicas(const Scope& scope, const Skill& skill) {
  return skill.id == 0 ? Result<void>{} : store.set_replicas(skill.id, replica_rows(scope, skill));
}

Result<void> Engine::State::record_root(Scope& scope, RootIndex index) {
  Root& root = scope.roots[index];
  store::RootRow row;
  row.id = root.id;
  row.scope = scope.id;
  row.path = scope.setup.roots[index].path;
  row.device = root.record.device;
  row.inode = root.record.inode;
  row.priority = index;
  row.state = root.record.emptied ? RootState::halted : RootState::ok;
  TRY_ASSIGN(root.id, store.put_root(row));
  root.emptied_recorded = root.record.emptied;
  return {};
}

Result<void> load_setup(Engine::State& state, std::vector<ScopeSetup> setups) {
  TRY_ASSIGN(store::Transaction transaction, state.store.begin());
  TRY_ASSIGN(std::vector<store::RootRow> rows, state.store.roots());
  std::vector<Scope> scopes;
  std::set<store::Id> resumed; // that were not synchronised until now
  for (const ScopeSetup& setup : setups) {
    Scope& scope = scopes.emplace_back();
    scope.setup = setup;
    scope.cover = cover_of(setup);
    TRY_ASSIGN(std::optional<store::ScopeRow> known, state.store.find_scope(setup.name()));
    store::ScopeRow row = known.value_or(store::ScopeRow{});
    if (known && !known->enabled && setup.enabled) {
      resumed.insert(known->id);
    }
    row.path = setup.name();
    row.enabled = setup.enabled;
    row.policy = setup.policy;
    TRY_ASSIGN(scope.id, state.store.put_scope(row));
    scope.roots.resize(setup.roots.size());
    for (std::size_t i = 0; i < setup.roots.size(); ++i) {
      Root& root = scope.roots[i];
      root.guard = DeletionGuard(state.options.guard);
      auto stored = std::ranges::find_if(rows, [&](const store::RootRow& other) {
        return other.scope == scope.id && other.path == setup.roots[i].path;
      });
      if (stored != rows.end()) {
        root.id = stored->id;
        root.record.device = stored->device;
        root.record.inode = stored->inode;
        root.record.emptied = stored->state == RootState::halted;
      }
      TRY(state.record_root(scope, static_cast<RootIndex>(i)));
    }
  }
  TRY(load_skills(state.store, scopes));
  for (Scope& scope : scopes) {
    if (resumed.contains(scope.id)) {
      TRY(forget_missing(state, scope));
    }
  }
  TRY(turn_off_others(state.store, setups));
  TRY(transaction.commit());
  state.scopes = std::move(scopes);
  state.setup = std::move(setups);
  return {};
}

Result<std::vector<std::string>> Engine::configure(std::vector<ScopeSetup> setups, Moment now) {
  State& state = *m_state;
  TRY(load_setup(state, std::move(setups)));
  adopt_leftovers(state, now);
  TRY_ASSIGN(std::optional<std::string> boot, state.store.setting(k_boot_key));
  std::vector<std::string> told;
  if (boot && *boot != state.options.boot_id) {
    told = heal_after_power_loss(state);
  }
  if (boot != state.options.boot_id) {
    TRY(state.store.set_setting(k_boot_key, state.options.boot_id));
  }
  TRY_ASSIGN(std::vector<std::string> taken_back, take_back_interrupted(state, now));
  std::ranges::move(taken_back, std::back_inserter(told));
  return told;
}

Result<Round> Engine::run(const Work& work) {
  const std::string& only = work.only_skill;
  if (!only.empty()) {
    if (std::optional<std::string> refusal = library::refused_name(only)) {
      return fail(ErrorCode::invalid_argument, "`" + to_valid_utf8(only) + "` " + *refusal);
    }
    auto is_own = [&](const RootSetup& root) {
      return std::ranges::find(root.never_touch, only) != root.never_touch.end();
    };
    bool is_agents = std::ranges::any_of(m_state->setup, [&](const ScopeSetup& scope) {
      return std::ranges::any_of(scope.roots, is_own);
    });
    if (is_agents || library::ignored_name(only)) {
      return fail(ErrorCode::invalid_argument, "`" + only + "` is no skill: it is never synced");
    }
  }
  TRY_ASSIGN(Round round, RoundRun(*m_state, work).run());
  if (work.everything) {
    round.left_out = left_out_of(m_state->scopes, only);
  }
  return round;
}

Result<void> accept_roots(Engine::State& state) {
  for (Scope& scope : state.scopes) {
    for (RootIndex i = 0; i < scope.roots.size(); ++i) {
      Root& root = scope.roots[i];
      RootProbe probe = probe_root(scope.setup.roots[i].path);
      bool halted =
          judge_root(scope.setup.roots[i].path, root.record, probe).health == RootHealth::halted
          || root.judgement.health == RootHealth::halted || root.record.emptied;
      bool refused = scope.setup.roots[i].refused;
      if (!refused && !halted) {
        continue;
      }
      for (Skill& skill : scope.skills) {
        if (Replica* replica = skill.find(i); replica != nullptr && replica->base) {
          scope.agree(skill, i, std::nullopt);
          TRY(state.record_replicas(scope, skill));
        }
      }
      if (refused) {
        continue; // it takes no part, and is not missed any more
      }
      root.judgement = {};
      root.record.emptied = false;
      TRY(state.record_root(scope, i));
    }
  }
  return {};
}

Result<void> Engine::accept_roots() {
  TRY_ASSIGN(store::Transaction transaction, m_state->store.begin());
  TRY(sync::accept_roots(*m_state));
  return transaction.commit();
}

} // namespace upskill::sync
