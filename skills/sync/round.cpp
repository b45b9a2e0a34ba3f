#include "skills/sync/round.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"
#include "skills/sync/walk.h"

#include <algorithm>
#include <set>

namespace upskill::sync {
namespace {

constexpr std::int64_t k_look_again_ms = 50; // at what moved while it was looked at
constexpr std::int64_t k_longest_wait_ms = 2'000;
constexpr std::int64_t k_retry_ms = 1'000; // at what failed; doubled each time
constexpr std::int64_t k_retry_most_ms = 600'000;
constexpr std::size_t k_batch_skills = 256; // swapped in together
constexpr std::uint64_t k_batch_bytes = 32u << 20;

// One copy is said to have changed, and another one has changed a moment ago and nobody has said so
// yet: it is still being written, perhaps. Not waited for when the first has waited for long.
bool is_half_told(const Sight& sight, const Moment& now, std::int64_t quiet_ms) {
  auto is_younger = [&](const Observation& seen, std::int64_t than_ms) {
    std::int64_t age_ms = now.wall_ms - sight.stats[seen.root].newest_change_ns / 1'000'000;
    return age_ms >= 0 && age_ms < than_ms; // of the future is what a clock or a person set wrong
  };
  bool told = false;
  bool untold = false;
  for (const Observation& seen : sight.observations) {
    if (!seen.usable || seen.presence != Presence::copy || !seen.base || seen.hash == seen.base) {
      continue;
    }
    told = told || (seen.order != 0 && is_younger(seen, k_longest_wait_ms));
    untold = untold || (seen.order == 0 && is_younger(seen, quiet_ms));
  }
  return told && untold;
}

// Its copies lie in roots that take no part any more, and say nothing about the others.
bool is_only_elsewhere(const Skill& skill, const Sight& sight) {
  bool here = std::ranges::any_of(sight.observations, [](const Observation& seen) {
    return seen.base || seen.presence != Presence::absent;
  });
  return !here && std::ranges::any_of(skill.elsewhere, [](const store::ReplicaRow& row) {
    return row.hash.has_value();
  });
}

// Puts back what a dry round found out about a skill's copies and what would be remembered for
// good: a link that was taken away, say. The round after it would see nothing new in it, and so
// neither record nor log it. What was seen at the last look stays.
class ForThisRound {
public:
  ForThisRound(Scope& scope, std::string key)
      : m_scope(scope)
      , m_key(std::move(key))
      , m_before(scope.find(m_key)->replicas) {}

  ForThisRound(const ForThisRound&) = delete;
  ForThisRound& operator=(const ForThisRound&) = delete;

  ~ForThisRound() {
    Skill* skill = m_scope.find(m_key);
    if (skill == nullptr) {
      return;
    }
    for (Replica& now : skill->replicas) {
      auto known = std::ranges::find(m_before, now.root, &Replica::root);
      Replica before = known != m_before.end() ? *known : Replica{.root = now.root};
      before.seen = now.seen;
      before.differs = now.differs;
      m_scope.agree(*skill, now.root, before.base);
      now = before;
    }
  }

private:
  Scope& m_scope;
  std::string m_key;
  std::vector<Replica> m_before;
};

} // namespace

Result<Round> RoundRun::run() {
  for (Scope& scope : m_state.scopes) {
    const bool is_asked = !m_work.only_skill.empty() && scope.id == m_work.asked_in;
    if (!scope.setup.enabled && !is_asked) {
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
    m_known += names.size();
    for (const std::string& name : names) {
      consider(scope, name);
      count_considered();
      if (m_pending.size() >= k_batch_skills || m_pending_bytes >= k_batch_bytes) {
        flush(scope);
      }
    }
    flush(scope);
    carry_out_deletions(scope);
    for (const auto& [name, retry] : scope.retries) {
      retry_at(std::max(retry.at_ms, m_work.now.steady_ms));
    }
    for (Root& root : scope.roots) {
      root.missed = root.missed && !(all && !m_work.dry_run && root.usable());
    }
    close_roots(scope);
  }
  return std::move(m_round);
}

void RoundRun::count_considered() {
  ++m_considered;
  if (m_work.progress) {
    m_work.progress(m_considered, m_known);
  }
}

void RoundRun::consider(Scope& scope, const std::string& name) {
  if (is_ignored(scope, name)) {
    return;
  }
  auto failures = [&] {
    auto retry = scope.retries.find(name);
    return retry == scope.retries.end() ? 0 : retry->second.failures;
  };
  auto fails_to_go = [&] {
    auto deletion = scope.deletions.find(name);
    return deletion != scope.deletions.end() && !deletion->second.problem.empty();
  };
  std::size_t pending = m_pending.size();
  std::size_t later = m_round.again.size();
  unsigned failed_before = failures();
  look_and_decide(scope, name);
  if (m_pending.size() != pending) {
    return; // flush() knows what came of it
  }
  if (m_round.again.size() == later) {
    forget_orders(scope, name);
  }
  if (!m_work.dry_run && failures() == failed_before && !fails_to_go()) {
    scope.retries.erase(name); // nothing failed this time
  }
}

// When it was touched last says something until what was touched is agreed, or turns out to be
// nothing new. Where nobody could look, it still does.
void RoundRun::forget_orders(Scope& scope, const std::string& name) {
  if (scope.orders.empty() || m_work.dry_run) {
    return;
  }
  for (RootIndex i = 0; i < scope.roots.size(); ++i) {
    if (scope.roots[i].usable()) {
      scope.orders.erase({i, name});
    }
  }
}

void RoundRun::look_and_decide(Scope& scope, const std::string& name) {
  std::string key = m_state.key_of(name);
  Skill* skill = scope.find(key);
  if (skill != nullptr && skill->name == name && is_settled(scope, name, *skill)) {
    ++m_round.in_sync;
    return;
  }
  Sight sight = look(scope, name, skill != nullptr && skill->name == name ? skill : nullptr);
  bool anything = std::ranges::any_of(sight.observations, [&](const Observation& seen) {
    return seen.presence == Presence::copy
           || (seen.presence == Presence::problem && !sight.stats[seen.root].is_no_folder);
  });
  if (skill != nullptr && skill->name != name) {
    if (anything) {
      note(scope,
           name,
           "`" + name + "` and `" + skill->name + "` are one name on some file systems");
    } else {
      scope.notes.erase(name);
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
  if (!m_work.dry_run && is_half_told(sight, m_work.now, m_state.options.quiet_ms)) {
    remember(scope, *skill, sight); // so that nobody is told that all is well meanwhile
    if (scope.deletions.contains(name)) {
      forget_deletion(scope, name); // an edit wins, whichever it will be
    }
    sight.moving = true;
  }
  if (sight.moving) {
    again(scope, name, m_work.now.steady_ms + k_look_again_ms);
    return;
  }
  if (!sight.busy.empty()) {
    note(scope, name, sight.busy);
    try_later(scope, name);
    return;
  }
  scope.notes.erase(name);
  if (skill == nullptr) {
    skill = &scope.add(key, name);
  }
  std::optional<ForThisRound> dry;
  if (m_work.dry_run) {
    dry.emplace(scope, key);
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
  forget_missing(scope, skill, sight);
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
    if (is_only_elsewhere(skill, sight)) {
      return;
    }
    pending.action = SyncAction::create;
    Result<Tree> tree = agreed_tree(skill);
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
    if (decision.verdict == Verdict::adopt && !m_work.dry_run) {
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

// What failed may go on failing: a disk that is full, a folder that may not be written.
void RoundRun::try_later(Scope& scope, const std::string& name) {
  if (m_work.dry_run || scope.setup.roots.empty()) {
    return;
  }
  Retry& retry = scope.retries[name];
  retry.at_ms =
      m_work.now.steady_ms + std::min(k_retry_ms << std::min(retry.failures, 20u), k_retry_most_ms);
  ++retry.failures;
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
