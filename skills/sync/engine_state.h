#pragma once
#include "skills/library/names.h"
#include "skills/store/conflict_folders.h"
#include "skills/store/objects.h"
#include "skills/store/sync_store.h"
#include "skills/store/trash.h"
#include "skills/sync/engine.h"
#include "skills/sync/index.h"
#include "skills/sync/stage.h"

#include <string>
#include <vector>

namespace upskill::sync {

// A folder that a swap took out of a root; it lingers for readers, then goes.
struct Lingering {
  Displaced displaced;
  std::int64_t since_ms = 0; // steady
  std::string root;
  std::string skill;
};

// Everything the engine holds; its parts (round, history, status) work on it.
struct Engine::State {
  EngineOptions options;
  Filesystem& files;
  Stager stager;
  mutable store::SyncStore store;
  store::Objects objects;
  store::Trash trash;
  store::ConflictFolders conflict_folders;
  OpenedState opened = OpenedState::fresh;
  std::vector<Scope> scopes = {};
  std::vector<ScopeSetup> setup = {};
  std::vector<Lingering> lingering = {};
  bool unsynced = false; // something was written that power loss could take

  Result<void> record_root(Scope& scope, RootIndex root);
  // What is known of a skill's copies; nothing where the store does not know the skill.
  Result<void> record_replicas(const Scope& scope, const Skill& skill);

  std::string key_of(std::string_view name) const { return library::folded_key(name); }
};

// A skill's copies as the store keeps them.
std::vector<store::ReplicaRow> replica_rows(const Scope& scope, const Skill& skill);

// Everything written so far survives power loss.
Result<void> make_durable(Engine::State& state);

// The part of Engine::configure() that touches memory and the store only.
Result<void> load_setup(Engine::State& state, std::vector<ScopeSetup> setups);

// Scopes that take no part any more are not synchronised. Within somebody's transaction, as below.
Result<void> turn_off_others(store::SyncStore& store, const std::vector<ScopeSetup>& setups);

// Sync is on again in this scope. What was taken away meanwhile was meant for that place alone, so
// that no other copy goes for it. What is left nowhere was deleted, and stays so.
Result<void> forget_missing(Engine::State& state, Scope& scope);

// Engine::accept_roots() within somebody's transaction.
Result<void> accept_roots(Engine::State& state);

// After another boot: a copy that is neither what was agreed nor a version that the store knows,
// and whose predecessor still lies beside the root, was torn by the power failure. The predecessor
// takes its place again; what was there goes to the trash with the leftovers. Returns what to tell.
std::vector<std::string> heal_after_power_loss(Engine::State& state);

// Takes on what an interrupted run left beside the roots, to be disposed of like any displaced
// folder: what is not in the store goes to the trash.
void adopt_leftovers(Engine::State& state, Moment now);

// The scope with this number; nullptr where there is none any more.
Scope* scope_of(Engine::State& state, store::Id id);
const Scope* scope_of(const Engine::State& state, store::Id id);

// What is answered where somebody asks for a skill of a scope that is not configured any more.
tl::unexpected<Error> not_in_sync(std::string_view skill);

// Whether a folder may change again without its fingerprint showing it.
bool is_racy(const StatResult& stat, const Moment& now);

// What the log says of the entry that settled this conflict, and which one an entry settled.
std::string reason_of_settling(store::Id conflict);
std::optional<store::Id> conflict_settled_by(std::string_view reason);

// The tree of a kept version, its files hashed anew; corrupt when it is not that version.
Result<Tree> tree_of_object(const store::Objects& objects, const Digest& hash);

} // namespace upskill::sync
