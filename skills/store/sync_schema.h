#pragma once
#include "skills/store/database.h"

#include <span>

namespace upskill::store {

// The versions of sync.db. Once released, a migration is never edited: a change is one more.
std::span<const Migration> sync_migrations();

} // namespace upskill::store
