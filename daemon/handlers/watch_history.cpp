#include "daemon/handlers/watch_history.h"

#include "daemon/await.h"
#include "daemon/handlers/watch_history_record.h"
#include "daemon/handlers/watch_history_rows.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "protocol/methods.h"
#include "skills/store/regression_store.h"

#include <algorithm>
#include <map>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_limit = 50;
constexpr std::int64_t k_most = 1000;
constexpr std::size_t k_most_evaluations = 8; // of one version that are read
constexpr std::string_view k_now = "now";
constexpr std::string_view k_accepted = "accepted";

// What is asked for, and what the disk says of it.
struct Wanted {
  std::string name = {};                 // empty: all skills
  std::optional<SkillKey> skill = {};    // where it is there
  std::optional<Error> unknown = {};     // why it is not
  std::optional<FolderVersion> now = {}; // read where something is compared
};

// A version that is compared.
struct Compared {
  HistoryVersion told = {};
  VersionRecord record = {};
  std::string problem = {}; // why there is no record
};

Result<void> check(const EvalHistoryParams& params) {
  if (params.limit && (*params.limit < 1 || *params.limit > k_most)) {
    return fail(ErrorCode::invalid_argument, "params.limit: it is from 1 to 1,000");
  }
  if (params.skill.empty() && (!params.from.empty() || !params.to.empty())) {
    return fail(ErrorCode::invalid_argument,
                "params.skill: only versions of one skill can be compared",
                "name it: `upskill runs --history --skill NAME --from HASH`");
  }
  return {};
}

Result<Wanted>
read_wanted(const Catalogue& catalogue, const EvalHistoryParams& params, const std::string& cwd) {
  Wanted wanted;
  if (params.skill.empty()) {
    return wanted;
  }
  Result<SkillPlace> place = find_skill(catalogue, params.skill, cwd);
  if (!place) { // it may have been there
    wanted.name = base_name(normalized_path(params.skill, "/"));
    wanted.unknown = std::move(place).error();
    if (wanted.name.empty()) { // `.`, which must not mean all of them
      return fail(std::move(*wanted.unknown));
    }
    return wanted;
  }
  const Catalogue::Row& row = catalogue.row(*place->row);
  wanted.skill = SkillKey{catalogue.project(row), std::string(catalogue.name(row))};
  wanted.name = wanted.skill->second;
  if (!params.from.empty() || !params.to.empty()) {
    TRY_ASSIGN(wanted.now, read_folder_version(*place));
  }
  return wanted;
}

// Reads evals.db: on its thread.
class HistoryReader {
public:
  HistoryReader(store::EvalStore& evals, const Wanted& wanted)
      : m_evals(evals)
      , m_store(evals)
      , m_wanted(wanted) {}

  Result<EvalHistoryResult> read(const EvalHistoryParams& params) {
    TRY(list());
    if (m_versions.empty() && m_wanted.unknown) {
      return fail(*m_wanted.unknown);
    }
    EvalHistoryResult result;
    result.skill = to_valid_utf8(m_wanted.name);
    auto limit = static_cast<std::size_t>(params.limit.value_or(k_limit));
    for (std::size_t i = 0; i < std::min(limit, m_versions.size()); ++i) {
      TRY_ASSIGN(HistoryVersion told, tell(m_versions[i]));
      result.versions.push_back(std::move(told));
    }
    result.more = static_cast<std::int64_t>(m_versions.size() - result.versions.size());
    if (!params.from.empty() || !params.to.empty()) {
      TRY_ASSIGN(result.diff,
                 compare(params.from.empty() ? std::string(k_accepted) : params.from,
                         params.to.empty() ? std::string(k_now) : params.to));
    }
    return result;
  }

private:
  Result<void> list() {
    TRY_ASSIGN(std::vector<store::VersionRow> rows, m_store.list_versions({}, -1));
    TRY_ASSIGN(std::vector<store::AcceptedRow> accepted, m_store.list_accepted({}, -1));
    for (const store::AcceptedRow& row : accepted) {
      m_accepted.emplace(skill_of(row.skill), row.version); // the last comes first
    }
    for (const store::VersionRow& row : rows) {
      VersionRows version{skill_of(row.skill), row.version, row.first_ms};
      if (!m_wanted.name.empty() && version.skill.second != m_wanted.name) {
        continue;
      }
      auto found = m_accepted.find(version.skill);
      version.is_accepted = found != m_accepted.end() && found->second == row.version;
      m_versions.push_back(std::move(version));
    }
    TRY_ASSIGN(std::vector<store::EvaluationRow> evaluations,
               m_evals.list_evaluations(m_wanted.name, -1));
    add_evaluations(m_versions, evaluations);
    return {};
  }

  Result<HistoryVersion> tell(VersionRows rows) {
    const std::string key = watch_key(rows.skill);
    TRY_ASSIGN(rows.accepted, m_store.accepted_version(key, rows.version));
    TRY_ASSIGN(rows.verdicts, m_store.verdicts_of(key, rows.version));
    rows.evaluations.resize(std::min(rows.evaluations.size(), k_most_evaluations));
    for (store::EvaluationRow& row : rows.evaluations) {
      TRY_ASSIGN(std::optional<store::EvaluationRow> whole, m_evals.find_evaluation(row.id));
      row.result = whole ? std::move(whole->result) : std::string();
    }
    return told_of(rows);
  }

  // Of one skill: where it is not there, of the user's own or the first that was.
  Result<HistoryDiff> compare(const std::string& from, const std::string& to) {
    m_skill = m_wanted.skill ? *m_wanted.skill
                             : std::ranges::min(m_versions, {}, &VersionRows::skill).skill;
    TRY_ASSIGN(Compared one, find(from));
    TRY_ASSIGN(Compared other, find(to));
    HistoryDiff diff;
    for (const Compared* of : {&one, &other}) {
      if (!of->problem.empty()) {
        diff.problems.push_back(of->problem);
      }
    }
    if (diff.problems.empty()) {
      RecordDiff files = diff_records(one.record, other.record);
      diff.files = std::move(files.files);
      diff.more = files.more;
    }
    diff.from = std::move(one.told);
    diff.to = std::move(other.told);
    return diff;
  }

  bool is_of_skill(const VersionRows& rows) const {
    return rows.skill == m_skill || rows.is_only_evaluated;
  }

  Result<Digest> version_of(const std::string& word) const {
    if (word == k_now) {
      if (!m_wanted.now) {
        return fail(ErrorCode::not_found,
                    "the skill " + in_backticks(m_wanted.name) + " is not there now",
                    "name two versions that it had with `--from` and `--to`");
      }
      return m_wanted.now->hash;
    }
    if (word == k_accepted) {
      auto found = m_accepted.find(m_skill);
      if (found == m_accepted.end()) {
        return fail(ErrorCode::not_found,
                    "no version of " + in_backticks(m_wanted.name) + " was accepted",
                    "`upskill eval accept` accepts one; `--from HASH` names another");
      }
      return found->second;
    }
    std::vector<Digest> known;
    for (const VersionRows& rows : m_versions) {
      if (is_of_skill(rows)) {
        known.push_back(rows.version);
      }
    }
    if (m_wanted.now) {
      known.push_back(m_wanted.now->hash);
    }
    return version_called(word, known);
  }

  Result<Compared> find(const std::string& word) {
    TRY_ASSIGN(Digest version, version_of(word));
    auto found = std::ranges::find_if(m_versions, [&](const VersionRows& rows) {
      return rows.version == version && is_of_skill(rows);
    });
    Compared compared;
    VersionRows unseen{m_skill, version};
    TRY_ASSIGN(compared.told, tell(found == m_versions.end() ? unseen : *found));
    const std::string key = watch_key(m_skill);
    TRY_ASSIGN(std::optional<store::VersionRow> row, m_store.find_version(key, version));
    if (row) {
      TRY_ASSIGN(compared.record, read_version_record(row->record));
      return compared;
    }
    if (m_wanted.now && m_wanted.now->hash == version) {
      compared.record = m_wanted.now->record;
      return compared;
    }
    TRY_ASSIGN(std::optional<store::AcceptedRow> accepted, m_store.accepted_version(key, version));
    if (accepted) {
      TRY_ASSIGN(AcceptedRecord record, read_record(accepted->record));
      compared.record = version_record_of(record);
      return compared;
    }
    compared.problem =
        "the files of `" + version.brief() + "` are not kept: those of watched versions are";
    return compared;
  }

  store::EvalStore& m_evals;
  store::RegressionStore m_store;
  const Wanted& m_wanted;
  std::vector<VersionRows> m_versions = {};
  std::map<SkillKey, Digest> m_accepted = {};
  SkillKey m_skill = {};
};

Awaitable<EvalHistoryResult>
tell_history(WatchRoom room, EvalHistoryParams params, RequestContext context) {
  if (!context.principal.empty()) { // a job of an agent's comes this way, too
    co_return fail(ErrorCode::refused,
                   "only a person may look at the history of skills",
                   "`upskill runs --history` on the command line");
  }
  CO_TRY(check(params));
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue,
        room.library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto look = [&] { return read_wanted(**catalogue, params, context.caller.cwd); };
  AWAIT(Result<Wanted> wanted, runtime::offload(room.library.pool(context), std::move(look)));
  CO_TRY(wanted);
  auto read = [&](store::EvalStore& store) { return HistoryReader(store, *wanted).read(params); };
  AWAIT(Result<EvalHistoryResult> result, room.journal.with(std::move(read)));
  co_return result;
}

} // namespace

asio::awaitable<bool>
note_version(WatchRoom room, SkillKey skill, std::string folder, Digest version) {
  const EngineContext& engine = room.library.service().context();
  store::VersionRow row{watch_key(skill), version};
  auto is_kept = [&](store::EvalStore& store) {
    return store::RegressionStore(store).has_version(row.skill, row.version);
  };
  AWAIT(Result<bool> kept, room.journal.with(std::move(is_kept)));
  if (kept && *kept) {
    co_return false;
  }
  auto read = [&]() -> Result<bool> {
    SkillPlace place{std::string(base_name(folder)), folder, real_path(parent_path(folder))};
    TRY_ASSIGN(FolderVersion now, read_folder_version(place));
    row.record = write_record(now.record);
    return now.hash == version;
  };
  AWAIT(Result<bool> is_still, runtime::offload(engine.pool(), std::move(read)));
  Result<void> done;
  if (is_still && *is_still) {
    row.first_ms = room.journal.now_ms();
    auto put = [&](store::EvalStore& store) -> Result<void> {
      TRY(store::RegressionStore(store).put_version(row));
      return {};
    };
    AWAIT(done, room.journal.with(std::move(put)));
  }
  const bool is_kept_now = is_still && *is_still && done;
  if (!is_still || !done) {
    engine.log.warning("a version of `{}` is not kept for its history: {}",
                       skill.second,
                       is_still ? done.error().message : is_still.error().message);
  }
  co_return is_kept_now;
}

asio::awaitable<void> forget_versions(WatchRoom room) {
  const std::int64_t now_ms = room.journal.now_ms();
  auto purge = [&](store::EvalStore& store) -> Result<void> {
    TRY(store::RegressionStore(store).purge(now_ms));
    return {};
  };
  AWAIT(Result<void> done, room.journal.with(std::move(purge)));
  if (!done) {
    room.library.service().context().log.warning("old versions of skills are not thrown away: {}",
                                                 done.error().message);
  }
}

void bind_history_handlers(Binder& binder, WatchRoom room) {
  binder.on(k_eval_history, [room](EvalHistoryParams params, RequestContext context) {
    return tell_history(room, std::move(params), std::move(context));
  });
}

} // namespace upskill::daemon
