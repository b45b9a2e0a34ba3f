#include "daemon/watch/poll.h"

namespace upskill::watch {

PollDifference compare(const PolledRoot& before, const PolledRoot& now) {
  PollDifference difference;
  if (before.has_value() != now.has_value()) {
    difference.root = now ? RescanReason::appeared : RescanReason::vanished;
    return difference;
  }
  if (!now) {
    return difference;
  }
  auto old = before->begin();
  auto fresh = now->begin();
  while (old != before->end() || fresh != now->end()) {
    if (fresh == now->end() || (old != before->end() && old->name < fresh->name)) {
      difference.skills.push_back((old++)->name);
    } else if (old == before->end() || fresh->name < old->name) {
      difference.skills.push_back((fresh++)->name);
    } else {
      if (old->fingerprint != fresh->fingerprint) {
        difference.skills.push_back(fresh->name);
      }
      ++old;
      ++fresh;
    }
  }
  return difference;
}

} // namespace upskill::watch
