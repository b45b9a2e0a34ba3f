#include "skills/sync/reconcile.h"

#include <algorithm>
#include <tuple>

namespace upskill::sync {
namespace {

bool is_later(const Observation& a, const Observation& b) {
  // A lower root index is a higher priority, so it counts as later in the last comparison.
  return std::tuple(a.order, a.mtime_ns, b.root) > std::tuple(b.order, b.mtime_ns, a.root);
}

bool is_changed(const Observation& seen, const std::optional<Digest>& ancestor) {
  if (!seen.usable || seen.presence != Presence::copy) {
    return false;
  }
  // Equal to what was agreed, then or since: only behind, not changed. After a crash between a swap
  // and its record this is what makes equal contents count as synchronised.
  return seen.hash != ancestor && seen.hash != seen.base;
}

bool is_stranger(const Observation& seen) {
  return !seen.base && seen.order == 0;
}

std::vector<Version> distinct_versions(std::vector<const Observation*> changed) {
  std::ranges::sort(changed,
                    [](const Observation* a, const Observation* b) { return is_later(*a, *b); });
  std::vector<Version> versions;
  for (const Observation* seen : changed) {
    auto known = std::ranges::find(versions, seen->hash, &Version::hash);
    if (known == versions.end()) {
      versions.push_back({seen->hash, seen->base, seen->root, is_stranger(*seen)});
      continue;
    }
    known->is_stranger = known->is_stranger && is_stranger(*seen);
    if (!known->base) {
      known->base = seen->base;
    }
  }
  return versions;
}

// Edits that were all made from older agreements, in roots that could not be written then, stand
// against what was agreed since: whoever holds that has a version of its own. So do strangers.
const Observation* rival_of(const std::vector<Version>& versions,
                            const std::optional<Digest>& ancestor,
                            std::span<const Observation> observations) {
  bool older =
      ancestor && !versions.empty() && std::ranges::all_of(versions, [&](const Version& version) {
        return version.base ? version.base != ancestor : version.is_stranger;
      });
  const Observation* rival = nullptr;
  for (const Observation& seen : observations) {
    bool holds = seen.usable ? seen.presence == Presence::copy && seen.hash == ancestor
                             : seen.base == ancestor;
    if (older && holds && (rival == nullptr || is_later(seen, *rival))) {
      rival = &seen;
    }
  }
  return rival;
}

} // namespace

Decision reconcile(const std::optional<Digest>& ancestor,
                   std::span<const Observation> observations) {
  Decision decision;
  std::vector<const Observation*> changed;
  bool alive = false;   // an agreed copy that a deletion elsewhere must not forget
  bool current = false; // a copy that can be removed
  bool stale = false;   // a copy of a skill that was removed while this root could not be written
  for (const Observation& seen : observations) {
    if (is_changed(seen, ancestor)) {
      changed.push_back(&seen);
    }
    bool copy = seen.usable && seen.presence == Presence::copy;
    alive = alive || (seen.base && (!seen.usable || seen.presence != Presence::absent));
    current = current || copy;
    stale = stale || (copy && !ancestor && seen.hash == seen.base);
    if (seen.usable && seen.base && seen.presence == Presence::absent) {
      decision.deleted_in.push_back(seen.root);
    }
  }
  std::ranges::sort(decision.deleted_in);
  decision.versions = distinct_versions(changed);
  if (const Observation* rival = rival_of(decision.versions, ancestor, observations)) {
    auto place = std::ranges::find_if(decision.versions, [&](const Version& version) {
      return is_later(*rival, **std::ranges::find(changed, version.root, &Observation::root));
    });
    decision.versions.insert(place, {*ancestor, ancestor, rival->root});
  }
  if (decision.versions.size() > 1) {
    // Joined with what it is older than, a stranger would take back what was changed since.
    bool can_join = ancestor && std::ranges::none_of(decision.versions, &Version::is_stranger);
    decision.verdict = can_join ? Verdict::merge : Verdict::conflict;
  } else if (decision.versions.size() == 1) {
    decision.verdict = ancestor ? Verdict::update : Verdict::adopt;
  } else if (stale || (!decision.deleted_in.empty() && current)) {
    decision.verdict = Verdict::remove;
  } else if (!alive && !current && !decision.deleted_in.empty()) {
    decision.verdict = Verdict::gone;
  }
  return decision;
}

} // namespace upskill::sync
