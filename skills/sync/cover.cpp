#include "skills/sync/cover.h"

#include <algorithm>
#include <array>
#include <compare>
#include <iterator>
#include <tuple>

namespace upskill::sync {
namespace {

// The scope as one skill meets it. Excluded agents and roots are gone from it.
struct Problem {
  std::vector<RootSet> sees;                         // by agent: the roots whose copies it sees
  std::vector<bool> counts;                          // by agent: not excluded
  std::vector<std::optional<std::size_t>> preferred; // by agent
  std::array<std::size_t, k_max_roots> preferring{}; // by root: agents that prefer it
  RootSet writable;
  RootSet last_resort;
  RootSet present;
};

Result<Problem> problem_of(const CoverScope& scope, const CoverSkill& skill) {
  if (scope.roots.size() > k_max_roots) {
    return fail(ErrorCode::too_large,
                std::to_string(scope.roots.size()) + " folders with skills are more than the "
                    + std::to_string(k_max_roots) + " that one scope may have",
                "switch agents off that are not used");
  }
  Problem problem;
  RootSet known;
  for (std::size_t root = 0; root < scope.roots.size(); ++root) {
    known.set(root);
    problem.writable.set(root, scope.roots[root] != NewCopies::refused);
    problem.last_resort.set(root, scope.roots[root] == NewCopies::last_resort);
  }
  problem.writable &= ~skill.excluded_roots;
  problem.present = skill.present & ~skill.excluded_roots;
  bool valid = (skill.present & ~known).none();
  for (const CoverAgent& agent : scope.agents) {
    std::vector<std::size_t> reads = agent.reads;
    if (agent.preferred) {
      reads.push_back(*agent.preferred);
    }
    RootSet sees;
    for (std::size_t root : reads) {
      valid = valid && root < scope.roots.size();
      if (root < k_max_roots) {
        sees.set(root);
      }
    }
    sees &= ~skill.excluded_roots;
    problem.sees.push_back(agent.follows_links ? sees : sees & ~skill.links);
    problem.preferred.push_back(agent.preferred);
  }
  problem.counts.assign(scope.agents.size(), true);
  for (std::size_t agent : skill.excluded_agents) {
    valid = valid && agent < scope.agents.size();
    if (agent < scope.agents.size()) {
      problem.counts[agent] = false;
    }
  }
  if (!valid) {
    return fail(ErrorCode::invalid_argument, "an index names no root or no agent of the scope");
  }
  for (std::size_t agent = 0; agent < scope.agents.size(); ++agent) {
    if (problem.counts[agent] && problem.preferred[agent]) {
      ++problem.preferring[*problem.preferred[agent]];
    }
  }
  return problem;
}

CoverPlan plan_of(const Problem& problem, const RootSet& hold, bool exact) {
  CoverPlan plan{.hold = hold, .unseen = {}, .twice = {}, .exact = exact};
  for (std::size_t agent = 0; agent < problem.sees.size(); ++agent) {
    std::size_t copies = (problem.sees[agent] & hold).count();
    if (problem.counts[agent] && copies == 0) {
      plan.unseen.push_back(agent);
    } else if (problem.counts[agent] && copies > 1) {
      plan.twice.push_back(agent);
    }
  }
  return plan;
}

// The first root of the set that is not below `from`; k_max_roots when there is none.
std::size_t next_root(const RootSet& roots, std::size_t from = 0) {
  while (from < k_max_roots && !roots.test(from)) {
    ++from;
  }
  return from;
}

// True when `a` has the first root that is not in both.
bool comes_before(const RootSet& a, const RootSet& b) {
  std::size_t first = next_root(a ^ b);
  return first < k_max_roots && a.test(first);
}

// What a choice of new roots costs, in order of importance; see plan_cover. Every part is a sum
// over independent groups of roots, so groups may be solved one by one.
struct Cost {
  std::size_t last_resorts = 0;
  std::size_t twice = 0;
  std::size_t copies = 0;

  friend auto operator<=>(const Cost&, const Cost&) = default;
};

// One group: agents and roots that depend on each other.
class Search {
public:
  Search(const Problem& problem,
         std::vector<std::size_t> agents,
         const RootSet& held,
         const RootSet& candidates,
         std::size_t& nodes)
      : m_problem(problem)
      , m_agents(std::move(agents))
      , m_held(held)
      , m_candidates(candidates)
      , m_nodes(nodes) {}

  // The best set of roots to add to those held.
  RootSet solve(bool& exact) {
    choose_greedily();
    descend({}, m_candidates);
    exact = exact && !m_cut;
    return m_best;
  }

private:
  Cost cost(const RootSet& chosen) const;
  std::size_t preference(const RootSet& chosen) const;
  std::vector<std::size_t> in_order(const RootSet& roots) const;
  bool covers(const RootSet& chosen) const;
  void choose_greedily();
  void descend(const RootSet& chosen, RootSet allowed);
  void offer(const RootSet& chosen, const Cost& cost);

  const Problem& m_problem;
  const std::vector<std::size_t> m_agents;
  const RootSet m_held;
  const RootSet m_candidates;
  std::size_t& m_nodes; // that may still be visited
  bool m_cut = false;
  RootSet m_best;
  Cost m_best_cost;
};

Cost Search::cost(const RootSet& chosen) const {
  Cost cost{(chosen & m_problem.last_resort).count(), 0, chosen.count()};
  const RootSet hold = m_held | chosen;
  for (std::size_t agent : m_agents) {
    cost.twice += (m_problem.sees[agent] & hold).count() > 1 ? 1 : 0;
  }
  return cost;
}

std::size_t Search::preference(const RootSet& chosen) const {
  std::size_t sum = 0;
  for (std::size_t root : in_order(chosen)) {
    sum += m_problem.preferring[root];
  }
  return sum;
}

// Those that look best first.
std::vector<std::size_t> Search::in_order(const RootSet& roots) const {
  std::vector<std::size_t> order;
  for (std::size_t root = next_root(roots); root < k_max_roots; root = next_root(roots, root + 1)) {
    order.push_back(root);
  }
  std::ranges::sort(order, {}, [&](std::size_t root) {
    return std::tuple(m_problem.last_resort.test(root),
                      -static_cast<std::ptrdiff_t>(m_problem.preferring[root]),
                      root);
  });
  return order;
}

bool Search::covers(const RootSet& chosen) const {
  const RootSet hold = m_held | chosen;
  return std::ranges::all_of(
      m_agents, [&](std::size_t agent) { return (m_problem.sees[agent] & hold).any(); });
}

void Search::offer(const RootSet& chosen, const Cost& cost) {
  auto order = cost <=> m_best_cost;
  if (order == 0) {
    order = preference(m_best) <=> preference(chosen);
  }
  if (order < 0 || (order == 0 && comes_before(chosen, m_best))) {
    m_best = chosen;
    m_best_cost = cost;
  }
}

// Adds the root that serves the most unserved agents for the fewest that see it twice, then drops
// what turned out not to be needed.
void Search::choose_greedily() {
  RootSet chosen;
  while (!covers(chosen)) {
    struct Gain {
      bool welcome;
      std::ptrdiff_t balance;
      std::size_t served;

      auto operator<=>(const Gain&) const = default;
    };

    std::optional<Gain> best_gain;
    std::size_t best = 0;
    for (std::size_t root : in_order(m_candidates & ~chosen)) {
      Gain gain{!m_problem.last_resort.test(root), 0, 0};
      for (std::size_t agent : m_agents) {
        std::size_t copies = (m_problem.sees[agent] & (m_held | chosen)).count();
        bool seen = m_problem.sees[agent].test(root);
        gain.served += seen && copies == 0 ? 1 : 0;
        gain.balance -= seen && copies == 1 ? 1 : 0;
      }
      gain.balance += static_cast<std::ptrdiff_t>(gain.served);
      if (gain.served > 0 && (!best_gain || gain > *best_gain)) {
        best_gain = gain;
        best = root;
      }
    }
    chosen.set(best);
  }
  std::vector<std::size_t> order = in_order(chosen);
  std::ranges::reverse(order);
  for (std::size_t root : order) {
    chosen.reset(root);
    chosen.set(root, !covers(chosen));
  }
  m_best = chosen;
  m_best_cost = cost(chosen);
}

// Branches on the unserved agent with the fewest roots left: one of them must be in the solution.
// A root that was tried is not offered to the later branches, so no set is visited twice.
void Search::descend(const RootSet& chosen, RootSet allowed) {
  if (m_nodes == 0) {
    m_cut = true;
    return;
  }
  --m_nodes;
  const RootSet hold = m_held | chosen;
  Cost bound = cost(chosen);
  RootSet spoken_for; // agents without a root in common need a copy each
  RootSet fewest;
  bool complete = true;
  for (std::size_t agent : m_agents) {
    if ((m_problem.sees[agent] & hold).any()) {
      continue;
    }
    RootSet options = m_problem.sees[agent] & allowed;
    if (options.none()) {
      return;
    }
    if ((options & spoken_for).none()) {
      ++bound.copies;
      spoken_for |= options;
    }
    if (complete || options.count() < fewest.count()) {
      fewest = options;
    }
    complete = false;
  }
  if (complete) {
    offer(chosen, bound);
    return;
  }
  if (bound > m_best_cost) {
    return;
  }
  for (std::size_t root : in_order(fewest)) {
    RootSet with = chosen;
    with.set(root);
    allowed.reset(root);
    descend(with, allowed);
  }
}

// Adds the roots that an agent needs because it has no choice, and says which roots remain to be
// chosen from.
RootSet add_forced(const Problem& problem, RootSet& hold) {
  for (;;) {
    RootSet candidates;
    bool forced = false;
    for (std::size_t agent = 0; agent < problem.sees.size(); ++agent) {
      if (!problem.counts[agent] || (problem.sees[agent] & hold).any()) {
        continue;
      }
      RootSet options = problem.sees[agent] & problem.writable;
      candidates |= options;
      if (options.count() == 1) {
        hold |= options;
        forced = true;
      }
    }
    if (!forced) {
      return candidates;
    }
  }
}

} // namespace

Result<CoverPlan>
plan_cover(const CoverScope& scope, const CoverSkill& skill, std::size_t node_budget) {
  TRY_ASSIGN(const Problem problem, problem_of(scope, skill));
  RootSet hold = problem.present;
  RootSet candidates = add_forced(problem, hold);
  // Agents whose number of copies is still open: unserved, or served once and able to see more.
  std::vector<std::size_t> open;
  for (std::size_t agent = 0; agent < problem.sees.size(); ++agent) {
    if (problem.counts[agent] && (problem.sees[agent] & candidates).any()
        && (problem.sees[agent] & hold).count() < 2) {
      open.push_back(agent);
    }
  }
  const RootSet held = hold;
  bool exact = true;
  while (candidates.any()) {
    // One group: what is reachable from the first root through agents that see two of them.
    RootSet group;
    group.set(next_root(candidates));
    for (RootSet before; before != group;) {
      before = group;
      for (std::size_t agent : open) {
        if ((problem.sees[agent] & group).any()) {
          group |= problem.sees[agent] & candidates;
        }
      }
    }
    std::vector<std::size_t> agents;
    std::ranges::copy_if(open, std::back_inserter(agents), [&](std::size_t agent) {
      return (problem.sees[agent] & group).any();
    });
    hold |= Search(problem, std::move(agents), held, group, node_budget).solve(exact);
    candidates &= ~group;
  }
  return plan_of(problem, hold, exact);
}

Result<CoverPlan> plan_mirror(const CoverScope& scope, const CoverSkill& skill) {
  TRY_ASSIGN(const Problem problem, problem_of(scope, skill));
  RootSet hold = problem.present;
  for (std::size_t agent = 0; agent < problem.sees.size(); ++agent) {
    if (problem.counts[agent] && problem.preferred[agent]
        && problem.writable.test(*problem.preferred[agent])) {
      hold.set(*problem.preferred[agent]);
    }
  }
  return plan_of(problem, hold, true);
}

} // namespace upskill::sync
