#pragma once
#include "protocol/base/result.h"
#include "skills/store/sync_rows.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::store {

// The folders of a history entry, as its row keeps them: sorted by path, of each path, kind, hash
// before and hash after (hexadecimal, or nothing), every one ended by a zero byte. A row of its own
// for each would be most of what recording a change costs.
// invalid_argument: a path comes twice, is empty or holds a zero byte.
Result<std::string> encode_history_paths(std::vector<HistoryPath> paths);

// corrupt: what encode_history_paths does not write.
Result<std::vector<HistoryPath>> decode_history_paths(std::string_view record);

} // namespace upskill::store
