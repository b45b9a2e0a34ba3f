#pragma once
#include "protocol/base/result.h"
#include "skills/library/roots.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::library {

enum class EntryKind : std::uint8_t {
  skill,      // a folder with a SKILL.md (or skill.md) that holds something
  incomplete, // a folder without, or with an empty one: being written, damaged, or no skill at all
  group,      // a folder without, that holds skills further down
  link,       // a link to a skill of another root of the same scope
  alias,      // a link to a skill of this same root
  outside_link, // a link to a folder that is no skill of a known root, or of another scope's
  broken_link,  // leads nowhere, or back to what holds it
  problem       // cannot be read, or may not be propagated because of its name
};

// A skill further down, below a direct child of the root.
struct NestedSkill {
  std::string path; // relative to the root: `group/skill`
  int depth = 2;    // parts of that path

  friend bool operator==(const NestedSkill&, const NestedSkill&) = default;
};

// One direct child of a root.
struct Entry {
  std::string name;
  EntryKind kind = EntryKind::skill;
  bool lower_case_document = false; // `skill.md` is what it has, and no `SKILL.md`
  std::uint64_t device = 0;         // of the folder, links followed
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0; // of SKILL.md, links followed
  std::int64_t size = 0;     // of SKILL.md, bytes; 0 where there is none
  std::string reason = {};   // all but `skill`: what is the matter, as a sentence
  std::string target = {};   // of a link: the real path it leads to
  std::vector<NestedSkill> nested = {};

  bool is_link() const {
    return kind == EntryKind::link || kind == EntryKind::alias || kind == EntryKind::outside_link
           || kind == EntryKind::broken_link;
  }

  // True where an agent that gets here finds a SKILL.md that holds something.
  bool has_document() const { return kind == EntryKind::skill || (is_link() && size > 0); }
};

// What lies in one root.
struct Listing {
  std::vector<Entry> entries = {};        // by name
  bool own_document = false;              // a SKILL.md lies in the root itself
  std::vector<std::string> problems = {}; // what kept the list from being complete
};

enum class Nesting {
  groups, // look for skills further down only where a child is no skill itself
  all     // also inside skills; costs a walk over all their content
};

struct ListOptions {
  Nesting nesting = Nesting::groups;
  std::size_t nested_names = 20'000; // looked at below all children together; Codex's own bound
};

// Lists the skills of a root in whatever state it is; an absent one is empty. Follows no link while
// walking; where a link leads is resolved, and believed only for other `roots` (facts: sync.md,
// rules 9 and 11). Names of ignored_name, names beginning with a dot, the root's never_touch and
// workspaces are left out. What cannot be read becomes an entry or a problem that names it, and the
// rest is listed. Bounds: k_max_skills_per_root children; for the search further down 6 folders of
// depth (Codex's own bound) and `nested_names`, beyond which a problem says so.
Listing list_root(const Root& root, std::span<const Root> roots, ListOptions options = {});

// All that a person should know about a root: its problems, and a sentence for each entry that is
// neither a skill, a group, nor a link to a skill of another root.
std::vector<std::string> troubles(const Listing& listing);

// The bytes of an entry's SKILL.md, at most `limit`. Only of a skill, by its real folder; a link at
// SKILL.md is followed as long as it stays inside the skill. Errors: unsupported for another kind,
// not_found, permission, refused for a link that leaves, too_large.
Result<std::string> read_document(const Root& root, const Entry& entry, std::size_t limit);

} // namespace upskill::library
