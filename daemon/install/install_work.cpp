#include "daemon/install/install_work.h"

#include "daemon/install/version_answers.h"
#include "protocol/base/utf8.h"
#include "skills/install/discover.h"
#include "skills/library/folder.h"
#include "skills/library/names.h"

#include <fcntl.h>

#include <algorithm>
#include <set>
#include <unordered_set>

namespace upskill::daemon {
namespace {

using Names = std::map<std::string, std::string>; // what lies there, by folded name

// What is called like a candidate, in whatever spelling.
Names names_there(const Scene& scene,
                  const std::string& project,
                  const std::vector<Candidate>& candidates) {
  std::unordered_set<std::string> wanted;
  for (const Candidate& candidate : candidates) {
    wanted.insert(library::folded_key(candidate.skill));
  }
  Names names;
  for (const library::Root& root : scene.roots) {
    if (root.project != project || !root.exists()) {
      continue;
    }
    UniqueFd folder = library::open_folder(AT_FDCWD, root.real_path.c_str());
    if (folder) {
      library::for_each_name(folder.get(), [&](const library::FolderEntry& entry) {
        std::string key = library::folded_key(entry.name);
        if (wanted.contains(key)) {
          names.emplace(std::move(key), entry.name);
        }
        return true;
      });
    }
  }
  return names;
}

bool is_same_source(const install::Source& a, const install::Source& b) {
  return a.kind == b.kind && a.address == b.address;
}

// What tells a skill apart from another of its name: who it is from.
std::string other_name(const InstallWork& work, const std::string& skill) {
  const std::string& name = work.offer->source.name;
  std::string owner = name.substr(0, name.rfind('/'));
  owner = install::folder_name_of(owner.substr(owner.find_last_of("/:@") + 1));
  return (owner.empty() ? "other" : owner) + "-" + skill;
}

void say(InstalledSkill& told, InstallState state, std::string reason, std::string hint = {}) {
  told.state = state;
  told.reason = std::move(reason);
  told.hint = std::move(hint);
}

// Names that several candidates would have.
std::set<std::string> names_twice(const InstallWork& work) {
  std::set<std::string> known;
  std::set<std::string> twice;
  for (const Candidate& candidate : work.candidates) {
    if (!known.insert(candidate.skill).second) {
      twice.insert(candidate.skill);
    }
  }
  return twice;
}

// Whether a person has allowed this version, now or before.
bool is_allowed(const InstallWork& work, const Candidate& candidate) {
  const install::InstallRow* row = work.record->find(work.project, candidate.skill);
  bool was_allowed =
      row != nullptr && std::ranges::find(row->allowed, candidate.hash.hex()) != row->allowed.end();
  return was_allowed || work.allowances.allows(candidate.skill, candidate.hash);
}

// What a version is in a plan: of one skill under one name.
std::string plan_key(const InstallWork& work, const Candidate& candidate) {
  return work.offered(candidate).from + "\n" + candidate.skill;
}

bool is_as_shown(const InstallWork& work, const Candidate& candidate) {
  auto shown = work.plan.shown.find(plan_key(work, candidate));
  return work.params.dry_run || shown == work.plan.shown.end() || shown->second == candidate.hash;
}

// Whether it may be placed; where it may not, why.
bool is_ordered(const InstallWork& work,
                const Candidate& candidate,
                const Names& names,
                const std::set<std::string>& twice,
                InstalledSkill& told) {
  if (candidate.problem) {
    return false; // which is told already
  }
  if (twice.contains(candidate.skill)) {
    say(told,
        InstallState::invalid,
        "the source has several skills of that name",
        "`--skill " + told.from + " --as NAME` takes this one");
    return false;
  }
  auto there = names.find(library::folded_key(candidate.skill));
  if (there != names.end() && there->second != candidate.skill) {
    say(told,
        InstallState::invalid,
        in_backticks(there->second) + " is here, which is the same name on some systems",
        "`--as NAME` gives it another");
    return false;
  }
  if (!is_as_shown(work, candidate)) {
    say(told, InstallState::failed, "it has changed since it was shown", "look at it again");
    return false;
  }
  if (candidate.danger.is_severe() && !is_allowed(work, candidate)) {
    say(told,
        InstallState::dangerous,
        candidate.danger.findings.front().message,
        "look at it; `--allow " + candidate.skill + "@" + candidate.hash.brief()
            + "` installs it all the same");
    return false;
  }
  return true;
}

void tell_taken(const InstallWork& work, InstalledSkill& told) {
  const install::InstallRow* row = work.record->find(work.project, told.skill);
  say(told,
      InstallState::taken,
      row != nullptr ? "the one that is here is from " + in_backticks(row->source.name)
                     : "another skill of that name is here",
      "`--as " + other_name(work, told.skill)
          + "` installs it beside that, `--replace` in its place");
}

void tell_one(const InstallWork& work, const sync::Placed& placed, InstalledSkill& told) {
  told.paths = placed.paths;
  told.agents = placed.agents;
  switch (placed.state) {
  case sync::PlacedState::placed:
    told.state = InstallState::installed;
    break;
  case sync::PlacedState::unchanged:
    told.state = InstallState::unchanged;
    break;
  case sync::PlacedState::replaced:
    told.state = work.params.replace ? InstallState::installed : InstallState::updated;
    break;
  case sync::PlacedState::merged:
    told.state = InstallState::updated;
    told.reason = "what was edited here was kept";
    break;
  case sync::PlacedState::conflict:
    say(told,
        InstallState::failed,
        "you and the source have changed the same, so what is here stays",
        "`upskill sync conflicts " + told.skill
            + "` shows both; `upskill sync resolve` settles it");
    break;
  case sync::PlacedState::taken:
    if (placed.in_the_way) {
      say(told, InstallState::failed, placed.in_the_way->message, placed.in_the_way->hint);
    } else {
      tell_taken(work, told);
    }
    break;
  }
}

// Whose they are that see it: of an order for all agents, or of two for some, all of these.
std::vector<std::string> joined(std::vector<std::string> before,
                                const std::vector<std::string>& now) {
  if (before.empty() || now.empty()) {
    return {};
  }
  before.insert(before.end(), now.begin(), now.end());
  std::ranges::sort(before);
  before.erase(std::ranges::unique(before).begin(), before.end());
  return before;
}

} // namespace

const install::InstallRow* row_from_here(const InstallWork& work, const Candidate& candidate) {
  const install::InstallRow* row = work.record->find(work.project, candidate.skill);
  bool is_same = row != nullptr && is_same_source(row->source, work.offer->source)
                 && row->from == work.offered(candidate).from;
  return is_same ? row : nullptr;
}

std::map<std::string, Digest> shown_of(const InstallWork& work) {
  std::map<std::string, Digest> shown;
  for (const Candidate& candidate : work.candidates) {
    if (!candidate.problem) {
      shown.emplace(plan_key(work, candidate), candidate.hash);
    }
  }
  return shown;
}

void judge(InstallWork& work, const std::map<std::size_t, Error>& failed) {
  const Names names = names_there(*work.scene, work.project, work.candidates);
  const std::set<std::string> twice = names_twice(work);
  for (std::size_t i = 0; i < work.candidates.size(); ++i) {
    const Candidate& candidate = work.candidates[i];
    InstalledSkill told = told_of(candidate, work.offered(candidate));
    auto failure = failed.find(candidate.index);
    if (failure != failed.end()) {
      say(told, InstallState::failed, failure->second.message, failure->second.hint);
    } else if (work.choice.is_open) {
      told.state = InstallState::offered;
    } else if (is_ordered(work, candidate, names, twice, told)) {
      work.ordered.push_back(i);
    }
    work.result.skills.push_back(std::move(told));
  }
}

sync::PlaceOrder order_of(const InstallWork& work) {
  sync::PlaceOrder order;
  order.project = work.project;
  order.dry_run = work.params.dry_run;
  for (std::size_t i : work.ordered) {
    const Candidate& candidate = work.candidates[i];
    sync::Placement& placement = order.skills.emplace_back();
    placement.skill = candidate.skill;
    placement.content = content_of(candidate);
    placement.bytes = candidate.bytes;
    const install::InstallRow* row = row_from_here(work, candidate);
    if (row != nullptr) {
      placement.base = row->base;
    }
    placement.replaces = work.params.replace;
    placement.agents = work.params.agent;
    placement.links = work.params.link;
    placement.reason = "installed from " + to_valid_utf8(work.offer->source.name);
  }
  return order;
}

void tell(InstallWork& work, const std::vector<sync::Placed>& placed) {
  for (std::size_t i = 0; i < placed.size(); ++i) {
    tell_one(work, placed[i], work.result.skills[work.ordered[i]]);
  }
}

std::vector<install::InstallRow>
rows_of(const InstallWork& work, const std::vector<sync::Placed>& placed, std::int64_t now_ms) {
  std::vector<install::InstallRow> rows;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const Candidate& candidate = work.candidates[work.ordered[i]];
    const fetch::Offered& offered = work.offered(candidate);
    const install::InstallRow* before = row_from_here(work, candidate);
    const sync::PlacedState state = placed[i].state;
    bool is_anothers = before == nullptr && !work.params.replace
                       && work.record->find(work.project, candidate.skill) != nullptr;
    bool is_held = state == sync::PlacedState::conflict;
    if (state == sync::PlacedState::taken || is_anothers || (is_held && before == nullptr)) {
      continue;
    }
    install::InstallRow row = before != nullptr ? *before : install::InstallRow();
    row.held.reset();
    if (is_held) {
      row.held = placed[i].version;
    } else {
      row.skill = candidate.skill;
      row.scope = work.project;
      row.source = work.offer->source;
      row.source.skills.clear();
      row.from = offered.from;
      row.commit = work.offer->commit;
      row.digest = offered.digest;
      row.base = placed[i].version;
      row.renamed_from = candidate.as.empty() ? std::string() : candidate.called;
      row.agents = before != nullptr ? joined(row.agents, work.params.agent) : work.params.agent;
      row.links = work.params.link;
      row.installed_ms = before != nullptr ? before->installed_ms : now_ms;
    }
    if (candidate.danger.is_severe()) {
      row.allowed.push_back(candidate.hash.hex());
      std::ranges::sort(row.allowed);
      row.allowed.erase(std::ranges::unique(row.allowed).begin(), row.allowed.end());
    }
    if (!is_held && (before == nullptr || row != *before)) {
      row.updated_ms = now_ms; // else nothing has to be written
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace upskill::daemon
