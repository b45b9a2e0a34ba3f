#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::watch {

// What a walk over a folder found and put watches on: folders only, each listed after its watch was
// there, so that nothing made meanwhile is missed. Parents precede their children; the first is the
// folder itself.
struct Walk {
  enum class Outcome : std::uint8_t {
    found,
    missing,      // nothing there, or not readable for us
    not_a_folder, // a link or a file
  };

  struct Folder {
    std::uint32_t parent = 0; // place in `folders`
    std::uint32_t name_offset = 0;
    std::uint8_t name_length = 0;
    int wd = -1; // -1: it could not be watched, and nothing is below it
  };

  Outcome outcome = Outcome::missing;
  bool limit_reached = false; // there are folders without a watch: too many, or none left
  std::vector<Folder> folders;
  std::string names;

  std::string_view name(const Folder& folder) const {
    return std::string_view(names).substr(folder.name_offset, folder.name_length);
  }
};

// Where a root is looked for, and what was watched on the way.
struct Location {
  struct Ancestor {
    int wd = -1;
    std::string next; // the name it is to show, on the way to the root
  };

  std::vector<Ancestor> ancestors; // the outermost first
  bool limit_reached = false;
  Walk root; // from the root itself, as if it were called with its path
};

} // namespace upskill::watch
