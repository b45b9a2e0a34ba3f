#pragma once
#include "protocol/base/result.h"

#include <map>
#include <string>

namespace upskill::daemon {

// Keys of model servers by the name of their variable (`ANTHROPIC_API_KEY`), as the file
// `credentials` in the configuration folder has them: a line `NAME=VALUE` each, without quotes or
// spaces in the value; of two of a name the later one counts. A line that begins with `#` is a
// comment. None where there is no file. refused: others could read it, it is not the user's, or it
// is a link or no file; too_large: more than 64 KiB; corrupt names the line, never what is in it.
// Reads the disk.
Result<std::map<std::string, std::string>> read_credentials(const std::string& path);

} // namespace upskill::daemon
