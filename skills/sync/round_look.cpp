#include "protocol/base/paths.h"
#include "skills/sync/round.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>

namespace upskill::sync {
namespace {

// A file changed this shortly before the look may change again without its times showing it: file
// systems stamp in ticks of up to 10 ms (git's "racily clean" entries).
constexpr std::int64_t k_racy_ns = 20'000'000;

bool is_known(const Replica* replica, const StatResult& stat) {
  return replica != nullptr && replica->base && replica->fingerprint.is_known()
         && replica->fingerprint == stat.fingerprint;
}

bool leaves_alone(const Scope& scope, const std::string& name, RootIndex root) {
  return !scope.setup.exclude.empty() && is_left_alone(scope.setup, root, name);
}

// With the effective ids, for which the kernel need not make up credentials.
bool is_there(int folder_fd, const std::string& path) {
  return ::faccessat(folder_fd, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW | AT_EACCESS) == 0;
}

} // namespace

bool is_racy(const StatResult& stat, const Moment& now) {
  return stat.newest_change_ns + k_racy_ns > now.wall_ms * 1'000'000;
}

// Whether a look by stat alone shows that nothing changed and nothing is wanted: the path of a
// rescan, so no more than a walk and a comparison.
bool RoundRun::is_settled(Scope& scope, const std::string& name, Skill& skill) {
  if (!skill.ancestor || skill.unrecorded || scope.deletions.contains(name)
      || scope.notes.contains(name)) {
    return false;
  }
  RootSet present;
  RootSet links;
  for (RootIndex i = 0; i < scope.roots.size(); ++i) {
    const Root& root = scope.roots[i];
    const Replica* replica = skill.find(i);
    if (leaves_alone(scope, name, i)) {
      if (replica != nullptr) {
        return false; // known from before that was decided
      }
      continue;
    }
    if (!root.fd || !root.usable()) {
      if (replica != nullptr && replica->base) {
        present.set(i);
      }
      continue;
    }
    StatResult stat = stat_skill(root.fd.get(), name);
    if (replica != nullptr && replica->seen != stat.presence) {
      return false; // what the status says of it is out of date
    }
    if (stat.presence == Presence::absent) {
      if (replica != nullptr && replica->kind != store::ReplicaKind::excluded) {
        return false;
      }
    } else if (stat.presence == Presence::link) {
      if (replica == nullptr || replica->kind != store::ReplicaKind::link || replica->base
          || !leads_to_copy(scope, name, i, stat.link_target)) {
        return false;
      }
      present.set(i);
      links.set(i);
    } else if (stat.presence == Presence::copy && replica != nullptr
               && replica->base == skill.ancestor && replica->fingerprint.is_known()
               && replica->fingerprint == stat.fingerprint) {
      present.set(i);
    } else {
      return false;
    }
  }
  return (scope.wanted(skill, present, links) & ~present).none();
}

// As it is written; any other way to a copy is found by look_at_link().
bool RoundRun::leads_to_copy(const Scope& scope,
                             const std::string& name,
                             RootIndex root,
                             const std::string& target) const {
  std::string path = normalized_path(target, scope.setup.roots[root].path);
  std::optional<RootIndex> to = scope.root_at(parent_path(path));
  return to && *to != root && base_name(path) == name;
}

Sight RoundRun::look(Scope& scope, const std::string& name, const Skill* skill) {
  Sight sight;
  sight.observations.resize(scope.roots.size());
  sight.stats.resize(scope.roots.size());
  for (RootIndex i = 0; i < scope.roots.size(); ++i) {
    const Root& root = scope.roots[i];
    Observation& seen = sight.observations[i];
    const Replica* replica = skill != nullptr ? skill->find(i) : nullptr;
    seen.root = i;
    if (leaves_alone(scope, name, i)) {
      seen.usable = false;
      continue;
    }
    seen.base = replica != nullptr ? replica->base : std::nullopt;
    seen.usable = root.usable() || root.judgement.health == RootHealth::absent;
    if (!seen.usable || !root.fd) {
      continue;
    }
    if (auto order = scope.orders.find({i, name}); order != scope.orders.end()) {
      seen.order = order->second;
    }
    ReadResult read = look_into(scope, name, i, replica);
    if (read.stat.presence == Presence::copy
        && has_git(scope, name, i, read, is_known(replica, read.stat))) {
      std::string operation = git_operation(scope.path_of(i, name) + "/.git");
      if (!operation.empty()) {
        sight.busy = operation + " is under way in `" + scope.path_of(i, name) + "`";
      }
    }
    sight.stats[i] = read.stat;
    seen.presence = read.stat.presence;
    seen.mtime_ns = sight.stats[i].newest_mtime_ns;
    if (seen.presence == Presence::copy && is_known(replica, read.stat)) {
      seen.hash = *replica->base;
    } else if (seen.presence == Presence::copy) {
      keep_read(scope, name, i, std::move(read), sight);
    } else if (seen.presence == Presence::link) {
      look_at_link(scope, name, i, sight);
    } else if (scope.setup.enabled && seen.presence == Presence::absent && seen.base
               && is_root_emptied(scope, i)) {
      seen.usable = false;
    }
  }
  return sight;
}

// Whether the copy is a repository of its own. What was read has listed it.
bool RoundRun::has_git(const Scope& scope,
                       const std::string& name,
                       RootIndex root,
                       const ReadResult& read,
                       bool only_looked_at) const {
  if (!only_looked_at) {
    return std::ranges::find(read.ignored, ".git") != read.ignored.end();
  }
  return is_there(scope.roots[root].fd.get(), name + "/.git");
}

// What lies there, read where it is no copy that is known by its fingerprint.
ReadResult RoundRun::look_into(Scope& scope,
                               const std::string& name,
                               RootIndex root,
                               const Replica* known) const {
  int fd = scope.roots[root].fd.get();
  // What will have to be read is not looked at twice. Folders without a document, and what could
  // not be propagated the last time, are no reason to read much.
  bool expects_change =
      (known == nullptr || !known->fingerprint.is_known()) && !scope.notes.contains(name);
  ReadResult result;
  if (!expects_change) {
    result.stat = stat_skill(fd, name);
    if (result.stat.presence != Presence::copy || is_known(known, result.stat)) {
      return result;
    }
  }
  return read_skill(fd, name, {.keep_contents = true, .only_skills = expects_change});
}

void RoundRun::keep_read(
    Scope& scope, const std::string& name, RootIndex root, ReadResult read, Sight& sight) {
  if (stat_skill(scope.roots[root].fd.get(), name).fingerprint != read.stat.fingerprint) {
    sight.moving = true;
    return;
  }
  sight.observations[root].hash = read.tree.hash();
  sight.reads.emplace(root, std::move(read));
}

// A link counts only where it leads to this skill in another root of the scope; any other is left
// alone (sync facts, rule 9).
void RoundRun::look_at_link(Scope& scope, const std::string& name, RootIndex root, Sight& sight) {
  StatResult& stat = sight.stats[root];
  std::string written = normalized_path(stat.link_target, scope.setup.roots[root].path);
  char real[PATH_MAX];
  std::string target =
      ::realpath(scope.path_of(root, name).c_str(), real) != nullptr ? std::string(real) : written;
  std::optional<RootIndex> to = scope.root_at(parent_path(target));
  if (to && *to != root && base_name(target) == name) {
    return;
  }
  stat.problem = "is a link to `" + stat.link_target + "`, which is no other copy of it";
  sight.observations[root].presence = Presence::problem;
  stat.presence = Presence::problem;
}

// How many of the skills that were agreed in this root are there; counts no further than `enough`.
std::size_t RoundRun::present_in(const Scope& scope, RootIndex index, std::size_t enough) const {
  std::size_t present = 0;
  for (const Skill& skill : scope.skills) {
    const Replica* replica = skill.find(index);
    if (replica == nullptr || !replica->base) {
      continue;
    }
    present +=
        ::faccessat(AT_FDCWD, scope.path_of(index, skill.name).c_str(), F_OK, AT_SYMLINK_NOFOLLOW)
        == 0;
    if (present == enough) {
      break;
    }
  }
  return present;
}

// Called before a root is written to, and when a copy is missing. The first that is found shows
// that the root was not emptied.
bool RoundRun::is_root_emptied(Scope& scope, RootIndex index) {
  Root& root = scope.roots[index];
  if (root.emptied_checked) {
    return root.judgement.health == RootHealth::halted;
  }
  root.emptied_checked = true;
  if (!is_emptied(root.record, present_in(scope, index, 1))) {
    return false;
  }
  root.record.emptied = true;
  halt_emptied(scope, index, root.record.agreed);
  return true;
}

// A root that was emptied is halted until nothing is missing any more, however the rest comes back.
// What was deleted elsewhere meanwhile is not waited for.
bool RoundRun::is_still_emptied(Scope& scope, RootIndex index) {
  Root& root = scope.roots[index];
  std::size_t given_up = 0;
  for (const Skill& skill : scope.skills) {
    const Replica* replica = skill.find(index);
    given_up += replica != nullptr && replica->base && !skill.ancestor
                && ::access(scope.path_of(index, skill.name).c_str(), F_OK) != 0;
  }
  std::size_t present = present_in(scope, index, root.record.agreed) + given_up;
  if (is_emptied(root.record, present)) {
    halt_emptied(scope, index, root.record.agreed - present);
    return true;
  }
  if (!m_work.dry_run) {
    root.record.emptied = false;
    warn_if(m_state.record_root(scope, index));
  }
  return false;
}

void RoundRun::halt_emptied(Scope& scope, RootIndex index, std::size_t missing) {
  Root& root = scope.roots[index];
  root.judgement = {RootHealth::halted,
                    "`" + scope.setup.roots[index].path + "` lost all of its "
                        + std::to_string(root.record.agreed) + " skills",
                    "put them back, or run `upskill sync enable --accept` to have them written "
                    "there again"};
  if (missing < root.record.agreed) {
    root.judgement.reason += ", and " + std::to_string(missing) + " are still missing";
  }
  warn({ErrorCode::refused, root.judgement.reason, root.judgement.hint});
  // A later process must know too: what is there by then may be a part of it.
  if (!m_work.dry_run && !root.emptied_recorded) {
    warn_if(m_state.record_root(scope, index));
  }
}

// A person took a link away, and with it the skill from the agents that read this root, and from no
// other. From now on that can be undone.
void RoundRun::forget_link(Scope& scope, Skill& skill, const Sight& sight, RootIndex root) {
  store::HistoryRow history;
  history.time_ms = m_work.now.wall_ms;
  history.action = SyncAction::unlink;
  history.skill = skill.name;
  history.scope = scope.id;
  history.from = scope.setup.roots[root].path;
  history.before = skill.ancestor;
  history.after = skill.ancestor;
  history.reason = "its link was deleted there";
  history.paths = {{scope.path_of(root, skill.name), {}, {}, store::ReplicaKind::link}};
  skill.at(root).kind = store::ReplicaKind::excluded;
  exclude_for_readers(scope, skill, sight, {root}, Excluded::for_good, history);
  record_look(scope, skill);
  if (m_work.dry_run || skill.id == 0) {
    return;
  }
  auto log = [&]() -> Result<void> {
    TRY_ASSIGN(history.batch, batch());
    TRY(m_state.store.add_history(history));
    return {};
  };
  warn_if(log());
}

// What the look says about single copies, whatever is decided about the skill.
void RoundRun::remember(Scope& scope, Skill& skill, const Sight& sight) {
  std::vector<RootIndex> unlinked;
  forget_left_alone(scope, skill);
  for (const Observation& seen : sight.observations) {
    if (!seen.usable) {
      continue;
    }
    Replica* replica = skill.find(seen.root);
    if (replica == nullptr) {
      if (seen.presence == Presence::absent) {
        continue;
      }
      replica = &skill.at(seen.root);
    }
    replica->seen = seen.presence;
    replica->differs = seen.presence == Presence::copy && seen.hash != skill.ancestor;
    if (seen.presence == Presence::link) {
      replica->kind = store::ReplicaKind::link;
    } else if (seen.presence == Presence::copy) {
      replica->kind = store::ReplicaKind::copy;
    } else if (seen.presence == Presence::absent && replica->kind == store::ReplicaKind::link) {
      unlinked.push_back(seen.root);
    }
    if (!sight.stats[seen.root].link_target.empty() && replica->base) {
      // A person put a link, wherever it leads, in the place of a copy: what was agreed there is
      // the other copies' now, and taking the link away deletes nothing.
      scope.agree(skill, seen.root, std::nullopt);
      record_look(scope, skill);
    }
    if (replica->base && seen.presence == Presence::copy && seen.hash == *replica->base
        && !(replica->fingerprint == sight.stats[seen.root].fingerprint)
        && !is_racy(sight.stats[seen.root], m_work.now)) {
      replica->fingerprint = sight.stats[seen.root].fingerprint;
      m_fingerprints.insert(static_cast<SkillIndex>(&skill - scope.skills.data()));
    }
  }
  for (RootIndex root : unlinked) {
    forget_link(scope, skill, sight, root);
  }
  for (Replica& replica : skill.replicas) {
    // A person put something there, who may take it away on purpose in turn.
    replica.withdrawn = replica.withdrawn && replica.kind == store::ReplicaKind::excluded;
  }
}

// Where nothing is synchronised, a copy that is missing was taken away there and nowhere else.
void RoundRun::forget_missing(Scope& scope, Skill& skill, Sight& sight) {
  if (scope.setup.enabled || scope.deletions.contains(skill.name)) {
    return;
  }
  for (Observation& seen : sight.observations) {
    if (seen.usable && seen.presence == Presence::absent && seen.base) {
      seen.base.reset();
      scope.agree(skill, seen.root, std::nullopt);
    }
  }
}

// What is taken up again later is a stranger then: nobody knows what became of it meanwhile.
void RoundRun::forget_left_alone(Scope& scope, Skill& skill) {
  std::vector<RootIndex> gone;
  for (const Replica& replica : skill.replicas) {
    if (leaves_alone(scope, skill.name, replica.root)) {
      gone.push_back(replica.root);
    }
  }
  if (gone.empty() || m_work.dry_run) {
    return;
  }
  for (RootIndex root : gone) {
    scope.agree(skill, root, std::nullopt);
    std::erase_if(skill.replicas, [&](const Replica& one) { return one.root == root; });
  }
  record_look(scope, skill);
}

void RoundRun::record_look(const Scope& scope, const Skill& skill) {
  if (!m_work.dry_run && skill.id != 0) {
    warn_if(m_state.record_replicas(scope, skill));
  }
}

} // namespace upskill::sync
