// InstallDesk: what sources have.
#include "daemon/await.h"
#include "daemon/install/desk.h"
#include "daemon/install/examine_all.h"
#include "daemon/install/source_index.h"
#include "daemon/install/version_answers.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/task_group.h"
#include "protocol/base/bounds.h"
#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"
#include "skills/install/discover.h"
#include "skills/library/names.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_index_age_ms = 24 * 3600 * 1000;
constexpr std::size_t k_most_scanned = 1000; // skills of a source
constexpr int k_most_at_once = 4;            // sources

// How well a skill fits, the best first; none where it does not.
std::optional<int> rank_of(const FoundOffer& offer, const std::vector<std::string>& words) {
  std::string name = library::folded_key(offer.skill);
  std::string text = library::folded_key(offer.description);
  int rank = 0;
  for (const std::string& word : words) {
    std::size_t at = name.find(word);
    if (at == std::string::npos && text.find(word) == std::string::npos) {
      return std::nullopt;
    }
    rank += name == word ? 0 : at == 0 ? 1 : at != std::string::npos ? 2 : 3;
  }
  return rank;
}

std::vector<std::string> folded(const std::vector<std::string>& written) {
  std::vector<std::string> words;
  for (const std::string& some : written) {
    std::string key = library::folded_key(some);
    std::size_t at = 0;
    while (at < key.size()) {
      std::size_t end = std::min(key.find_first_of(" \t\r\n", at), key.size());
      if (end > at) {
        words.push_back(key.substr(at, end - at));
      }
      at = end + 1;
    }
  }
  return words;
}

bool is_local(const install::Source& source) {
  return source.kind == install::SourceKind::folder || source.kind == install::SourceKind::archive
         || source.kind == install::SourceKind::document;
}

std::vector<FoundOffer> offers_of(const SourceIndex& index, const std::set<std::string>& here) {
  std::vector<FoundOffer> offers;
  for (const IndexedOffer& skill : index.skills) {
    FoundOffer& offer = offers.emplace_back();
    offer.skill = skill.skill;
    offer.description = skill.description;
    offer.source = index.source;
    offer.install = index.source + " --skill " + skill.skill;
    offer.installed = here.contains(skill.skill);
    offer.danger = skill.danger;
  }
  return offers;
}

} // namespace

// Sources that are looked into, several at a time.
struct SourceSearch {
  const InstallCall& call;
  bool refreshes = false;
  std::vector<std::string> words = {}; // of the sources
  std::vector<FindSource> told = {};   // beside them
  std::vector<SourceIndex> found = {}; // beside them
  std::size_t next = 0;
};

Awaitable<SourceIndex> InstallDesk::index_of(const SourceSearch& search, const std::string& words) {
  const InstallCall& call = search.call;
  const std::int64_t now_ms = m_service.now().wall_ms;
  install::Source source;
  std::optional<SourceIndex> kept;
  std::string name;
  auto read = [&]() -> Result<void> {
    TRY_ASSIGN(source, install::parse_source(words, {call.cwd, places().home}));
    source.skills.clear();
    name = to_valid_utf8(install::words_of(source));
    if (!is_local(source) && !search.refreshes) {
      kept = read_source_index(places(), name, viewers_of(call));
    }
    return {};
  };
  AWAIT(Result<void> known, runtime::offload(call.pool, std::move(read)));
  CO_TRY(known);
  bool is_young = kept && kept->fetched_ms <= now_ms && now_ms - kept->fetched_ms < k_index_age_ms;
  if (is_young) {
    co_return std::move(*kept);
  }
  bool is_far = !is_local(source);
  call.told("fetching " + name);
  AWAIT(Result<std::shared_ptr<fetch::Offer>> offer,
        offer_of(std::move(source), install::Depth::shadowed, {}, call));
  CO_TRY(offer);
  SourceIndex index{name, now_ms};
  std::vector<Examined> examined;
  for (std::size_t i = 0; i < (*offer)->skills.size() && i < k_most_of_a_source; ++i) {
    const fetch::Offered& offered = (*offer)->skills[i];
    std::string skill = install::folder_name_of(offered.name);
    index.skills.push_back({skill.empty() ? to_valid_utf8(offered.name) : skill,
                            to_valid_utf8(offered.description),
                            to_valid_utf8(offered.from)});
    if (!offered.folder.empty() && i < k_most_scanned) {
      examined.push_back({&offered, i});
    }
  }
  const ExamineSetting setting;
  AWAIT(std::vector<Candidate> candidates, examine_all(std::move(examined), setting, call));
  for (const Candidate& candidate : candidates) {
    index.skills[candidate.index].danger = severity_of(candidate.danger);
  }
  if (is_far) {
    auto write = [&] { return write_source_index(places(), index, viewers_of(call)); };
    AWAIT(Result<void> written, runtime::offload(call.pool, std::move(write)));
    (void)written; // a cache: it is looked at anew the next time
  }
  co_return index;
}

asio::awaitable<void> InstallDesk::index_next(SourceSearch& search) {
  while (search.next < search.words.size()) {
    std::size_t place = search.next++;
    FindSource& told = search.told[place];
    told.source = to_valid_utf8(search.words[place]);
    AWAIT(Result<SourceIndex> index, index_of(search, search.words[place]));
    if (!index) {
      told.problem = index.error().message;
      continue;
    }
    told.skills = static_cast<std::int64_t>(index->skills.size());
    told.fetched_at = rfc3339(index->fetched_ms);
    search.found[place] = std::move(*index);
  }
}

Awaitable<FindResult>
InstallDesk::find(FindParams params, std::vector<FoundOffer> here, InstallCall call) {
  if (params.limit < 1 || params.limit > static_cast<std::int64_t>(k_max_page)) {
    co_return fail(ErrorCode::invalid_argument, "params.limit: must be from 1 to 1000");
  }
  SourceSearch search{call, params.refresh};
  search.words = params.source.empty() ? call.choices.sources : params.source;
  search.told.resize(search.words.size());
  search.found.resize(search.words.size());
  std::exception_ptr failure;
  runtime::TaskGroup lookers(m_service.context().io.get_executor(),
                             [&failure](std::exception_ptr thrown) { failure = thrown; });
  for (int i = 0; i < k_most_at_once; ++i) {
    lookers.start(index_next(search));
  }
  AWAIT_DONE(lookers.see_through());
  if (failure) {
    std::rethrow_exception(failure);
  }
  FindResult result;
  result.sources = std::move(search.told);
  auto choose = [&] {
    std::set<std::string> names;
    for (const FoundOffer& offer : here) {
      names.insert(offer.skill);
    }
    for (const SourceIndex& index : search.found) {
      std::ranges::move(offers_of(index, names), std::back_inserter(here));
    }
    std::vector<std::string> words = folded(params.words);
    std::vector<std::pair<int, std::size_t>> ranked;
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (std::optional<int> rank = rank_of(here[i], words)) {
        ranked.emplace_back(*rank, i);
      }
    }
    std::ranges::sort(ranked, {}, [&](const auto& one) {
      return std::tuple(one.first, std::string_view(here[one.second].skill), one.second);
    });
    result.total = static_cast<std::int64_t>(ranked.size());
    ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(params.limit)));
    for (const auto& [rank, index] : ranked) {
      result.skills.push_back(std::move(here[index]));
    }
  };
  AWAIT_DONE(runtime::offload(call.pool, std::move(choose)));
  co_return result;
}

} // namespace upskill::daemon
