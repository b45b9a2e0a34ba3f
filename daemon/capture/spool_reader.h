#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"
#include "protocol/hook/event.h"
#include "protocol/hook/spool.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill::capture {

struct SpoolBatch {
  std::vector<hook::HookEvent> events; // in the order in which they were written
  std::uint64_t torn = 0;              // places with bytes of no whole record: a hook was killed
  std::uint64_t foreign = 0;           // records of a version that is not known
  std::uint64_t dropped = 0;           // events that hooks left out because the spool was full
  bool more = false; // read again in a moment: not all was read, or a hook is just writing
};

struct SpoolLimits {
  std::uint64_t seal_at = hook::k_seal_at; // bytes of a live segment
  std::size_t batch = 256u << 10;          // bytes of a segment that one read looks at
};

// The daemon's end of the spool: what `upskill hook` left in it, each event at least once. It never
// makes a hook wait (README.md: The spool). Small reads and renames: for the pool, not for the
// thread that answers.
// Owner: what captures. Thread: any, one at a time. Lifetime: the daemon's; a second reader of one
// folder must be kept away (the daemon's lock does).
class SpoolReader {
public:
  // Makes the folder where it is absent, and its owner's alone. Refused where it is a link or is
  // somebody else's.
  static Result<SpoolReader> open(const std::string& folder, const SpoolLimits& limits = {});

  // What was written since the last time; at first what an earlier daemon has left. Not to be
  // waited for: a watch of the folder tells when there is something. `changed`: the folder is gone;
  // open it again.
  Result<SpoolBatch> read();

  // Everything that was read is dealt with. Until then a daemon that dies leaves it to the next.
  Result<void> release();

private:
  struct Segment {
    UniqueFd file = {};
    std::uint64_t offset = 0; // read up to here
    bool is_owned = false;    // no hook can write to it any more
    bool is_read = false;     // and nothing of it is left
  };

  SpoolReader(UniqueFd folder, const SpoolLimits& limits)
      : m_folder(std::move(folder))
      , m_limits(limits) {}

  Result<std::optional<Segment>> open_segment(const char* name) const;
  Result<void> read_sealed(SpoolBatch& batch);
  Result<void> read_live(SpoolBatch& batch);
  // Takes what is new in it; answers whether that was all there is.
  Result<bool> take(Segment& segment, SpoolBatch& batch) const;
  Result<void> seal();
  std::uint64_t take_dropped() const;

  UniqueFd m_folder;
  SpoolLimits m_limits;
  std::optional<Segment> m_sealed = {};
  std::optional<Segment> m_live = {};
};

} // namespace upskill::capture
