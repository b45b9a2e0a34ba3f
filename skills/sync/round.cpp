#include "skills/sync/round.h"

#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/sync/walk.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <set>

namespace upskill::sync {
namespace {

constexpr std::int64_t k_look_again_ms = 50; // at what moved while it was looked at
constexpr std::int64_t k_git_again_ms = 500; // at a repository in the middle of something
constexpr std::size_t k_batch_skills = 256;  // swapped in together
constexpr std::uint64_t k_batch_bytes = 32u << 20;

bool may_be_skill(const FolderNames::Name& name, std::string_view text, const RootSetup& root) {
  return (name.type == DT_DIR || name.type == DT_LNK || name.type == DT_UNKNOWN)
         && text.front() != '.' && !library::ignored_name(text)
         && std::ranges::find(root.never_touch, text) == root.never_touch.end();
}

} // namespace

Result<Round> RoundRun::run() {
  for (Scope& scope : m_state.scopes) {
    if (!scope.setup.enabled) {
      continue;
    }
    open_roots(scope);
    const bool all = m_work.only_skill.empty() && (m_work.everything || catches_up(scope));
    const std::vector<std::string> names = names_of(scope, all);
    if (all) {
      std::erase_if(scope.notes, [&](const auto& note) {
        return !std::ranges::binary_search(names, note.first); // it is nowhere any more
      });
    }
    for (const std::string& name : names) {
      consider(scope, name);
      if (m_pending.size() >= k_batch_skills || m_pending_bytes >= k_batch_bytes) {
        flush(scope);
      }
    }
    flush(scope);
    carry_out_deletions(scope);
    for (Root& root : scope.roots) {
      root.missed = root.missed && !(all && !m_work.dry_run && root.usable());
    }
    close_roots(scope);
  }
  return std::move(m_round);
}

void RoundRun::open_roots(Scope& scope) {
  m_state.stager.begin_round();
  if (!m_work.dry_run) {
    m_state.stager.put_back();
  }
  for (std::size_t i = 0; i < scope.roots.size(); ++i) {
    const RootSetup& setup = scope.setup.roots[i];
    Root& root = scope.roots[i];
    root.held.clear();
    root.emptied_checked = false;
    root.names.reset();
    if (setup.refused) {
      root.judgement = {RootHealth::halted, setup.reason, {}};
      continue;
    }
    RootProbe probe = probe_root(setup.path);
    root.judgement = judge_root(setup.path, root.record, probe);
    if (root.judgement.health == RootHealth::replaced) {
      warn({ErrorCode::changed, root.judgement.reason, {}});
      if (m_work.dry_run) {
        root.held = root.judgement.reason;
        continue;
      }
      forget_root(scope, static_cast<RootIndex>(i));
      root.judgement = {};
    }
    if (root.judgement.health == RootHealth::halted) {
      warn({ErrorCode::refused, root.judgement.reason, root.judgement.hint});
    }
    if (root.judgement.health != RootHealth::ok
        || (root.record.emptied && is_still_emptied(scope, static_cast<RootIndex>(i)))) {
      continue;
    }
    if (m_state.stager.is_missing_some(setup.path)) {
      root.held = "a copy that was moved aside cannot be put back into `" + setup.path + "`";
      again(scope, {}, m_work.now.steady_ms + k_git_again_ms);
    }
    bool known = root.record.device == probe.device && root.record.inode == probe.inode;
    if (!known && !m_work.dry_run) {
      root.record.device = probe.device;
      root.record.inode = probe.inode;
      warn_if(m_state.record_root(scope, static_cast<RootIndex>(i)));
    }
    root.fd.reset(::open(setup.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    // Before anything is written there: one new copy in an emptied root would make it look as if
    // the others had been deleted one by one.
    if (root.fd && is_root_emptied(scope, static_cast<RootIndex>(i))) {
      root.fd.reset();
      continue;
    }
    root.emptied_checked = false; // it may still happen during the round
    if (m_work.everything || root.git_folder.empty()) {
      root.git_folder = enclosing_git_folder(setup.path);
    }
    if (!root.git_folder.empty()) {
      std::string operation = git_operation(root.git_folder);
      if (!operation.empty()) {
        root.held = operation + " is under way in `" + parent_path(root.git_folder) + "`";
        again(scope, {}, m_work.now.steady_ms + k_git_again_ms);
      }
    }
  }
}

// Another folder lies at the path: what was agreed there says nothing about it, so that nothing
// missing in it counts as deleted. The rows go before the new inode is recorded.
void RoundRun::forget_root(Scope& scope, RootIndex root) {
  scope.roots[root].record.emptied = false;
  for (Skill& skill : scope.skills) {
    if (Replica* replica = skill.find(root); replica != nullptr && replica->base) {
      scope.agree(skill, root, std::nullopt);
      warn_if(m_state.record_replicas(scope, skill));
    }
  }
}

void RoundRun::close_roots(Scope& scope) {
  for (Root& root : scope.roots) {
    root.missed = root.missed || (!root.usable() && root.judgement.health != RootHealth::absent);
    root.fd.reset();
    root.names.reset();
  }
}

// Whether a root can be read that could not be before: what was touched in it meanwhile was told to
// rounds that did not look.
bool RoundRun::catches_up(const Scope& scope) const {
  return std::ranges::any_of(scope.roots,
                             [](const Root& root) { return root.missed && root.usable(); });
}

// Sorted, each once, so that a round does the same whatever order folders list their names in.
std::vector<std::string> RoundRun::names_of(Scope& scope, bool all) {
  std::vector<std::string> names;
  for (const Touched& touched : m_work.touched) {
    std::optional<RootIndex> root = scope.root_at(touched.root);
    if (!root) {
      continue;
    }
    names.push_back(touched.skill);
    if (touched.order != 0) {
      scope.orders[{*root, touched.skill}] = touched.order;
    }
  }
  if (!m_work.only_skill.empty()) {
    names.push_back(m_work.only_skill);
  } else if (!all) {
    for (const auto& [name, deletion] : scope.deletions) {
      names.push_back(name);
    }
  } else {
    FolderNames listed;
    for (std::size_t i = 0; i < scope.roots.size(); ++i) {
      if (!scope.roots[i].fd || !listed.read(scope.roots[i].fd.get())) {
        continue;
      }
      if (listed.names().size() > k_max_skills_per_root) {
        warn({ErrorCode::too_large,
              "`" + scope.setup.roots[i].path + "` holds more than "
                  + std::to_string(k_max_skills_per_root) + " entries",
              "move what is no skill elsewhere"});
        continue;
      }
      for (const FolderNames::Name& name : listed.names()) {
        if (may_be_skill(name, listed.view(name), scope.setup.roots[i])) {
          names.emplace_back(listed.view(name));
        }
      }
    }
    for (const Skill& skill : scope.skills) {
      if (!skill.name.empty()) {
        names.push_back(skill.name);
      }
    }
  }
  std::ranges::sort(names);
  auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

void RoundRun::consider(Scope& scope, const std::string& name) {
  if (name.empty() || is_excluded(scope.setup, name)) {
    return;
  }
  std::string key = m_state.key_of(name);
  Skill* skill = scope.find(key);
  if (skill != nullptr && skill->name == name && is_settled(scope, name, *skill)) {
    ++m_round.in_sync;
    return;
  }
  Sight sight = look(scope, name, skill != nullptr && skill->name == name ? skill : nullptr);
  bool anything = std::ranges::any_of(sight.observations, [](const Observation& seen) {
    return seen.presence == Presence::copy || seen.presence == Presence::problem;
  });
  if (skill != nullptr && skill->name != name) {
    if (anything) {
      note(scope,
           name,
           "`" + name + "` and `" + skill->name + "` are one name on some file systems");
    }
    return;
  }
  if (skill == nullptr && !anything) {
    scope.notes.erase(name);
    return; // no skill: a folder without SKILL.md, or gone again
  }
  if (is_workspace(scope, name)) {
    return;
  }
  if (std::optional<std::string> refusal = library::refused_name(name)) {
    note(scope, name, "`" + to_valid_utf8(name) + "` " + *refusal);
    return;
  }
  if (sight.moving) {
    again(scope, name, m_work.now.steady_ms + k_look_again_ms);
    return;
  }
  scope.notes.erase(name);
  if (skill == nullptr) {
    skill = &scope.add(key, name);
  }
  decide(scope, name, *skill, sight);
}

// A folder of eval runs beside its skill may hold copies of a SKILL.md and is none itself.
bool RoundRun::is_workspace(Scope& scope, const std::string& name) const {
  std::string owner(library::workspace_owner(name));
  if (owner.empty()) {
    return false;
  }
  bool sibling = scope.find(m_state.key_of(owner)) != nullptr;
  for (const Root& root : scope.roots) {
    sibling = sibling || (root.fd && stat_skill(root.fd.get(), owner).presence != Presence::absent);
  }
  return library::is_workspace(name, sibling, true);
}

void RoundRun::decide(Scope& scope, const std::string& name, Skill& skill, Sight& sight) {
  remember(scope, skill, sight);
  for (std::size_t i = 0; i < sight.observations.size(); ++i) {
    const StatResult& stat = sight.stats[i];
    if (!stat.problem.empty()) {
      note(scope, name, scope.path_of(static_cast<RootIndex>(i), name) + ": " + stat.problem);
    } else if (stat.presence == Presence::incomplete) {
      note(scope,
           name,
           "`" + scope.path_of(static_cast<RootIndex>(i), name)
               + "` has no SKILL.md, or an empty one");
    }
  }
  Decision decision = reconcile(skill.ancestor, sight.observations);
  if (decision.verdict == Verdict::remove || decision.verdict == Verdict::gone) {
    note_deletion(scope, name);
    return;
  }
  if (decision.verdict == Verdict::nothing && !decision.deleted_in.empty()) {
    return; // its other copies cannot be looked at now: whether it was deleted shows later
  }
  if (auto pending = scope.deletions.find(name); pending != scope.deletions.end()) {
    forget_deletion(scope, name); // it is back, or somebody edited a copy: an edit wins
  }
  if (decision.verdict == Verdict::merge || decision.verdict == Verdict::conflict) {
    merge_or_conflict(scope, name, skill, sight, decision);
    return;
  }
  PendingSkill pending;
  pending.name = name;
  if (decision.verdict == Verdict::nothing) {
    if (!skill.ancestor) {
      bool gone = std::ranges::all_of(sight.observations, [](const Observation& seen) {
        return seen.presence == Presence::absent && !seen.base;
      });
      if (gone) {
        scope.remove(m_state.key_of(name));
      }
      return; // nothing that could be propagated: problems, or copies being written
    }
    pending.action = SyncAction::create;
    store::Id id = skill.id;
    auto row = m_state.store.skill(id);
    auto tree =
        row && *row ? Tree::parse((*row)->tree) : tree_of_object(m_state.objects, *skill.ancestor);
    if (!tree || tree->hash() != *skill.ancestor) {
      tree = tree_of_object(m_state.objects, *skill.ancestor);
    }
    if (!tree) {
      warn(tree.error());
      return;
    }
    pending.tree = std::move(*tree);
  } else {
    const Version& winner = decision.versions.front();
    pending.action = decision.verdict == Verdict::adopt ? SyncAction::adopt : SyncAction::update;
    pending.from = scope.path_of(winner.root, name);
    pending.tree = sight.reads.at(winner.root).tree;
    if (decision.verdict == Verdict::adopt) {
      scope.newcomers[winner.hash] = {name, m_work.now.steady_ms};
    }
  }
  EntryBytes bytes_of = bytes_from(scope, name, sight, pending.tree);
  spread(scope, name, skill, sight, pending, bytes_of);
}

void RoundRun::step(SyncAction action,
                    const std::string& skill,
                    const std::string& path,
                    const std::string& from,
                    const std::optional<Digest>& hash,
                    const std::string& reason) {
  m_round.steps.push_back({action, skill, path, from, hash ? hash->hex() : std::string(), reason});
}

void RoundRun::warn(const Error& error) {
  std::string text = error.hint.empty() ? error.message : error.message + " (" + error.hint + ")";
  if (std::ranges::find(m_round.warnings, text) == m_round.warnings.end()) {
    m_round.warnings.push_back(std::move(text));
  }
}

void RoundRun::note(Scope& scope, const std::string& name, const std::string& text) {
  scope.notes[name] = text;
  warn({ErrorCode::refused, text, {}});
}

void RoundRun::again(Scope& scope, const std::string& name, std::int64_t at_ms) {
  if (!name.empty() && !scope.setup.roots.empty()) {
    m_round.again.push_back({scope.setup.roots.front().path, name, 0});
  }
  if (!m_round.again_at_ms || *m_round.again_at_ms > at_ms) {
    m_round.again_at_ms = at_ms;
  }
}

} // namespace upskill::sync
