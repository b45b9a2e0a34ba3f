#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::document {

// A file that the body names, relative to the skill's folder.
struct FileReference {
  std::string path;     // without `.` and `..`; a leading `../` means it leaves the skill
  std::size_t line = 0; // of the body, from 1
  bool certain = false; // a Markdown link, or a path into scripts/, references/ or assets/
};

// Markdown links and images, link definitions, and words in back-ticks that look like a path with
// an extension (skills facts, section 1: references are relative to the skill root). Not in fenced
// code, no addresses, absolute paths, patterns or placeholders. Each path once; at most 500.
std::vector<FileReference> find_file_references(std::string_view body);

// Answers whether a path, relative to the skill's folder, exists there.
using PathExists = std::function<bool(std::string_view relative_path)>;

// Those that do not exist. An uncertain one (`examples/x.py` in back-ticks) counts only where its
// first folder exists, because prose is full of other projects' paths.
std::vector<FileReference> find_broken_references(std::string_view body, const PathExists& exists);

} // namespace upskill::document
