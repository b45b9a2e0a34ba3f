#pragma once
#include "protocol/base/result.h"
#include "skills/generate/draft.h"
#include "skills/generate/reply_lines.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Further files in a reply: a line `FILE MARK path`, then the text in a code block.
namespace upskill::generate {

// Whether the line looks like the first one of a file, of whatever mark.
bool begins_file(std::string_view line);

// The first line of the first file, with that mark or, where it is empty, with any that a code
// block follows; lines.size() where there is none.
std::size_t find_files(Lines lines, std::string_view mark);

// Reads the files into `files`, where those that stay are already; lines between them are left
// out. What a teacher can mend is an error: a path that leads out of the skill, no block or one
// without an end, too many or too large. A file that has no place in a skill, or no text, is left
// out with a warning.
Result<void> read_files(Lines lines,
                        std::string_view mark,
                        std::map<std::string, DraftFile>& files,
                        std::vector<std::string>& warnings);

} // namespace upskill::generate
