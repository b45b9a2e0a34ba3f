#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "skills/sync/tree.h"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace upskill::sync {

// A file of a version that is written. With a `target` it is a link within the skill, and has no
// bytes.
struct NewFile {
  std::string bytes;
  bool is_program = false;
  std::string target = {};

  friend bool operator==(const NewFile&, const NewFile&) = default;
};

using NewFiles = std::map<std::string, NewFile>; // by path, relative to the skill
using SharedFiles = std::shared_ptr<const NewFiles>;

// The version that lies in a folder.
struct PlacedSkill {
  Digest hash = {};
  NewFiles files = {};
};

// The tree that these files make, with the folders that their paths name. Errors: invalid_argument
// for what is no whole skill, a path or link that leads out, and what skills leave out; too_large.
Result<Tree> tree_of(const NewFiles& content);

// A whole version: `content`, and of the old one what `content` does not have, but for what is
// `removed` (files, or folders with all in them). A new file takes the place of an old one whose
// name differs in case only: next to each other they could not be synchronised.
NewFiles
merge_with_old(NewFiles content, const PlacedSkill& old, const std::set<std::string>& removed = {});

} // namespace upskill::sync
