#include "skills/sync/cover.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <ostream>
#include <random>
#include <set>
#include <tuple>

using namespace upskill;
using namespace upskill::sync;

namespace {

// The user's roots of the agents' facts, in the order of decisions: `.agents`, `.claude`, by path.
enum Root : std::size_t { agents, claude, codex, copilot, cursor, gemini, opencode, root_count };

RootSet roots(std::initializer_list<std::size_t> indexes) {
  RootSet set;
  for (std::size_t index : indexes) {
    set.set(index);
  }
  return set;
}

const CoverAgent k_claude{{claude}, claude, true};
const CoverAgent k_codex{{agents, codex}, agents, true};
const CoverAgent k_cursor{{cursor, agents, claude, codex}, cursor, false};
const CoverAgent k_gemini{{gemini, agents}, gemini, true};
const CoverAgent k_copilot{{copilot, agents, claude}, copilot, false};
const CoverAgent k_opencode{{claude, agents, opencode}, opencode, true};

CoverScope scope_of(std::vector<CoverAgent> enabled) {
  std::vector<NewCopies> use(root_count, NewCopies::welcome);
  use[codex] = NewCopies::last_resort; // deprecated, still read
  return {std::move(enabled), std::move(use)};
}

CoverPlan covered(const CoverScope& scope, const CoverSkill& skill = {}) {
  auto plan = plan_cover(scope, skill);
  REQUIRE(plan);
  CHECK(plan->exact);
  return *plan;
}

struct Instance {
  CoverScope scope;
  CoverSkill skill;
};

Instance random_instance(std::mt19937_64& random, std::size_t max_agents, std::size_t max_roots) {
  Instance made;
  std::size_t root_total = 1 + random() % max_roots;
  for (std::size_t root = 0; root < root_total; ++root) {
    made.scope.roots.push_back(random() % 8 == 0   ? NewCopies::refused
                               : random() % 6 == 0 ? NewCopies::last_resort
                                                   : NewCopies::welcome);
    made.skill.present.set(root, random() % 8 == 0);
    made.skill.links.set(root, random() % 8 == 0);
    made.skill.excluded_roots.set(root, random() % 12 == 0);
  }
  std::size_t agent_total = random() % (max_agents + 1);
  for (std::size_t agent = 0; agent < agent_total; ++agent) {
    CoverAgent row;
    for (std::uint64_t reads = random() % 5; reads > 0; --reads) {
      row.reads.push_back(random() % root_total);
    }
    if (!row.reads.empty() && random() % 8 != 0) {
      row.preferred = row.reads[random() % row.reads.size()];
    }
    row.follows_links = random() % 2 == 0;
    made.scope.agents.push_back(std::move(row));
    if (random() % 10 == 0) {
      made.skill.excluded_agents.push_back(agent);
    }
  }
  return made;
}

// What plan_cover promises, written as a comparison of whole sets of roots.
struct Judge {
  const Instance& instance;

  bool excluded(std::size_t agent) const {
    return std::ranges::count(instance.skill.excluded_agents, agent) > 0;
  }

  std::size_t seen(std::size_t agent, const RootSet& hold) const {
    const CoverAgent& row = instance.scope.agents[agent];
    std::set<std::size_t> reads(row.reads.begin(), row.reads.end());
    if (row.preferred) {
      reads.insert(*row.preferred);
    }
    return static_cast<std::size_t>(std::ranges::count_if(reads, [&](std::size_t root) {
      return hold.test(root) && (row.follows_links || !instance.skill.links.test(root));
    }));
  }

  // Less is better.
  auto score(const RootSet& hold) const {
    std::size_t unseen = 0;
    std::size_t last_resorts = 0;
    std::size_t twice = 0;
    std::size_t preferred = 0;
    for (std::size_t agent = 0; agent < instance.scope.agents.size(); ++agent) {
      if (!excluded(agent)) {
        unseen += seen(agent, hold) == 0 ? 1 : 0;
        twice += seen(agent, hold) > 1 ? 1 : 0;
        auto root = instance.scope.agents[agent].preferred;
        preferred += root && hold.test(*root) ? 1 : 0;
      }
    }
    std::vector<bool> order; // false where a root is held: the earlier, the better
    for (std::size_t root = 0; root < instance.scope.roots.size(); ++root) {
      order.push_back(!hold.test(root));
      last_resorts += hold.test(root) && !instance.skill.present.test(root)
                              && instance.scope.roots[root] == NewCopies::last_resort
                          ? 1
                          : 0;
    }
    return std::tuple(
        unseen, last_resorts, twice, hold.count(), -static_cast<int>(preferred), order);
  }

  RootSet base() const { return instance.skill.present & ~instance.skill.excluded_roots; }

  RootSet best() const {
    RootSet found = base();
    for (unsigned long bits = 0; bits < 1ul << instance.scope.roots.size(); ++bits) {
      RootSet hold(bits);
      if (is_allowed(hold) && score(hold) < score(found)) {
        found = hold;
      }
    }
    return found;
  }

  bool is_allowed(const RootSet& hold) const {
    if ((base() & ~hold).any() || (hold & instance.skill.excluded_roots).any()) {
      return false;
    }
    for (std::size_t root = 0; root < instance.scope.roots.size(); ++root) {
      if (hold.test(root) && !base().test(root)
          && instance.scope.roots[root] == NewCopies::refused) {
        return false;
      }
    }
    return true;
  }
};

} // namespace

TEST_SUITE("cover") {
  TEST_CASE("Claude Code, Codex and Cursor need two copies") {
    CoverScope scope = scope_of({k_claude, k_codex, k_cursor});
    CoverPlan plan = covered(scope);
    CHECK(plan.hold == roots({agents, claude}));
    CHECK(plan.unseen.empty());
    CHECK(plan.twice == std::vector<std::size_t>{2}); // Cursor reads both
  }

  TEST_CASE("a copy that exists stays, and others are added only where somebody sees none") {
    CoverScope scope = scope_of({k_claude, k_codex, k_cursor});
    CHECK(covered(scope, {.present = roots({cursor})}).hold == roots({cursor, agents, claude}));
    CHECK(covered(scope, {.present = roots({codex})}).hold == roots({codex, claude}));
    CHECK(covered(scope, {.present = roots({gemini})}).hold == roots({gemini, agents, claude}));
    CHECK(covered(scope, {.present = roots({agents, claude, codex})}).hold
          == roots({agents, claude, codex}));
  }

  TEST_CASE("six agents still need two copies") {
    CoverPlan plan =
        covered(scope_of({k_claude, k_codex, k_cursor, k_gemini, k_copilot, k_opencode}));
    CHECK(plan.hold == roots({agents, claude}));
    CHECK(plan.twice == std::vector<std::size_t>{2, 4, 5});
  }

  TEST_CASE("a root that is shared is better than one for each") {
    CHECK(covered(scope_of({k_gemini, k_cursor})).hold == roots({agents}));
    CHECK(covered(scope_of({k_copilot, k_claude})).hold == roots({claude}));
  }

  TEST_CASE("one agent gets its preferred root") {
    CHECK(covered(scope_of({k_cursor})).hold == roots({cursor}));
    CHECK(covered(scope_of({k_opencode})).hold == roots({opencode}));
    CHECK(covered(scope_of({k_codex})).hold == roots({agents}));
    CHECK(covered(scope_of({})).hold.none());
  }

  TEST_CASE("a copy more is better than an agent that sees two") {
    // 0 and 1 read only their own; 2 would see both of theirs; 3 reads like 2 and root 3.
    CoverScope scope{{{{0, 1}, 0, true}, {{1, 2}, 2, true}, {{0, 2}, {}, true}},
                     std::vector<NewCopies>(3, NewCopies::welcome)};
    CoverPlan plan = covered(scope);
    CHECK(plan.twice.size() == 1);
    CHECK(plan.hold == roots({0, 2}));
    // With a root of its own for the first, nobody needs to see two.
    scope.agents[0].reads.push_back(3);
    scope.roots.push_back(NewCopies::welcome);
    plan = covered(scope);
    CHECK(plan.twice.empty());
    CHECK(plan.hold == roots({2, 3}));
  }

  TEST_CASE("a last resort is used only where nothing else is left") {
    CoverScope scope = scope_of({k_codex});
    CHECK(covered(scope, {.excluded_roots = roots({agents})}).hold == roots({codex}));
    scope.roots[agents] = NewCopies::refused;
    CHECK(covered(scope).hold == roots({codex}));
  }

  TEST_CASE("an excluded agent need not see the skill, an excluded root gets none") {
    CoverScope scope = scope_of({k_claude, k_codex, k_cursor});
    CHECK(covered(scope, {.excluded_agents = {0}}).hold == roots({agents}));
    CHECK(covered(scope, {.excluded_agents = {0, 1, 2}}).hold.none());
    CoverPlan plan = covered(scope, {.excluded_roots = roots({claude})});
    CHECK(plan.hold == roots({agents}));
    CHECK(plan.unseen == std::vector<std::size_t>{0});
    // The copy in an excluded root is not in sync, so it neither counts nor is planned.
    plan = covered(scope, {.present = roots({claude}), .excluded_roots = roots({claude})});
    CHECK(plan.hold == roots({agents}));
    CHECK(plan.unseen == std::vector<std::size_t>{0});
  }

  TEST_CASE("an agent that follows no links needs a real copy") {
    CoverScope scope = scope_of({k_claude, k_cursor});
    CHECK(covered(scope, {.present = roots({claude}), .links = roots({claude})}).hold
          == roots({claude, cursor}));
    CHECK(covered(scope, {.present = roots({claude})}).hold == roots({claude}));
  }

  TEST_CASE("an agent that reads nothing is said to see nothing") {
    CoverScope scope = scope_of({CoverAgent{}, k_claude});
    CoverPlan plan = covered(scope);
    CHECK(plan.hold == roots({claude}));
    CHECK(plan.unseen == std::vector<std::size_t>{0});
  }

  TEST_CASE("wrong indexes and too many roots are errors") {
    CoverScope scope = scope_of({k_claude});
    scope.agents[0].reads.push_back(root_count);
    CHECK(plan_cover(scope, {}).error().code == ErrorCode::invalid_argument);
    scope.agents[0].reads.back() = 1'000'000;
    CHECK(plan_mirror(scope, {}).error().code == ErrorCode::invalid_argument);
    scope = scope_of({k_claude});
    CHECK(plan_cover(scope, {.present = roots({root_count})}).error().code
          == ErrorCode::invalid_argument);
    CHECK(plan_cover(scope, {.excluded_agents = {1}}).error().code == ErrorCode::invalid_argument);
    scope.roots.resize(k_max_roots + 1, NewCopies::welcome);
    CHECK(plan_cover(scope, {}).error().code == ErrorCode::too_large);
    scope.roots.resize(k_max_roots);
    CHECK(plan_cover(scope, {}));
  }

  TEST_CASE("the choice is the best of all there are") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 1500; ++round) {
      Instance instance = random_instance(random, 7, 8);
      CAPTURE(round);
      CoverPlan plan = covered(instance.scope, instance.skill);
      Judge judge{instance};
      REQUIRE(judge.is_allowed(plan.hold));
      REQUIRE(plan.hold == judge.best());
      for (std::size_t agent = 0; agent < instance.scope.agents.size(); ++agent) {
        std::size_t seen = judge.seen(agent, plan.hold);
        REQUIRE((std::ranges::count(plan.unseen, agent) > 0)
                == (!judge.excluded(agent) && seen == 0));
        REQUIRE((std::ranges::count(plan.twice, agent) > 0)
                == (!judge.excluded(agent) && seen > 1));
      }
    }
  }

  TEST_CASE(
      "the greedy choice serves everybody whom the best one serves, without a copy too many") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    int cut = 0;
    for (int round = 0; round < 3000; ++round) {
      Instance instance = random_instance(random, 12, 12);
      CAPTURE(round);
      auto greedy = plan_cover(instance.scope, instance.skill, random() % 3);
      REQUIRE(greedy);
      Judge judge{instance};
      CoverPlan best = covered(instance.scope, instance.skill);
      REQUIRE(judge.is_allowed(greedy->hold));
      REQUIRE(greedy->unseen == best.unseen);
      REQUIRE(judge.score(greedy->hold) >= judge.score(best.hold));
      if (greedy->exact) {
        REQUIRE(greedy->hold == best.hold);
      } else {
        ++cut;
      }
      for (std::size_t root = 0; root < instance.scope.roots.size(); ++root) {
        RootSet without = greedy->hold;
        without.reset(root);
        if (greedy->hold.test(root) && !judge.base().test(root)) {
          REQUIRE(std::get<0>(judge.score(without)) > greedy->unseen.size());
        }
      }
    }
    CHECK(cut > 100);
  }

  TEST_CASE("a plan that was carried out plans nothing more") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 1000; ++round) {
      Instance instance = random_instance(random, 10, 10);
      CoverPlan plan = covered(instance.scope, instance.skill);
      instance.skill.present |= plan.hold;
      REQUIRE(covered(instance.scope, instance.skill) == plan);
    }
  }

  TEST_CASE("seventy-nine agents are solved exactly") {
    // As in the facts: most read their own root only, twenty read a few shared ones too.
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 20; ++round) {
      CoverScope scope;
      scope.roots.assign(90, NewCopies::welcome);
      for (std::size_t agent = 0; agent < 79; ++agent) {
        CoverAgent row{{agent}, agent, true};
        if (agent >= 59) {
          for (std::uint64_t more = 1 + random() % 4; more > 0; --more) {
            row.reads.push_back(random() % 2 == 0 ? random() % 5 : 59 + random() % 31);
          }
        }
        scope.agents.push_back(std::move(row));
      }
      CoverPlan plan = covered(scope);
      CHECK(plan.unseen.empty());
      CHECK(plan.hold.count() >= 59);
    }
  }

  TEST_CASE("the hardest scope there may be ends, exactly or not") {
    std::mt19937_64 random(11);
    CoverScope scope;
    scope.roots.assign(k_max_roots, NewCopies::welcome);
    for (int agent = 0; agent < 300; ++agent) {
      CoverAgent row;
      for (int reads = 0; reads < 4; ++reads) {
        row.reads.push_back(random() % k_max_roots);
      }
      scope.agents.push_back(std::move(row));
    }
    auto plan = plan_cover(scope, {});
    REQUIRE(plan);
    CHECK(plan->unseen.empty());
    CHECK_FALSE(plan->exact);
  }
}

TEST_SUITE("mirror") {
  TEST_CASE("every agent has a copy in the root it prefers") {
    CoverScope scope = scope_of({k_claude, k_codex, k_cursor});
    auto plan = plan_mirror(scope, {});
    REQUIRE(plan);
    CHECK(plan->hold == roots({claude, agents, cursor}));
    CHECK(plan->twice == std::vector<std::size_t>{2});
  }

  TEST_CASE("what exists stays, what is excluded or refused gets none") {
    CoverScope scope = scope_of({k_claude, k_codex, k_cursor});
    CHECK(plan_mirror(scope, {.present = roots({gemini})})->hold
          == roots({gemini, claude, agents, cursor}));
    CHECK(plan_mirror(scope, {.excluded_agents = {2}})->hold == roots({claude, agents}));
    CHECK(plan_mirror(scope, {.excluded_roots = roots({cursor})})->hold == roots({claude, agents}));
    scope.roots[claude] = NewCopies::refused;
    auto plan = plan_mirror(scope, {});
    CHECK(plan->hold == roots({agents, cursor}));
    CHECK(plan->unseen == std::vector<std::size_t>{0});
  }

  TEST_CASE("a mirror holds at least what its agents prefer and nothing that nobody asked for") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 1000; ++round) {
      Instance instance = random_instance(random, 10, 10);
      auto plan = plan_mirror(instance.scope, instance.skill);
      REQUIRE(plan);
      Judge judge{instance};
      REQUIRE(judge.is_allowed(plan->hold));
      RootSet asked = judge.base();
      for (std::size_t agent = 0; agent < instance.scope.agents.size(); ++agent) {
        auto root = instance.scope.agents[agent].preferred;
        if (root && !judge.excluded(agent) && !instance.skill.excluded_roots.test(*root)
            && instance.scope.roots[*root] != NewCopies::refused) {
          asked.set(*root);
        }
      }
      REQUIRE(plan->hold == asked);
    }
  }
}
