#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace upskill::install {

// The folders that `.claude-plugin/marketplace.json` and `.claude-plugin/plugin.json` say hold
// skills, relative to the open folder, without `..`, each once; each is a skill or holds some.
// Whether they are there is not looked at. Plugins that lie elsewhere are left out. What cannot be
// read is a warning.
std::vector<std::string> plugin_folders(int folder, std::vector<std::string>& warnings);

} // namespace upskill::install
