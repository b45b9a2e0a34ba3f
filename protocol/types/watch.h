#pragma once
#include "protocol/types/describe.h"

namespace upskill {

// Whether a version of a skill is worse than the one that a person has accepted.
enum class WatchVerdict { regressed, ok, undecided };

template <> struct EnumNames<WatchVerdict> {
  static constexpr std::array<std::string_view, 3> names{"REGRESSED", "OK", "UNDECIDED"};
};

// Why a verdict is what it is. Of the first two it was decided; all else is undecided.
enum class WatchReason {
  dropped,          // the success rate fell, by about the drop that is looked for
  held,             // it did not
  unfinished,       // samples are still to come
  out_of_runs,      // as many samples as may be drawn decided nothing
  out_of_budget,    // as much as may be spent did not
  waiting,          // for a person to say go
  cancelled,        // a person has ended it
  moved,            // stable cases got worse, flaky ones better: the whole is as good
  errors,           // models or tools failed, so nothing was learnt about the skill
  no_cases,         // there is nothing to ask
  nothing_accepted, // no version was accepted, or none of its samples is known
  nothing_to_lose   // the accepted version passes so seldom that such a drop cannot be seen
};

template <> struct EnumNames<WatchReason> {
  static constexpr std::array<std::string_view, 12> names{"dropped",
                                                          "held",
                                                          "unfinished",
                                                          "out_of_runs",
                                                          "out_of_budget",
                                                          "waiting",
                                                          "cancelled",
                                                          "moved",
                                                          "errors",
                                                          "no_cases",
                                                          "nothing_accepted",
                                                          "nothing_to_lose"};
};

} // namespace upskill
