#include "protocol/base/paths.h"
#include "skills/library/names.h"
#include "skills/sync/engine_state.h"
#include "tests/sync/world.h"

#include <algorithm>

namespace upskill::sync_test {

// Every whole version that a round is about to see. It may not be lost, whatever comes.
std::map<Digest, std::string> World::stable_versions(const sync::Work& work) const {
  std::map<Digest, std::string> versions;
  std::map<std::string, std::string> names; // key -> the one name it has
  auto meet = [&](const std::string& name) {
    auto [at, fresh] = names.emplace(library::folded_key(name), name);
    if (!fresh && at->second != name) {
      at->second.clear(); // two in one: sync takes one of them
    }
  };
  for (const SkillSyncStatus& skill : m_engine->status().skills) {
    meet(skill.skill);
  }
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    std::ranges::for_each(names_in(root(i)), meet);
  }
  for (std::size_t i = 0; i < m_setup.roots.size() && !work.dry_run; ++i) {
    for (const std::string& name : names_in(root(i))) {
      bool looked_at =
          work.everything || std::ranges::any_of(work.touched, [&](const sync::Touched& one) {
            return one.skill == name;
          });
      bool twin = names[library::folded_key(name)] != name;
      if (!looked_at || twin || !takes_part(name) || !is_folder(at(i, name))) {
        continue;
      }
      sync::ReadResult read = look(root(i), name);
      if (read.stat.presence == sync::Presence::copy) {
        versions.emplace(read.tree.hash(), at(i, name));
      }
    }
  }
  return versions;
}

void World::check_round(const sync::Round& round, bool asked) {
  for (const std::string& warning : round.warnings) {
    for (const char* never : {"no version holds",
                              "is damaged",
                              "does not read back",
                              "constraint",
                              "internal",
                              "database",
                              "does not parse"}) {
      if (warning.find(never) != std::string::npos) {
        throw Violation("a round says: " + warning);
      }
    }
  }
  for (const SyncStep& step : round.steps) {
    bool removes = step.action == SyncAction::remove;
    if (removes && !asked && !m_deleted.contains(step.skill)) {
      throw Violation("`" + step.path + "` was removed, and nobody had deleted that skill");
    }
    auto hash = Digest::from_hex(step.hash);
    if (m_slipped || m_failed || step.path.empty() || !hash || step.action == SyncAction::link) {
      continue;
    }
    sync::ReadResult there = look(parent_path(step.path), base_name(step.path));
    if (there.stat.presence != sync::Presence::copy || there.tree.hash() != *hash) {
      throw Violation("`" + step.path + "` does not hold what the step says ("
                      + std::string(enum_name(step.action)) + ")");
    }
  }
  check_no_collisions(round);
  check_nothing_lost();
  check_bystanders();
}

void World::check_nothing_lost() {
  std::optional<std::set<Digest>> elsewhere;
  for (const auto& [hash, path] : m_must) {
    if (exists(object_path(m_options.objects, hash))) {
      if (m_verified.insert(hash).second) {
        auto objects = store::Objects::open(m_options.objects);
        if (!objects || !sync::tree_of_object(*objects, hash)) {
          throw Violation("the kept version of `" + path + "` is damaged");
        }
      }
      continue;
    }
    if (!elsewhere) {
      elsewhere.emplace();
      add_trees_below(m_options.trash, 1, *elsewhere);
      add_trees_below(m_options.conflicts, 1, *elsewhere);
      for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
        add_trees_below(root(i), 0, *elsewhere);
        add_trees_below(away(i), 1, *elsewhere);
        add_trees_below(parent_path(root(i)) + "/.upskill-stage", 0, *elsewhere);
      }
    }
    if (!elsewhere->contains(hash)) {
      throw Violation("a version of `" + path + "` is lost (" + hash.brief() + ")");
    }
  }
}

// What is none of sync's business is where it was; ignored content inside a skill stays there as
// long as the skill does, and is never destroyed.
void World::check_bystanders() {
  for (const Bystander& one : m_bystanders) {
    std::vector<std::string> places = {at(one.root, one.path),
                                       away(one.root) + "/" + one.path,
                                       away(one.root) + "/skills/" + one.path};
    bool skill_is_there = is_folder(at(one.root, one.path.substr(0, one.path.find('/'))));
    if (one.inside_skill && (!skill_is_there || m_slipped || m_failed)) {
      std::string inside = one.path.substr(one.path.find('/'));
      std::string stage = parent_path(root(one.root)) + "/.upskill-stage";
      for (const std::string& name : names_in(stage)) {
        places.push_back(stage + "/" + name + inside);
      }
      for (const std::string& name : names_in(m_options.trash)) {
        places.push_back(m_options.trash + "/" + name + "/content" + inside);
      }
    }
    bool there = std::ranges::any_of(
        places, [&](const std::string& path) { return exists(path) && read(path) == one.bytes; });
    if (!there) {
      throw Violation("`" + at(one.root, one.path) + "` is not as it was left");
    }
  }
  // Once it went to the trash with its skill it is nobody's any more.
  std::erase_if(m_bystanders, [&](const Bystander& one) {
    return one.inside_skill && !exists(at(one.root, one.path)) && !is_away(one.root);
  });
}

void World::check_no_collisions(const sync::Round& round) {
  for (const SyncStep& step : round.steps) {
    bool made = step.action == SyncAction::create || step.action == SyncAction::link;
    if (!made || !exists(step.path)) {
      continue;
    }
    std::string key = library::folded_key(base_name(step.path));
    for (const std::string& name : names_in(parent_path(step.path))) {
      std::size_t i = *root_of(step.path);
      if (name != base_name(step.path) && library::folded_key(name) == key
          && !m_by_hand.contains({i, std::string(base_name(step.path))})) {
        throw Violation("`" + step.path + "` was made beside `" + name + "`");
      }
    }
  }
}

void World::check_status() {
  auto conflicts = m_engine->conflicts({});
  sync_test::check_status(m_engine->status(), *conflicts, layout());
}

// Everything is back and nothing is under way: copies agree, agents see what they should, and
// another pass plans nothing.
void World::check_rest() {
  sync::Work dry;
  dry.everything = true;
  dry.dry_run = true;
  dry.now = now();
  Result<sync::Round> plan = m_engine->run(dry);
  if (!plan || !plan->steps.empty()) {
    std::string first = plan ? (plan->warnings.empty() ? "" : plan->warnings.front())
                                   + plan->steps.front().path + " " + plan->steps.front().reason
                                   + " " + std::string(enum_name(plan->steps.front().action))
                             : plan.error().message;
    throw Violation("at rest, something is still planned: " + first);
  }
  SyncStatusResult status = m_engine->status();
  bool halted = status.state == SyncState::halted;
  if (!halted && status.held == 0) {
    m_deleted.clear();
  }
  check_agreement(status, layout());
}

} // namespace upskill::sync_test
