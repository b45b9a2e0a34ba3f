#include "daemon/handlers/sync_changes_plan.h"

#include "daemon/handlers/plain_line.h"
#include "protocol/base/hash.h"
#include "protocol/base/paths.h"
#include "skills/library/folder.h"
#include "skills/sync/scan.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_named = 12; // places of one kind
constexpr std::size_t k_brief_hash = 12; // digits

std::string in_quotes(std::string_view text) {
  return "`" + plain_line(text) + "`";
}

std::string brief(std::string_view hash) {
  return in_quotes(hash.substr(0, k_brief_hash));
}

std::string state_of(const std::string& path) {
  UniqueFd root = library::open_folder(AT_FDCWD, std::string(parent_path(path)).c_str());
  if (!root) {
    return "nothing";
  }
  sync::ReadResult read = sync::read_skill(root.get(), base_name(path), {});
  switch (read.stat.presence) {
  case sync::Presence::absent:
    return "nothing";
  case sync::Presence::copy:
    return read.tree.hash().hex();
  case sync::Presence::link:
    return "a link to " + read.stat.link_target;
  case sync::Presence::incomplete:
    return "an incomplete skill";
  case sync::Presence::problem:
    break;
  }
  return "what cannot be read: " + read.stat.problem;
}

std::vector<SettlementPlan::Copy> copies_of(const sync::Engine& engine,
                                            const Conflict& conflict,
                                            const std::vector<SyncStep>& steps) {
  std::map<std::string, std::string> states; // by path
  for (const SkillSyncStatus& skill : engine.status(conflict.skill).skills) {
    if (skill.skill == conflict.skill && skill.scope == conflict.scope) {
      for (const ReplicaStatus& replica : skill.replicas) {
        states.emplace(replica.path, std::string());
      }
    }
  }
  for (const SyncStep& step : steps) {
    if (!step.path.empty()) {
      states.emplace(step.path, std::string());
    }
  }
  std::vector<SettlementPlan::Copy> copies;
  for (const auto& [path, state] : states) {
    copies.push_back({path, state_of(path)});
  }
  return copies;
}

// The version that is taken; null where that cannot be told from what is shown.
const ConflictVersion* chosen(const SettlementPlan& plan) {
  auto is_meant = [&](const ConflictVersion& version) {
    return plan.take == "winner"  ? version.winner
           : plan.take == "loser" ? !version.winner
                                  : version.hash.starts_with(plan.take) || version.path == plan.take
                                        || version.stored == plan.take;
  };
  auto found = std::ranges::find_if(plan.conflict.versions, is_meant);
  return found == plan.conflict.versions.end() ? nullptr : &*found;
}

std::string scope_of(const Conflict& conflict) {
  return conflict.scope.empty() || conflict.scope == "user"
             ? std::string()
             : " of the project " + in_quotes(conflict.scope);
}

std::string verdict_on(const SettlementPlan& plan) {
  const std::string skill = "the skill " + in_quotes(plan.conflict.skill) + scope_of(plan.conflict);
  if (plan.conflict.kind == ConflictKind::deletion) {
    return plan.take == "delete"
               ? "Delete " + skill + " everywhere, as it was deleted in one place."
               : "Bring " + skill + " back where it was deleted.";
  }
  const ConflictVersion* version = chosen(plan);
  if (version == nullptr) {
    return "Settle the conflict over " + skill + " by the version " + brief(plan.take) + ".";
  }
  std::string from = version->path.empty() ? std::string() : ", found in " + in_quotes(version->path);
  return "Settle the conflict over " + skill + ": the version " + brief(version->hash) + from
         + (version->winner ? ", which the copies hold now, stays everywhere."
                            : ", is written to every copy.");
}

struct Heading {
  SyncAction action;
  std::string_view text;
};

constexpr std::array<Heading, 6> k_headings{{{SyncAction::update, "Overwritten:"},
                                             {SyncAction::merge, "Overwritten by a merge:"},
                                             {SyncAction::create, "Written anew:"},
                                             {SyncAction::remove, "Deleted:"},
                                             {SyncAction::link, "Replaced by a link:"},
                                             {SyncAction::unlink, "Links taken away:"}}};

std::string now_in(const SettlementPlan& plan, const std::string& path) {
  auto copy = std::ranges::find(plan.copies, path, &SettlementPlan::Copy::path);
  if (copy == plan.copies.end() || copy->state == "nothing") {
    return {};
  }
  bool is_hash = Digest::from_hex(copy->state).has_value();
  return " (holds " + (is_hash ? brief(copy->state) : plain_line(copy->state)) + ")";
}

std::string places_of(const SettlementPlan& plan) {
  std::string text;
  for (const Heading& heading : k_headings) {
    std::size_t count = 0;
    for (const SyncStep& step : plan.steps) {
      if (step.action != heading.action || step.path.empty()) {
        continue;
      }
      text += count == 0 ? "\n" + std::string(heading.text) : "";
      if (++count <= k_most_named) {
        text += "\n- " + in_quotes(step.path) + now_in(plan, step.path);
      }
    }
    if (count > k_most_named) {
      text += "\n- and " + std::to_string(count - k_most_named) + " more";
    }
  }
  return text.empty() ? "\nNo folder is written." : text;
}

std::string kept_of(const SettlementPlan& plan) {
  const ConflictVersion* taken = chosen(plan);
  std::string text;
  std::size_t count = 0;
  for (const ConflictVersion& version : plan.conflict.versions) {
    if (&version != taken && !version.stored.empty() && ++count <= k_most_named) {
      text += "\n- version " + brief(version.hash) + " in " + in_quotes(version.stored);
    }
  }
  return (text.empty() ? std::string() : "\nKept for 30 days:" + text)
         + "\nWhat is replaced stays in the history: `upskill sync undo` brings it back.";
}

} // namespace

Result<SettlementPlan>
plan_settlement(sync::Engine& engine, const ConflictResolveParams& params, sync::Moment now) {
  ConflictResolveParams rehearsed = params;
  rehearsed.dry_run = true;
  TRY_ASSIGN(sync::Round round, engine.resolve(rehearsed, now));
  TRY_ASSIGN(std::vector<sync::OpenConflict> open, engine.open_conflicts());
  auto meant = std::ranges::find(open, round.settles.value_or(0), &sync::OpenConflict::id);
  if (meant == open.end()) {
    return fail(ErrorCode::changed, "`" + params.skill + "` has no conflict any more");
  }
  TRY_ASSIGN(SyncConflictsResult shown, engine.conflicts({meant->skill}));
  auto conflict = std::ranges::find(shown.conflicts, meant->id, &Conflict::id);
  if (conflict == shown.conflicts.end()) {
    return fail(ErrorCode::changed, "`" + params.skill + "` has no conflict any more");
  }
  SettlementPlan plan{std::move(*conflict), params.skill, params.take, std::move(round.steps)};
  plan.copies = copies_of(engine, plan.conflict, plan.steps);
  return plan;
}

std::string question_about(const SettlementPlan& plan) {
  return verdict_on(plan) + places_of(plan) + kept_of(plan);
}

std::string digest_of(const SettlementPlan& plan) {
  Sha256 hash;
  hash.update_framed(plan.skill);
  hash.update_framed(plan.take);
  hash.update_number(static_cast<std::uint64_t>(plan.conflict.id));
  hash.update_number(plan.conflict.versions.size());
  for (const ConflictVersion& version : plan.conflict.versions) {
    hash.update_framed(version.hash);
    hash.update_framed(version.path);
    hash.update_framed(version.stored);
    hash.update_number(version.winner ? 1 : 0);
  }
  hash.update_number(plan.steps.size());
  for (const SyncStep& step : plan.steps) {
    hash.update_framed(enum_name(step.action));
    hash.update_framed(step.skill);
    hash.update_framed(step.path);
    hash.update_framed(step.from);
    hash.update_framed(step.hash);
  }
  hash.update_number(plan.copies.size());
  for (const SettlementPlan::Copy& copy : plan.copies) {
    hash.update_framed(copy.path);
    hash.update_framed(copy.state);
  }
  return hash.finish().hex();
}

} // namespace upskill::daemon
