#pragma once
#include "skills/store/database.h"

#include <span>

namespace upskill::store {

// The versions of traces.db. Once released, a migration is never edited: a change is one more.
std::span<const Migration> trace_migrations();

} // namespace upskill::store
