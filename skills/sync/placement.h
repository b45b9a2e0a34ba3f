#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "protocol/types/sync.h"
#include "skills/sync/new_version.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace upskill::sync {

// Which side counts where a copy and what is placed have both changed since `base`.
enum class Precedence : std::uint8_t { merge, placed, mine };

// One skill that is to lie in agents' folders in this version, whether or not its scope is
// synchronised.
struct Placement {
  std::string skill;
  // The version; called once, when its turn comes, on any thread (Together). Or one that is kept,
  // where `kept` says so.
  std::function<Result<SharedFiles>()> content = {};
  std::int64_t bytes = 0; // of it, about: so much is read ahead
  std::optional<Digest> kept = {};
  // The version that was placed before: what lies there is held against it. Nothing: no other
  // version may lie there, unless `replaces`.
  std::optional<Digest> base = {};
  bool replaces = false; // whatever lies there; it is kept as any replaced version
  Precedence precedence = Precedence::merge;
  std::vector<std::string> agents = {}; // who is to see it; empty: all of the scope
  bool links = false;                   // one copy, and links for who follows them
  std::string reason = {};              // for the log: `installed from owner/repo`
};

enum class PlacedState : std::uint8_t {
  placed,    // this version lies there, and nothing did before
  unchanged, // it lay there already; or what lies there stays, as `mine` says or because only it
             // has changed since `base`
  replaced,  // it took the place of the version before
  merged,    // it was joined with what was edited
  conflict,  // both changed the same: what was there stays, this one waits as the loser
  taken      // another version lies there, or what is none (`in_the_way`), and nothing was done
};

struct Placed {
  PlacedState state = PlacedState::placed;
  Digest hash = {};                  // what lies there now; of `taken` what lies there
  std::optional<Digest> before = {}; // what lay there
  Digest version = {};               // of what was to be placed
  std::optional<std::int64_t> conflict = {};
  std::optional<Error> in_the_way = {}; // a file, say, or a skill that is called nearly the same
  std::vector<std::string> paths = {};  // that were written
  std::vector<std::string> agents = {}; // that see it now
};

// Skills of one scope that are placed together, or not at all.
struct PlaceOrder {
  std::string project = {}; // empty: the user's scope
  std::vector<Placement> skills = {};
  bool dry_run = false;
};

// Skills of one scope that are taken away together.
struct TakeAwayOrder {
  std::string project = {};
  std::vector<std::string> skills = {};
  std::vector<std::string> agents = {}; // who is not to see it any more; empty: nobody is
  std::string reason = {};
  bool dry_run = false;
};

struct TakenAway {
  std::string skill = {};
  std::optional<Digest> hash = {};       // of what went
  std::vector<std::string> paths = {};   // that went
  std::vector<std::string> kept = {};    // copies that stay
  std::vector<std::string> written = {}; // for agents that would not see it any more
  std::string reason = {};               // why some stay
};

// A version that the store has of a skill.
struct KeptVersion {
  Digest hash = {};
  std::int64_t since_ms = 0; // when it came to be there
  std::string reason = {};
  bool is_current = false;
};

} // namespace upskill::sync
