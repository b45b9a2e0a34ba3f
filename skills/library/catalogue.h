#pragma once
#include "protocol/types/skills.h"
#include "skills/library/listing.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::library {

// What a SKILL.md says about its skill.
struct DocumentFacts {
  std::string description = {};
  std::int64_t tokens = 0;
  std::vector<std::string> warnings = {};
};

// What the catalogue needs from others. Either may be empty: then there are no descriptions, and
// hashes are unknown.
struct CatalogueReaders {
  // From the bytes of a SKILL.md; may not fail, whatever they are.
  std::function<DocumentFacts(std::string_view bytes)> document;
  // Hash of one copy's content, empty where it cannot be had. Links are not asked for.
  std::function<std::string(const Root& root, const Entry& entry)> hash;
};

// A root and what was found in it.
struct ListedRoot {
  const Root* root;
  const Listing* listing;
};

// A SKILL.md larger than this is listed without description (facts: skills.md, section 6: the
// largest of 10,150 real ones has 294 KB).
inline constexpr std::size_t k_max_catalogue_document = 4u << 20; // bytes

// One row for each name in each scope, by name, the user's scope first: a skill of a project and
// one of the user's are two skills, whatever their names. Description, tokens and hash are those of
// the newest copy by mtime of SKILL.md, the first in root order among equals. `in_sync` says that
// the known hashes of complete copies are equal and none is incomplete. A name makes a row where
// some agent can find a SKILL.md of it; the rest is for troubles(). What is wrong stands in
// `warnings`: incomplete copies, links that do not lead to a known skill, names that collide with
// another's, copies that cannot be read.
std::vector<SkillSummary> catalogue(std::span<const ListedRoot> roots,
                                    const CatalogueReaders& readers);

} // namespace upskill::library
