#pragma once
#include "daemon/sync/scene.h"
#include "protocol/types/skills.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

inline constexpr std::size_t k_max_listed_description = 1536; // bytes; what is cut ends in `…`

// Which skills are wanted; everything empty: all.
struct CatalogueFilter {
  std::vector<std::string> words = {}; // of query_words(); all must occur in name or description
  std::string agent = {};              // that sees the skill
  std::optional<Scope> scope = {};
};

struct CataloguePage {
  std::vector<std::uint32_t> rows = {};
  std::int64_t total = 0; // that match, before and after this page
  bool more = false;
};

// All skills in the roots of the agents that take part, as they lay there when it was built: a row
// for each name in each scope, by name, the user's scope first (as library::catalogue has it). All
// text lies in one string: 10,000 skills with descriptions of 230 bytes take 3 MB. Never changed
// once it is built, so any thread may read it.
class Catalogue {
public:
  // One copy of a skill, in the order of the roots.
  struct Copy {
    std::uint32_t root : 24; // of roots()
    std::uint32_t is_skill : 1;
    std::uint32_t is_link : 1;
    std::uint32_t has_document : 1;
  };

  static constexpr std::uint16_t k_none = UINT16_MAX;

  struct Row {
    std::int64_t mtime_ms = 0;       // of the newest copy's SKILL.md
    std::uint32_t text = 0;          // where name, description and title stand, one after the other
    std::uint32_t folded = 0;        // where both stand once more, folded, unless they are ASCII
    std::uint32_t document_size = 0; // bytes
    std::uint32_t tokens = 0;
    std::uint32_t first_copy = 0;
    std::uint16_t name_length = 0;
    std::uint16_t description_length = 0;
    std::uint16_t title_length =
        0; // of the front matter's name, where it is another than the folder's
    std::uint16_t folded_length = 0;
    std::uint16_t copies = 0;
    std::uint16_t newest = k_none; // of its copies; a link where there is nothing else to read
    std::uint16_t scope = 0;       // 0: the user's; else a project
    bool incomplete = false;       // some copy is
  };

  // Finds the roots anew, because folders may have come since the scene was made, walks them and
  // reads each skill's SKILL.md; `stopping` ends it early with `cancelled`.
  static Result<Catalogue>
  build(const Scene& scene, const std::string& home, std::stop_token stopping);

  std::uint32_t size() const { return static_cast<std::uint32_t>(m_rows.size()); }

  const Row& row(std::uint32_t index) const { return m_rows[index]; }

  std::string_view name(const Row& row) const { return view(row.text, row.name_length); }

  std::string_view description(const Row& row) const {
    return view(row.text + row.name_length, row.description_length);
  }

  // The name in the front matter, else the folder's.
  std::string_view title(const Row& row) const;

  // The project's path; empty in the user's scope.
  const std::string& project(const Row& row) const { return m_projects[row.scope]; }

  std::span<const Copy> copies(const Row& row) const {
    return {m_copies.data() + row.first_copy, row.copies};
  }

  const library::Root& root(const Copy& copy) const { return m_roots[copy.root]; }

  std::span<const library::Root> roots() const { return m_roots; }

  // The paths of the projects in it.
  std::span<const std::string> projects() const { return std::span(m_projects).subspan(1); }

  // The rows of that name, the user's first: from `first` up to `last`.
  std::pair<std::uint32_t, std::uint32_t> find(std::string_view name) const;

  // At most 10,000 rows from `from` on. 0.5 ms for 10,000 skills and one word.
  CataloguePage select(const CatalogueFilter& filter, std::uint32_t from, std::size_t limit) const;

  // Names that somebody may have meant, nearest first: at most 3.
  std::vector<std::string> nearest(std::string_view name) const;

  // Names the place after a row, whatever else comes and goes; opaque to others.
  std::string cursor_after(std::uint32_t index) const;
  // The first row after it; the first of all for an empty one. Errors: invalid_argument.
  Result<std::uint32_t> row_after(std::string_view cursor) const;

  // Without hashes: those are the caller's to add.
  SkillSummary summary(std::uint32_t index) const;

  // Memory that it takes, roughly.
  std::size_t bytes() const;

private:
  friend class CatalogueBuilder;

  std::string_view view(std::uint32_t at, std::size_t length) const {
    return std::string_view(m_text).substr(at, length);
  }

  bool has_words(const Row& row, std::span<const std::string> words) const;

  std::vector<library::Root> m_roots;
  std::string m_text;
  std::vector<Row> m_rows;
  std::vector<Copy> m_copies;
  std::vector<std::string> m_projects;
  std::map<std::uint32_t, std::vector<std::string>> m_warnings; // of the few rows that have some
};

} // namespace upskill::daemon
