#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::danger {

// A file of a skill, wherever it comes from: a folder, an archive, a model's reply.
struct SkillFile {
  std::string path;            // within the skill, with `/`
  std::string_view bytes = {}; // the caller's, who keeps them while they are looked at
  bool is_program = false;     // its mode says that it may be run
  bool is_set_id = false;      // its mode has the set-user-id or set-group-id bit
  std::optional<std::string> link_target = {}; // of a symbolic link, which has no bytes
};

using SkillFiles = std::vector<SkillFile>;

} // namespace upskill::danger
