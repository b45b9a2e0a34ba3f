#pragma once
#include <string>

namespace upskill::cli {

// Completion scripts, written from the catalogue; static, so that completing starts no program.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

} // namespace upskill::cli
