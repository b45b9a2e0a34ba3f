#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::sync {

enum class EntryKind : std::uint8_t { folder = 1, file = 2, executable = 3, link = 4 };

// One thing below a skill's folder. Only what is propagated is here: ignored names are not
// (sync facts, "compute ancestor and hash over the propagated set").
struct Entry {
  std::string path; // relative, `/` between parts, no leading or final slash
  EntryKind kind = EntryKind::file;
  Digest content = {}; // SHA-256 of the bytes; of the target's text for a link; zero for a folder
  std::uint64_t size = 0;  // bytes of a file, else 0
  std::string target = {}; // of a link: relative, ends inside the skill

  friend bool operator==(const Entry&, const Entry&) = default;
};

// The content of a skill: what is synchronised, byte for byte, with the executable bit and without
// times and owners (sync facts, rule 12). Entries are sorted by path, bytewise, each path once.
class Tree {
public:
  Tree() = default;
  // Sorts; the caller gives each path once.
  explicit Tree(std::vector<Entry> entries);

  const std::vector<Entry>& entries() const { return m_entries; }

  bool empty() const { return m_entries.empty(); }

  const Entry* find(std::string_view path) const;
  // A skill that may be propagated has a SKILL.md (or skill.md) that is not empty.
  bool is_complete() const;
  // Bytes of all files.
  std::uint64_t bytes() const;
  // Length-framed SHA-256 over all entries: equal hashes mean equal trees. Computed once.
  const Digest& hash() const;

  // One compact record for the database, and back. corrupt: the record does not parse, or holds
  // what a scan would not give; whether it is the tree that was meant, only its hash tells.
  std::string serialize() const;
  static Result<Tree> parse(std::string_view record);

  friend bool operator==(const Tree& a, const Tree& b) { return a.m_entries == b.m_entries; }

private:
  std::vector<Entry> m_entries;
  mutable Digest m_hash = {};
  mutable bool m_hashed = false;
};

// True when a link at `link_path` (relative to the skill) with this target stays inside the skill:
// relative, `..` only at the start and not beyond the skill's folder.
bool link_stays_inside(std::string_view link_path, std::string_view target);

// What SKILL.md is called in this skill: `SKILL.md` before `skill.md`; empty where there is
// neither.
std::string_view skill_file(const Tree& tree);

} // namespace upskill::sync
