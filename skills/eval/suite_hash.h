#pragma once
#include "protocol/base/hash.h"
#include "skills/eval/case.h"

namespace upskill::eval {

// Of all that decides what is asked and how it is graded, whatever format it was read from: equal
// hashes mean the same cases in the same order.
Digest suite_hash(const CaseSuite& suite);

} // namespace upskill::eval
