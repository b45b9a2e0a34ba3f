#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::store {

// Why and whence something went to the trash: the `origin.json` beside it.
struct TrashOrigin {
  std::string path;  // where it was
  std::string skill; // its name
  std::string reason = {};
  std::string hash = {};    // of its tree, 64 hexadecimal digits; empty where unknown
  std::int64_t time_ms = 0; // Unix time

  friend bool operator==(const TrashOrigin&, const TrashOrigin&) = default;
};

// JSON for people, and back. A path or name that is not UTF-8 is kept exactly in a second member,
// `path_hex` or `skill_hex`. corrupt when the text does not say what it must.
std::string write_origin(const TrashOrigin& origin);
Result<TrashOrigin> parse_origin(std::string_view json);

} // namespace upskill::store
