#pragma once
#include "skills/sync/new_version.h"

#include <string>

namespace upskill::install {

// Git's hash (SHA-1, 40 hexadecimal digits) of a folder with these files: the `skillFolderHash` of
// `npx skills` for what came from GitHub (agents facts, section 4). For comparing with what others
// wrote; nothing is trusted because of it.
std::string git_tree_hash(const sync::NewFiles& files);

} // namespace upskill::install
