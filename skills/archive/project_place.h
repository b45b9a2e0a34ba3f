#pragma once
#include <string>
#include <string_view>

namespace upskill::archive {

// Where a session ran whose records do not tell it, by where its file lies. Cursor's lie below
// `projects/SLUG/agent-transcripts/`: the one folder on this machine that has this slug. Beside
// Gemini CLI's `tmp/NAME/chats/` lies a file that names the folder. Empty where there is none, or
// where several have the slug.
std::string project_by_place(std::string_view harness, const std::string& path);

} // namespace upskill::archive
