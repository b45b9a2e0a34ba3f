#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::library {

// Names that are neither content nor propagated, anywhere in a skill: version control, caches, what
// editors and systems leave behind (facts: sync.md, rule 11).
bool ignored_in_skill(std::string_view name);

// The same for a direct child of a root: also `.trash`, `synced` and `.system`, which are an
// agent's own business there. Inside a skill such a name is content. `<skill>-workspace` is told by
// is_workspace, because it takes a look at what is beside it.
bool ignored_name(std::string_view name);

// True for the name of a folder of eval runs beside its skill (facts: skills.md, section 9):
// it ends in `-workspace`, and either the skill of that name is beside it or it has no SKILL.md
// itself. `has_sibling` tells whether `<skill>` is there.
bool is_workspace(std::string_view name, bool has_sibling, bool has_document);
// `<skill>` of `<skill>-workspace`; empty for another name.
std::string_view workspace_owner(std::string_view name);

// Why a folder of this name cannot be a skill that is propagated, as the end of a sentence, or
// nothing: it is empty, begins with a dot, is longer than 255 bytes, is not UTF-8, has a slash or a
// control character, or is reserved on Windows (facts: sync.md, rule 10).
std::optional<std::string> refused_name(std::string_view name);

// Two names with one key are one name on some file system: Unicode case folding, then NFC. Bytes
// that are not UTF-8 are their own key.
std::string folded_key(std::string_view name);

// Groups of two or more different names with one key, each sorted; the groups by key.
std::vector<std::vector<std::string>> find_collisions(std::span<const std::string> names);

} // namespace upskill::library
