#include "skills/library/catalogue.h"

#include "skills/library/names.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace upskill::library {
namespace {

struct Place {
  const Root* root;
  const Entry* entry;
};

// Name, scope, project: the order of the rows.
using Key = std::tuple<std::string_view, Scope, std::string_view>;
using Rows = std::map<Key, std::vector<Place>>;

Rows group(std::span<const ListedRoot> roots) {
  Rows rows;
  for (const ListedRoot& listed : roots) {
    for (const Entry& entry : listed.listing->entries) {
      if (entry.kind != EntryKind::group) {
        Key key(entry.name, listed.root->scope, listed.root->project);
        rows[key].push_back({listed.root, &entry});
      }
    }
  }
  std::erase_if(rows, [](const auto& row) {
    return std::ranges::none_of(row.second,
                                [](const Place& place) { return place.entry->has_document(); });
  });
  return rows;
}

std::vector<std::string> readers_of(const Place& place) {
  if (!place.entry->has_document()) {
    return {};
  }
  return place.entry->is_link() ? place.root->link_readers : place.root->readers;
}

void describe(SkillSummary& summary, const Place& newest, const CatalogueReaders& readers) {
  if (!readers.document) {
    return;
  }
  auto bytes = read_document(*newest.root, *newest.entry, k_max_catalogue_document);
  if (!bytes) {
    summary.warnings.push_back(bytes.error().message);
    return;
  }
  DocumentFacts facts = readers.document(*bytes);
  summary.description = std::move(facts.description);
  summary.tokens = facts.tokens;
  std::ranges::move(facts.warnings, std::back_inserter(summary.warnings));
}

SkillSummary
summarize(std::string_view name, std::span<const Place> places, const CatalogueReaders& readers) {
  SkillSummary summary;
  summary.skill = name;
  const Place* newest = nullptr;
  std::set<std::string> agents;
  std::set<std::string> hashes;
  bool incomplete = false;
  for (const Place& place : places) {
    const Entry& entry = *place.entry;
    ReplicaPlace replica;
    replica.path = join_path(place.root->path, entry.name);
    replica.scope = place.root->scope;
    replica.link = entry.is_link();
    replica.agents = readers_of(place);
    agents.insert(replica.agents.begin(), replica.agents.end());
    if (entry.kind == EntryKind::skill) {
      replica.hash = readers.hash ? readers.hash(*place.root, entry) : std::string();
      if (!replica.hash.empty()) {
        hashes.insert(replica.hash);
      }
      if (newest == nullptr || entry.mtime_ns > newest->entry->mtime_ns) {
        newest = &place;
        summary.hash = replica.hash;
      }
    } else if (entry.kind != EntryKind::link || !entry.has_document()) {
      summary.warnings.push_back(entry.reason);
      incomplete = incomplete || entry.kind == EntryKind::incomplete;
    }
    summary.replicas.push_back(std::move(replica));
  }
  summary.agents.assign(agents.begin(), agents.end());
  summary.in_sync = hashes.size() <= 1 && !incomplete;
  if (newest != nullptr) {
    describe(summary, *newest, readers);
  }
  return summary;
}

// Names of one scope that are one name on some file system, by name.
std::map<Key, std::string> collisions_of(const Rows& rows) {
  std::map<std::tuple<Scope, std::string_view>, std::vector<std::string>> names;
  for (const auto& [key, places] : rows) {
    names[{std::get<1>(key), std::get<2>(key)}].emplace_back(std::get<0>(key));
  }
  std::map<Key, std::string> warnings;
  for (const auto& [scope, of_scope] : names) {
    for (const std::vector<std::string>& collision : find_collisions(of_scope)) {
      for (const std::string& name : collision) {
        const std::string& other = name == collision.front() ? collision.back() : collision.front();
        auto row = rows.find(Key(name, std::get<0>(scope), std::get<1>(scope)));
        warnings[row->first] =
            "its name differs from `" + other + "` only in case or in how letters are composed";
      }
    }
  }
  return warnings;
}

} // namespace

std::vector<SkillSummary> catalogue(std::span<const ListedRoot> roots,
                                    const CatalogueReaders& readers) {
  Rows rows = group(roots);
  std::map<Key, std::string> collisions = collisions_of(rows);
  std::vector<SkillSummary> summaries;
  summaries.reserve(rows.size());
  for (const auto& [key, places] : rows) {
    summaries.push_back(summarize(std::get<0>(key), places, readers));
    if (auto at = collisions.find(key); at != collisions.end()) {
      summaries.back().warnings.push_back(at->second);
    }
  }
  return summaries;
}

} // namespace upskill::library
