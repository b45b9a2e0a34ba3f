#pragma once
#include <string>

namespace upskill::archive {

// Where a session of Cursor's ran, whose records do not tell it: by the folder in which it lies,
// `projects/SLUG/agent-transcripts/`, and the one folder on this machine that has this slug. Empty
// where there is none, or where several have it.
std::string project_by_place(const std::string& path);

} // namespace upskill::archive
