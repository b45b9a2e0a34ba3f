#include "daemon/install/update_work.h"

#include "daemon/install/scopes.h"
#include "daemon/install/version_answers.h"
#include "protocol/base/utf8.h"
#include "skills/eval/fields.h"
#include "skills/install/computed_hash.h"
#include "skills/install/discover.h"
#include "skills/install/tree_hash.h"
#include "skills/library/names.h"
#include "skills/sync/put_skill.h"

#include <algorithm>

namespace upskill::daemon {
namespace {

bool is_meant(const UpdateWork& work, const std::string& skill) {
  return work.params.skill.empty()
         || std::ranges::find(work.params.skill, skill) != work.params.skill.end();
}

Tracked tracked(install::InstallRow row) {
  Tracked skill;
  skill.told.skill = row.skill;
  skill.told.scope = scope_name(row.scope);
  skill.told.source = to_valid_utf8(install::words_of(row.source));
  skill.told.ref = row.source.ref;
  skill.row = std::move(row);
  return skill;
}

// What `npx skills` has installed and we have no row of.
void add_locked(UpdateWork& work,
                const std::string& scope,
                const install::SkillsLock& lock,
                const std::string& home) {
  for (const auto& [called, entry] : lock.entries()) {
    const std::string name = install::folder_name_of(called);
    if (work.record->find(scope, name) != nullptr || !is_meant(work, name)
        || library::refused_name(name)) {
      continue;
    }
    Result<install::InstallRow> row = row_of(name, entry, scope, home);
    install::InstallRow unknown;
    unknown.skill = name;
    unknown.scope = scope;
    Tracked& skill = work.skills.emplace_back(tracked(row ? *row : unknown));
    skill.lock = entry;
    skill.has_base = false;
    if (!row) {
      skill.told.source = to_valid_utf8(entry.source);
      skill.settle(UpdateState::failed, row.error().message, row.error().hint);
    }
  }
}

Result<void> check_names(const UpdateWork& work) {
  for (const std::string& name : work.params.skill) {
    bool is_there = std::ranges::any_of(
        work.skills, [&](const Tracked& skill) { return skill.row.skill == name; });
    if (!is_there) {
      std::vector<std::string> names;
      for (const auto& [key, row] : work.record->rows()) {
        names.push_back(row.skill);
      }
      std::string hint = eval::meant(name, names);
      return fail(ErrorCode::not_found,
                  "no skill " + in_backticks(name) + " was installed from anywhere",
                  hint.empty() ? "`upskill outdated` lists those that were" : hint);
    }
  }
  return {};
}

bool is_allowed(const UpdateWork& work, const Tracked& skill) {
  const std::vector<std::string>& allowed = skill.row.allowed;
  return std::ranges::find(allowed, skill.theirs->hash.hex()) != allowed.end()
         || work.allowances.allows(skill.row.skill, skill.theirs->hash);
}

// What a version is in a plan.
std::string plan_key(const install::InstallRow& row) {
  return row.scope + "\n" + row.skill;
}

bool is_as_shown(const UpdateWork& work, const Tracked& skill) {
  auto shown = work.plan.shown.find(plan_key(skill.row));
  return work.changes_nothing() || shown == work.plan.shown.end()
         || shown->second == skill.theirs->hash;
}

sync::Precedence precedence_of(TakeSide take) {
  switch (take) {
  case TakeSide::theirs:
    return sync::Precedence::placed;
  case TakeSide::mine:
    return sync::Precedence::mine;
  case TakeSide::merge:
    break;
  }
  return sync::Precedence::merge;
}

// Nothing is new at the source.
void settle_current(Tracked& skill) {
  bool is_edited = skill.has_base && skill.mine && *skill.mine != skill.row.base;
  skill.told.edited = is_edited;
  skill.settle(is_edited ? UpdateState::edited : UpdateState::current);
}

} // namespace

Result<void> gather(UpdateWork& work, const InstallFiles& files) {
  TRY_ASSIGN(work.record, files.record().read());
  for (const std::string& scope : work.scopes) {
    for (const auto& [key, row] : work.record->rows()) {
      if (row.scope == scope && is_meant(work, row.skill)) {
        work.skills.push_back(tracked(row));
      }
    }
    TRY_ASSIGN(install::SkillsLock lock, files.lock(scope).read());
    add_locked(work, scope, lock, files.places.home);
  }
  return check_names(work);
}

namespace {

constexpr std::size_t k_git_digits = 40;

// Whether a folder is what this hash of a lock was made of.
bool has_hash(const std::string& folder, const std::string& told) {
  if (told.size() == k_git_digits) { // of what came from GitHub
    Result<std::optional<sync::PlacedSkill>> placed = sync::read_placed(folder);
    return placed && *placed && install::git_tree_hash((*placed)->files) == told;
  }
  Result<std::string> hash = install::computed_hash_of(folder);
  return hash && *hash == told;
}

} // namespace

void find_base(Tracked& skill, const Scene& scene) {
  const std::string& told =
      skill.row.scope.empty() ? skill.lock->skill_folder_hash : skill.lock->computed_hash;
  if (!skill.mine || told.empty()) {
    return;
  }
  for (const library::Root& root : scene.roots) {
    if (root.project != skill.row.scope || !root.exists()) {
      continue;
    }
    if (has_hash(join_path(root.real_path, skill.row.skill), told)) {
      skill.row.base = *skill.mine;
      skill.has_base = true;
      return;
    }
  }
}

bool needs_files(UpdateWork& work, Tracked& skill) {
  // `npx skills` does not say where in a local folder it found a skill.
  const bool is_known_by_name = skill.lock && skill.lock->skill_path.empty();
  auto is_it = [&](const fetch::Offered& offered) {
    return offered.from == skill.row.from
           || (is_known_by_name && install::folder_name_of(offered.name) == skill.row.skill);
  };
  auto found = std::ranges::find_if(skill.offer->skills, is_it);
  skill.told.commit = skill.offer->commit;
  if (found == skill.offer->skills.end()) {
    skill.settle(UpdateState::gone,
                 "its source does not have it any more; it stays",
                 "`upskill remove " + skill.row.skill + "` takes it away");
    return false;
  }
  skill.index = static_cast<std::size_t>(found - skill.offer->skills.begin());
  skill.row.from = found->from;
  bool is_held = skill.row.held && work.in_conflict.contains({skill.row.scope, skill.row.skill});
  if (skill.row.held && !is_held) {
    // The conflict was settled: whatever came of it, this version was seen.
    skill.row.base = *skill.row.held;
    skill.row.held.reset();
    skill.is_known = true;
  }
  const std::string& commit = skill.row.commit;
  bool is_same_commit = !commit.empty() && commit == skill.offer->commit;
  bool is_same_digest = !found->digest.empty() && found->digest == skill.row.digest;
  if (skill.has_base && !is_held && (is_same_commit || is_same_digest)) {
    settle_current(skill);
    return false;
  }
  if (skill.lock && !found->tree.empty() && found->tree == skill.lock->skill_folder_hash) {
    settle_current(skill);
    return false;
  }
  return true;
}

bool is_new(Tracked& skill) {
  if (skill.row.renamed_from.empty() && skill.has_base && !skill.row.held) {
    Result<Digest> hash = read_hash(skill.offered().folder);
    if (hash && *hash == skill.row.base) {
      skill.is_known = skill.is_known || skill.row.commit != skill.offer->commit;
      skill.row.commit = skill.offer->commit;
      settle_current(skill);
      return false;
    }
  }
  return true;
}

void judge(UpdateWork& work, Tracked& skill, const std::optional<sync::NewFiles>& base) {
  const Candidate& theirs = *skill.theirs;
  skill.told.after = theirs.hash.hex();
  skill.told.edited = skill.has_base && skill.mine != skill.row.base;
  if (theirs.problem) {
    skill.settle(UpdateState::failed,
                 "what its source has now is no skill that can be used: " + theirs.problem->message,
                 theirs.problem->hint);
    return;
  }
  skill.told.danger = severity_of(theirs.danger);
  skill.told.findings = findings_of(theirs.danger);
  if (skill.has_base && theirs.hash == skill.row.base) {
    settle_current(skill);
    return;
  }
  if (skill.mine == theirs.hash) {
    // Somebody else brought it, or an update was interrupted.
    skill.row.base = theirs.hash;
    skill.row.held.reset();
    skill.is_known = true;
    skill.told.edited = false;
    skill.settle(UpdateState::current);
    return;
  }
  if (base) {
    Result<sync::SharedFiles> now = files_of(theirs);
    if (now) {
      VersionDifference difference = difference_of(*base, **now);
      skill.told.changed = std::move(difference.changed);
      skill.told.diff = std::move(difference.diff);
      Result<danger::Widening> widening =
          danger::widening(scanned_files(*base), scanned_files(**now));
      if (widening) {
        skill.told.gains = gains_of(*widening);
      }
    }
  }
  if (theirs.danger.is_severe() && !is_allowed(work, skill)) {
    skill.settle(UpdateState::dangerous,
                 theirs.danger.findings.front().message,
                 "look at it; `--allow " + skill.row.skill + "@" + theirs.hash.brief()
                     + "` takes it all the same");
    return;
  }
  if (!is_as_shown(work, skill)) {
    skill.settle(UpdateState::failed, "it has changed since it was shown", "look at it again");
    return;
  }
  if (skill.row.held == theirs.hash && work.params.take == TakeSide::merge) {
    skill.settle(UpdateState::conflict,
                 "you and the source have changed the same, so what is here stays",
                 "`upskill sync resolve " + skill.row.skill + "` settles it");
    return;
  }
  bool is_undecided =
      !skill.has_base && work.params.take == TakeSide::merge && !work.changes_nothing();
  if (is_undecided) {
    skill.settle(UpdateState::failed,
                 "`npx skills` has installed it, and nothing tells whether it was edited here",
                 "`--take theirs` replaces it (`upskill rollback` brings it back), `--take mine` "
                 "keeps it");
    return;
  }
  skill.told.state = UpdateState::available;
}

std::map<std::string, Digest> shown_of(const UpdateWork& work) {
  std::map<std::string, Digest> shown;
  for (const Tracked& skill : work.skills) {
    if (skill.theirs && !skill.theirs->problem) {
      shown.emplace(plan_key(skill.row), skill.theirs->hash);
    }
  }
  return shown;
}

UpdateOrder order_of(const UpdateWork& work, const std::string& scope) {
  UpdateOrder all;
  all.order.project = scope;
  for (std::size_t i = 0; i < work.skills.size(); ++i) {
    const Tracked& skill = work.skills[i];
    bool is_ordered = skill.row.scope == scope && skill.theirs && !skill.is_settled;
    if (!is_ordered) {
      continue;
    }
    all.places.push_back(i);
    sync::Placement& placement = all.order.skills.emplace_back();
    placement.skill = skill.row.skill;
    placement.content = content_of(*skill.theirs);
    placement.bytes = skill.theirs->bytes;
    if (skill.has_base) {
      placement.base = skill.row.base;
    } else if (work.params.take == TakeSide::mine) {
      placement.base = skill.theirs->hash; // so that what lies here counts as edited
    }
    placement.replaces = !skill.has_base && work.params.take == TakeSide::theirs;
    placement.precedence = precedence_of(work.params.take);
    placement.agents = skill.row.agents;
    placement.links = skill.row.links;
    placement.reason = "updated from " + to_valid_utf8(skill.row.source.name);
  }
  return all;
}

void tell(Tracked& skill, const sync::Placed& placed, TakeSide take, std::int64_t now_ms) {
  skill.told.paths = placed.paths;
  skill.is_settled = true;
  switch (placed.state) {
  case sync::PlacedState::placed:
  case sync::PlacedState::replaced:
    skill.told.state = UpdateState::updated;
    break;
  case sync::PlacedState::unchanged:
    skill.told.state = take == TakeSide::mine ? UpdateState::edited : UpdateState::updated;
    break;
  case sync::PlacedState::merged:
    skill.told.state = take == TakeSide::mine ? UpdateState::edited : UpdateState::merged;
    break;
  case sync::PlacedState::conflict:
    skill.settle(UpdateState::conflict,
                 "you and the source have changed the same, so what is here stays",
                 "`upskill sync conflicts " + skill.row.skill
                     + "` shows both, `upskill sync resolve` settles it");
    skill.told.conflict = placed.conflict;
    skill.row.held = placed.version;
    skill.is_known = true;
    return;
  case sync::PlacedState::taken:
    skill.settle(UpdateState::failed,
                 placed.in_the_way ? placed.in_the_way->message
                                   : "another version lies here than was looked at",
                 placed.in_the_way ? placed.in_the_way->hint : "try again");
    return;
  }
  skill.row.base = placed.version;
  skill.row.held.reset();
  skill.row.commit = skill.offer->commit;
  skill.row.digest = skill.offered().digest;
  skill.row.updated_ms = now_ms;
  if (skill.row.installed_ms == 0) {
    skill.row.installed_ms = now_ms;
  }
  if (skill.theirs->danger.is_severe()) {
    skill.row.allowed.push_back(skill.theirs->hash.hex());
  }
  skill.is_known = true;
}

ToWrite to_write(const UpdateWork& work) {
  ToWrite what;
  for (const Tracked& skill : work.skills) {
    if (!skill.is_known || !skill.offer) {
      continue;
    }
    what.rows.push_back(skill.row);
    if (skill.theirs && skill.row.base == skill.theirs->hash) {
      what.locks[skill.row.scope][skill.row.skill] = {
          name_of(*skill.theirs), lock_entry(skill.row, *skill.theirs, skill.offered())};
    }
  }
  return what;
}

void finish(UpdateWork& work) {
  for (Tracked& skill : work.skills) {
    UpdateState state = skill.told.state;
    bool has_nothing_new = state == UpdateState::current || state == UpdateState::edited;
    work.result.current += has_nothing_new ? 1 : 0;
    bool is_new = state == UpdateState::available || state == UpdateState::updated
                  || state == UpdateState::merged || state == UpdateState::conflict
                  || state == UpdateState::dangerous;
    work.result.any_new = work.result.any_new || is_new;
    if (state != UpdateState::current || !work.params.skill.empty()) {
      work.result.skills.push_back(std::move(skill.told));
    }
  }
  std::ranges::sort(work.result.skills, {}, [](const UpdatedSkill& skill) {
    return std::pair(std::string_view(skill.skill), std::string_view(skill.scope));
  });
  work.result.dry_run = work.changes_nothing();
}

} // namespace upskill::daemon
