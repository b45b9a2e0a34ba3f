#pragma once
#include "protocol/base/result.h"
#include "skills/archive/session_source.h"

#include <string>
#include <string_view>

namespace upskill::archive {

// What is remembered of a session's file, so that it is gone on with when it has grown: the `state`
// of its row.
struct KeptState {
  Imprint head = {};
  Imprint tail = {};           // of what was settled last
  std::int64_t changed_ms = 0; // of the file, Unix time
  std::string summary = {};    // trace::Summary::saved()

  friend bool operator==(const KeptState&, const KeptState&) = default;
};

std::string write_state(const KeptState& state);
// corrupt, where it is nothing that write_state() gave: then the file is read from its start.
Result<KeptState> read_state(std::string_view json);

} // namespace upskill::archive
