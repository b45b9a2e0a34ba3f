#include "daemon/handlers/catalogue.h"
#include "daemon/handlers/text_search.h"
#include "protocol/base/utf8.h"
#include "skills/document/document.h"
#include "skills/document/tokens.h"
#include "skills/library/catalogue.h"
#include "skills/library/names.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_warnings = 4;  // of one skill in a list
constexpr std::size_t k_max_warning = 240; // bytes

std::string cut(std::string text, std::size_t limit) {
  constexpr std::string_view k_more = "…";
  if (text.size() > limit) {
    text.resize(utf8_prefix(text, limit - k_more.size()).size());
    text += k_more;
  }
  return text;
}

// An entry of some root, to be sorted among those of all.
struct Found {
  std::uint32_t root;
  std::uint32_t entry;
  std::uint16_t scope;
};

} // namespace

class CatalogueBuilder {
public:
  CatalogueBuilder(const Scene& scene, const std::string& home, std::stop_token stopping)
      : m_stopping(std::move(stopping)) {
    m_result.m_roots = library::discover_roots(scene.folders, home);
    m_result.m_projects.emplace_back();
    for (const library::Root& root : roots()) {
      if (!root.project.empty()
          && std::ranges::find(m_result.m_projects, root.project) == m_result.m_projects.end()) {
        m_result.m_projects.push_back(root.project);
      }
    }
    std::ranges::sort(m_result.m_projects);
  }

  Result<Catalogue> run() {
    list();
    if (m_stopping.stop_requested()) {
      return cancelled();
    }
    std::ranges::sort(m_found, [this](const Found& a, const Found& b) {
      return std::tie(name(a), a.scope, a.root) < std::tie(name(b), b.scope, b.root);
    });
    for (auto begin = m_found.begin(); begin != m_found.end();) {
      if (m_stopping.stop_requested()) {
        return cancelled();
      }
      auto end = std::find_if(begin, m_found.end(), [&](const Found& other) {
        return name(other) != name(*begin) || other.scope != begin->scope;
      });
      add({begin, end});
      begin = end;
    }
    warn_of_collisions();
    m_result.m_text.shrink_to_fit();
    m_result.m_rows.shrink_to_fit();
    m_result.m_copies.shrink_to_fit();
    return std::move(m_result);
  }

private:
  static tl::unexpected<Error> cancelled() {
    return fail(ErrorCode::cancelled, "the call was cancelled");
  }

  const std::vector<library::Root>& roots() const { return m_result.m_roots; }

  const std::string& name(const Found& found) const {
    return m_listings[found.root].entries[found.entry].name;
  }

  void list() {
    m_listings.resize(roots().size());
    for (std::uint32_t i = 0; i < roots().size() && !m_stopping.stop_requested(); ++i) {
      const library::Root& root = roots()[i];
      if (root.state == RootState::refused || !root.exists()) {
        continue;
      }
      m_listings[i] = library::list_root(root, roots());
      auto project = std::ranges::find(m_result.m_projects, root.project);
      auto scope = static_cast<std::uint16_t>(project - m_result.m_projects.begin());
      for (std::uint32_t k = 0; k < m_listings[i].entries.size(); ++k) {
        m_found.push_back({i, k, scope});
      }
    }
  }

  // One row of all copies of one name in one scope, as the library sees them.
  void add(std::span<const Found> found) {
    std::vector<library::Listing> listings(found.size());
    std::vector<library::ListedRoot> listed;
    for (std::size_t i = 0; i < found.size(); ++i) {
      listings[i].entries.push_back(m_listings[found[i].root].entries[found[i].entry]);
      listed.push_back({&roots()[found[i].root], &listings[i]});
    }
    std::string title;
    std::size_t size = 0;
    library::CatalogueReaders readers;
    readers.document = [&](std::string_view bytes) {
      document::Document parsed = document::read_document(bytes);
      title = std::move(parsed.name);
      size = bytes.size();
      return library::DocumentFacts{std::move(parsed.description),
                                    document::estimate_tokens(bytes),
                                    std::move(parsed.problems)};
    };
    std::vector<SkillSummary> summaries = library::catalogue(listed, readers);
    if (summaries.empty()) {
      return;
    }
    Catalogue::Row row;
    row.scope = found.front().scope;
    row.tokens = static_cast<std::uint32_t>(
        std::min<std::int64_t>(summaries[0].tokens, std::numeric_limits<std::uint32_t>::max()));
    row.document_size = static_cast<std::uint32_t>(size);
    add_copies(row, found, listings);
    add_text(row, summaries[0], to_valid_utf8(title));
    m_result.m_rows.push_back(row);
    for (std::string& warning : summaries[0].warnings) {
      warn(m_result.size() - 1, std::move(warning));
    }
  }

  void add_copies(Catalogue::Row& row,
                  std::span<const Found> found,
                  std::span<const library::Listing> listings) {
    row.first_copy = static_cast<std::uint32_t>(m_result.m_copies.size());
    const library::Entry* newest = nullptr;
    for (std::size_t i = 0; i < found.size() && row.copies < Catalogue::k_none - 1; ++i) {
      const library::Entry& entry = listings[i].entries.front();
      if (entry.kind == library::EntryKind::group) {
        continue;
      }
      bool is_skill = entry.kind == library::EntryKind::skill;
      bool leads_to_skill =
          (entry.kind == library::EntryKind::link || entry.kind == library::EntryKind::alias)
          && entry.has_document();
      bool is_newer = newest == nullptr || (is_skill && newest->is_link())
                      || (is_skill && entry.mtime_ns > newest->mtime_ns);
      if ((is_skill || leads_to_skill) && is_newer) {
        newest = &entry;
        row.newest = row.copies;
      }
      row.incomplete = row.incomplete || entry.kind == library::EntryKind::incomplete;
      m_result.m_copies.push_back(
          {found[i].root & 0xFFFFFF, is_skill, entry.is_link(), entry.has_document()});
      ++row.copies;
    }
    if (newest != nullptr) {
      row.mtime_ms = newest->mtime_ns / 1'000'000;
    }
  }

  void add_text(Catalogue::Row& row, const SkillSummary& summary, std::string title) {
    std::string& text = m_result.m_text;
    std::string description = cut(to_valid_utf8(summary.description), k_max_listed_description);
    row.text = static_cast<std::uint32_t>(text.size());
    row.name_length = static_cast<std::uint16_t>(summary.skill.size());
    row.description_length = static_cast<std::uint16_t>(description.size());
    text += summary.skill;
    text += description;
    if (title != summary.skill) {
      title = cut(std::move(title), k_max_listed_description);
      row.title_length = static_cast<std::uint16_t>(title.size());
      text += title;
    }
    if (!is_ascii(summary.skill) || !is_ascii(description)) {
      std::string folded = library::folded_key(summary.skill + "\n" + description);
      row.folded = static_cast<std::uint32_t>(text.size());
      row.folded_length = static_cast<std::uint16_t>(std::min<std::size_t>(folded.size(), 60'000));
      text.append(folded, 0, row.folded_length);
    }
  }

  void warn(std::uint32_t row, std::string warning) {
    std::vector<std::string>& warnings = m_result.m_warnings[row];
    if (warnings.size() < k_max_warnings) {
      warnings.push_back(cut(std::move(warning), k_max_warning));
    }
  }

  void warn_of_collisions() {
    std::map<std::uint16_t, std::vector<std::string>> names; // by scope
    for (const Catalogue::Row& row : m_result.m_rows) {
      names[row.scope].emplace_back(m_result.name(row));
    }
    for (const auto& [scope, of_scope] : names) {
      for (const std::vector<std::string>& same : library::find_collisions(of_scope)) {
        for (const std::string& one : same) {
          auto [at, last] = m_result.find(one);
          while (at < last && m_result.row(at).scope != scope) {
            ++at;
          }
          const std::string& other = one == same.front() ? same.back() : same.front();
          warn(at,
               "its name differs from `" + other + "` only in case or in how letters are composed");
        }
      }
    }
  }

  std::stop_token m_stopping;
  Catalogue m_result;
  std::vector<library::Listing> m_listings;
  std::vector<Found> m_found;
};

Result<Catalogue>
Catalogue::build(const Scene& scene, const std::string& home, std::stop_token stopping) {
  return CatalogueBuilder(scene, home, std::move(stopping)).run();
}

} // namespace upskill::daemon
