#pragma once
#include "skills/archive/archive.h"

#include <stop_token>
#include <string>
#include <vector>

namespace upskill::archive {

// Takes what is new of OpenCode's database, a session at a time: from a copy, made without holding
// up the program that writes to it (decisions: foreign SQLite). Errors: the database cannot be
// copied or is none; what is wrong with one session is told with it.
Result<std::vector<Kept>> keep_database(Archive& archive,
                                        const std::string& path,
                                        const KeepOptions& options,
                                        std::int64_t now_ms,
                                        std::stop_token stop);

// A copy has secrets. Removes those in folder `beside` that a process left when it was ended.
void remove_copies(const std::string& beside);

} // namespace upskill::archive
