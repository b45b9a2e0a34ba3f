#include "daemon/handlers/catalogue.h"

#include "daemon/handlers/nearest_words.h"
#include "daemon/handlers/text_search.h"
#include "daemon/unknown_cursor.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/base/paths.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace upskill::daemon {
namespace {

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (char byte : bytes) {
    hex += k_digits[static_cast<unsigned char>(byte) >> 4];
    hex += k_digits[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

int digit(char byte) {
  return byte >= '0' && byte <= '9'   ? byte - '0'
         : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                                      : -1;
}

std::optional<std::string> from_hex(std::string_view hex) {
  std::string bytes;
  if (hex.size() % 2 != 0 || hex.size() > k_max_cursor) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    int high = digit(hex[i]);
    int low = digit(hex[i + 1]);
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

} // namespace

std::string_view Catalogue::title(const Row& row) const {
  return row.title_length == 0
             ? name(row)
             : view(row.text + row.name_length + row.description_length, row.title_length);
}

std::pair<std::uint32_t, std::uint32_t> Catalogue::find(std::string_view wanted) const {
  auto range =
      std::ranges::equal_range(m_rows, wanted, {}, [this](const Row& row) { return name(row); });
  auto first = static_cast<std::uint32_t>(range.begin() - m_rows.begin());
  return {first, first + static_cast<std::uint32_t>(range.size())};
}

bool Catalogue::has_words(const Row& row, std::span<const std::string> words) const {
  if (row.folded_length > 0) {
    std::string_view folded = view(row.folded, row.folded_length);
    return std::ranges::all_of(words, [folded](const std::string& word) {
      return folded.find(word) != std::string_view::npos;
    });
  }
  return std::ranges::all_of(words, [&](const std::string& word) {
    return contains_folded(name(row), word) || contains_folded(description(row), word);
  });
}

CataloguePage
Catalogue::select(const CatalogueFilter& filter, std::uint32_t from, std::size_t limit) const {
  std::vector<bool> sees;
  std::vector<bool> sees_links;
  for (const library::Root& root : m_roots) {
    sees.push_back(std::ranges::find(root.readers, filter.agent) != root.readers.end());
    sees_links.push_back(std::ranges::find(root.link_readers, filter.agent)
                         != root.link_readers.end());
  }
  auto is_seen = [&](const Copy& copy) {
    return copy.has_document != 0 && (copy.is_link != 0 ? sees_links : sees)[copy.root];
  };
  CataloguePage page;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const Row& row = m_rows[i];
    if ((filter.scope && *filter.scope != (row.scope == 0 ? Scope::user : Scope::project))
        || (!filter.agent.empty() && std::ranges::none_of(copies(row), is_seen))
        || !has_words(row, filter.words)) {
      continue;
    }
    ++page.total;
    if (i >= from && page.rows.size() < limit) {
      page.rows.push_back(i);
    } else if (i >= from) {
      page.more = true;
    }
  }
  return page;
}

std::vector<std::string> Catalogue::nearest(std::string_view wanted) const {
  std::vector<std::string_view> names;
  names.reserve(m_rows.size());
  for (const Row& row : m_rows) {
    names.push_back(name(row));
  }
  return nearest_words(wanted, names, 3);
}

std::string Catalogue::cursor_after(std::uint32_t index) const {
  const Row& at = m_rows[index];
  return to_hex(std::string(name(at)) + '\0' + project(at));
}

Result<std::uint32_t> Catalogue::row_after(std::string_view cursor) const {
  if (cursor.empty()) {
    return 0;
  }
  std::optional<std::string> text = from_hex(cursor);
  std::size_t zero = text ? text->find('\0') : std::string::npos;
  if (zero == std::string::npos) {
    return fail(unknown_cursor());
  }
  auto place =
      std::pair(std::string_view(*text).substr(0, zero), std::string_view(*text).substr(zero + 1));
  auto next = std::ranges::upper_bound(m_rows, place, {}, [this](const Row& row) {
    return std::pair(name(row), std::string_view(project(row)));
  });
  return static_cast<std::uint32_t>(next - m_rows.begin());
}

SkillSummary Catalogue::summary(std::uint32_t index) const {
  const Row& at = m_rows[index];
  SkillSummary summary;
  summary.skill = name(at);
  summary.scope = project(at).empty() ? "user" : project(at);
  summary.description = description(at);
  summary.tokens = at.tokens;
  summary.in_sync = !at.incomplete;
  std::set<std::string> agents;
  for (const Copy& copy : copies(at)) {
    const library::Root& in = root(copy);
    ReplicaPlace& replica = summary.replicas.emplace_back();
    replica.path = join_path(in.path, summary.skill);
    replica.scope = in.scope;
    replica.link = copy.is_link != 0;
    if (copy.has_document != 0) {
      replica.agents = replica.link ? in.link_readers : in.readers;
    }
    agents.insert(replica.agents.begin(), replica.agents.end());
  }
  summary.agents.assign(agents.begin(), agents.end());
  if (auto found = m_warnings.find(index); found != m_warnings.end()) {
    summary.warnings = found->second;
  }
  return summary;
}

std::size_t Catalogue::bytes() const {
  std::size_t sum =
      m_text.capacity() + m_rows.capacity() * sizeof(Row) + m_copies.capacity() * sizeof(Copy);
  for (const auto& [row, warnings] : m_warnings) {
    sum += 64;
    for (const std::string& warning : warnings) {
      sum += sizeof(warning) + warning.capacity();
    }
  }
  return sum;
}

} // namespace upskill::daemon
