#include "skills/sync/index.h"

#include "protocol/base/paths.h"

#include <algorithm>

namespace upskill::sync {

Replica* Skill::find(RootIndex root) {
  auto at = std::ranges::find(replicas, root, &Replica::root);
  return at == replicas.end() ? nullptr : &*at;
}

const Replica* Skill::find(RootIndex root) const {
  return const_cast<Skill*>(this)->find(root);
}

Replica& Skill::at(RootIndex root) {
  if (Replica* known = find(root)) {
    return *known;
  }
  replicas.reserve(replicas.size() + 1); // exactly: most skills keep one or two copies for good
  replicas.emplace_back();
  replicas.back().root = root;
  return replicas.back();
}

void Skill::let_return() {
  std::erase_if(replicas, [](const Replica& one) {
    return one.kind == store::ReplicaKind::excluded && one.withdrawn;
  });
}

void Skill::let_return(const std::vector<RootIndex>& roots) {
  std::erase_if(replicas, [&](const Replica& one) {
    return one.kind == store::ReplicaKind::excluded
           && std::ranges::find(roots, one.root) != roots.end();
  });
}

std::string Scope::path_of(RootIndex root, std::string_view skill) const {
  return join_path(setup.roots[root].path, skill);
}

RootSet Scope::wanted(const Skill& skill,
                      const RootSet& present,
                      const RootSet& links,
                      Withdrawn withdrawn) {
  CoverSkill one;
  one.present = present;
  one.links = links;
  for (const Replica& replica : skill.replicas) {
    bool returns = replica.withdrawn && withdrawn == Withdrawn::comes_back;
    if (replica.kind == store::ReplicaKind::excluded && !returns) {
      one.excluded_roots.set(replica.root);
    }
  }
  for (std::size_t agent = 0; agent < setup.agents.size(); ++agent) {
    if (is_excluded_for(setup, setup.agents[agent].id, skill.name)) {
      one.excluded_agents.push_back(agent);
    }
  }
  // Nearly all skills are alike in this, so the search is made once for each way to be spread.
  // The key has room for both sets while there are at most half as many roots as it has bits.
  bool common = one.excluded_agents.empty() && one.excluded_roots.none()
                && setup.roots.size() <= k_max_roots / 2;
  RootSet key = present | links << (k_max_roots / 2);
  if (auto known = covers.find(key); common && known != covers.end()) {
    return known->second;
  }
  Result<CoverPlan> plan =
      setup.policy == SyncPolicy::mirror ? plan_mirror(cover, one) : plan_cover(cover, one);
  RootSet hold = plan ? plan->hold : present;
  if (common) {
    covers.emplace(key, hold);
  }
  return hold;
}

std::optional<RootIndex> Scope::root_at(std::string_view path) const {
  auto at = std::ranges::find(setup.roots, path, &RootSetup::path);
  return at == setup.roots.end() ? std::nullopt
                                 : std::optional(static_cast<RootIndex>(at - setup.roots.begin()));
}

void Scope::agree(Skill& skill, RootIndex root, const std::optional<Digest>& base) {
  Replica& replica = skill.at(root);
  std::size_t& agreed = roots[root].record.agreed;
  agreed += base.has_value();
  agreed -= replica.base.has_value();
  if (replica.base != base) {
    replica.fingerprint = {};
  }
  replica.base = base;
}

Skill* Scope::find(std::string_view key) {
  auto at = by_key.find(std::string(key));
  return at == by_key.end() ? nullptr : &skills[at->second];
}

const Skill* Scope::find(std::string_view key) const {
  return const_cast<Scope*>(this)->find(key);
}

Skill& Scope::add(std::string key, std::string name) {
  SkillIndex place = 0;
  if (unused.empty()) {
    place = static_cast<SkillIndex>(skills.size());
    skills.emplace_back();
  } else {
    place = unused.back();
    unused.pop_back();
    skills[place] = {};
  }
  skills[place].name = std::move(name);
  by_key.emplace(std::move(key), place);
  return skills[place];
}

void Scope::remove(std::string_view key) {
  auto at = by_key.find(std::string(key));
  if (at == by_key.end()) {
    return;
  }
  notes.erase(skills[at->second].name);
  deletions.erase(skills[at->second].name);
  skills[at->second] = {};
  unused.push_back(at->second);
  by_key.erase(at);
}

} // namespace upskill::sync
