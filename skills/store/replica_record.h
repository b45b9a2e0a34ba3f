#pragma once
#include "protocol/base/result.h"
#include "skills/store/sync_rows.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::store {

// A skill's copies, as its row keeps them: of each the root's id, kind, fingerprint (hexadecimal,
// or nothing) and hash (the same), every one ended by a zero byte. They are written together, and
// rows of their own would be most of what recording a skill costs.
std::string encode_replicas(const std::vector<ReplicaRow>& replicas);

// corrupt: what encode_replicas does not write.
Result<std::vector<ReplicaRow>> decode_replicas(std::string_view record);

} // namespace upskill::store
