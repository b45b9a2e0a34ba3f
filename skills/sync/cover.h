#pragma once
#include "protocol/base/result.h"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace upskill::sync {

inline constexpr std::size_t k_max_roots = 256; // of one scope

// Roots by their index.
using RootSet = std::bitset<k_max_roots>;

// Whether a root may get copies of skills that are not there yet.
enum class NewCopies : std::uint8_t {
  refused,     // not to be written: halted, refused, read-only, somebody else's
  last_resort, // only where an agent has no other: deprecated, or another agent's by courtesy
  welcome      // the place that the documentation of some agent names
};

struct CoverAgent {
  std::vector<std::size_t> reads = {};       // indexes of roots
  std::optional<std::size_t> preferred = {}; // the root it is written to; counts as read
  bool follows_links = false;
};

// The enabled agents and the roots of one scope. The order of the roots is their priority.
struct CoverScope {
  std::vector<CoverAgent> agents = {};
  std::vector<NewCopies> roots = {};
};

// What is known of one skill.
struct CoverSkill {
  RootSet present = {}; // hold a copy now
  RootSet links = {};   // where the copy is, or would be made, a link
  // Out of sync for this skill, or it was taken from there on purpose. A copy in one neither counts
  // nor is planned.
  RootSet excluded_roots = {};
  std::vector<std::size_t> excluded_agents = {}; // need not see it
};

struct CoverPlan {
  RootSet hold = {};                    // must hold a copy; contains what is present
  std::vector<std::size_t> unseen = {}; // agents that cannot see the skill, ascending
  std::vector<std::size_t> twice = {};  // agents that see more than one copy, ascending
  bool exact = true; // false when the search was cut and a greedy choice may not be the best

  friend bool operator==(const CoverPlan&, const CoverPlan&) = default;
};

inline constexpr std::size_t k_cover_nodes = 20'000; // of the search: at most some 20 ms

// Policy `cover` (decisions: Sync): copies that exist stay, and the new ones are chosen so that, in
// this order,
//   1. every agent that is not excluded sees a copy, where a root it reads may be written;
//   2. the fewest last resorts are used;
//   3. the fewest agents see the skill more than once (an agent that sees three counts once);
//   4. there are the fewest copies;
//   5. the most agents find one in the root they prefer;
//   6. roots of higher priority are taken: of two choices, the one with the first root that is not
//      in both.
// An agent that follows no links does not see a copy that is a link. invalid_argument for an index
// that names no root or agent, too_large for more than k_max_roots roots.
Result<CoverPlan> plan_cover(const CoverScope& scope,
                             const CoverSkill& skill,
                             std::size_t node_budget = k_cover_nodes);

// Policy `mirror`: the preferred root of every agent that is not excluded, unless it is refused,
// and what is present. The same errors.
Result<CoverPlan> plan_mirror(const CoverScope& scope, const CoverSkill& skill);

} // namespace upskill::sync
