#pragma once
#include "protocol/base/hash.h"
#include "skills/sync/scan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upskill::sync {

// One root of one scope, by its place in the scope's list, which is also its priority: 0 is first.
using RootIndex = std::uint16_t;

// How one root shows one skill, beside what was agreed there.
struct Observation {
  RootIndex root = 0;
  // False for a root that is halted, absent, refused, or inside a git operation: it is neither read
  // nor written now, and what it holds keeps its own base.
  bool usable = true;
  Presence presence = Presence::absent;
  Digest hash = {}; // of a copy
  // What this copy held when it was last in agreement. It may be older than the ancestor where the
  // root could not be written; nothing where no copy was agreed here.
  std::optional<Digest> base = {};
  // Larger is later, in the order in which this daemon saw things happen; 0 is unknown.
  std::uint64_t order = 0;
  std::int64_t mtime_ns = 0; // newest of its files; decides only where no order is known
};

enum class Verdict : std::uint8_t {
  nothing,  // agreed; copies may still be wanted elsewhere
  adopt,    // first seen: one version, wherever it lies
  update,   // one new version
  merge,    // several versions of which none was made from another: try to join, else a conflict
  conflict, // several versions, and of one of them nobody knows what it was made from
  remove,   // a copy was deleted and nobody changed another
  gone      // every agreed copy was deleted: forget it
};

struct Version {
  Digest hash = {};
  std::optional<Digest> base = {}; // what it was made from
  RootIndex root = 0;              // where it was found (the latest, if in several)
  // Found where nothing was agreed, and nobody saw it come: an old copy in a folder that came back,
  // or that of an agent which is new here. It may be older than what it differs from.
  bool is_stranger = false;

  friend bool operator==(const Version&, const Version&) = default;
};

struct Decision {
  Verdict verdict = Verdict::nothing;
  // The distinct new versions, the winner first: newest by order, then by mtime, then by priority.
  // With them the ancestor, where all of them were made from what was agreed before it, or nobody
  // knows from what.
  std::vector<Version> versions = {};
  // Roots whose agreed copy is absent now.
  std::vector<RootIndex> deleted_in = {};

  friend bool operator==(const Decision&, const Decision&) = default;
};

// The n-way decision for one skill (sync facts, section 5, rules 1 and 2): pure, and independent of
// the order in which roots are given. Links, incomplete folders and problems are no versions; they
// are left alone by whoever applies the decision.
Decision reconcile(const std::optional<Digest>& ancestor,
                   std::span<const Observation> observations);

} // namespace upskill::sync
