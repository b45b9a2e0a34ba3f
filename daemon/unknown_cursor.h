#pragma once
#include "protocol/base/result.h"

namespace upskill::daemon {

// For a list that is to go on where no page of it ended.
inline Error unknown_cursor() {
  return {ErrorCode::invalid_argument,
          "the cursor is none that was given out",
          "begin with the first page: leave `cursor` out"};
}

} // namespace upskill::daemon
