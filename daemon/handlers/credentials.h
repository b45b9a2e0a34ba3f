#pragma once
#include "protocol/base/result.h"

#include <map>
#include <string>

namespace upskill::daemon {

// Keys of model servers by the name of their variable (`ANTHROPIC_API_KEY`), as the file
// `credentials` in the configuration folder has them: a line `NAME=VALUE` each, `#` begins a
// comment. None where there is no file. refused: others could read it, or it is not the user's;
// corrupt names the line, never what is in it. Reads the disk.
Result<std::map<std::string, std::string>> read_credentials(const std::string& path);

} // namespace upskill::daemon
