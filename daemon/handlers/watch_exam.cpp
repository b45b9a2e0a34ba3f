#include "daemon/handlers/watch_exam.h"

#include "daemon/await.h"
#include "daemon/handlers/configuration.h"
#include "daemon/handlers/watch_tier_zero.h"
#include "daemon/runtime/offload.h"
#include "skills/config/watch.h"
#include "skills/store/regression_store.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

std::optional<std::uint32_t> row_of(const Catalogue& catalogue, const SkillKey& skill) {
  auto [first, last] = catalogue.find(skill.second);
  for (std::uint32_t row = first; row < last; ++row) {
    if (catalogue.project(catalogue.row(row)) == skill.first) {
      return row;
    }
  }
  return std::nullopt;
}

// What a person and the project that the skill lies in say of watching.
Result<config::Config> read_watch(const SkillKey& skill, const Places& places) {
  TRY_ASSIGN(FoundConfig own, find_config({}, places));
  if (!skill.first.empty()) { // what the project says may only narrow that
    CallContext inside;
    inside.cwd = skill.first;
    TRY_ASSIGN(FoundConfig project, find_config(inside, places));
    own.config.project_watch = std::move(project.config.project_watch);
  }
  return std::move(own.config);
}

void put_settings(WatchExam& exam,
                  const config::Config& config,
                  std::vector<std::string>& warnings) {
  exam.settings = config::settings_of(exam.skill.second,
                                      config.watch,
                                      config.project_watch,
                                      exam.version.watch_file.settings,
                                      exam.is_trusted ? regression::FileTrust::trusted
                                                      : regression::FileTrust::untrusted,
                                      warnings);
  exam.total = config::total_budget(config.watch, config.project_watch);
  exam.ask_above = config::ask_above(config.watch, config.project_watch);
}

// What became different, what that makes worth asking, and what may be asked.
Result<void>
compare(WatchExam& exam, const store::AcceptedRow& accepted, const config::Config& config) {
  exam.accepted = accepted.version;
  TRY_ASSIGN(WatchedVersion before, version_of(exam.record));
  exam.changed = regression::changed_parts(view_of(before), view_of(exam.version));
  exam.needed = regression::needed_tests(exam.changed);
  exam.accepted_ms = accepted.accepted_ms;
  exam.is_trusted = accepted.watch_file == exam.version.watch_hash;
  put_settings(exam, config, exam.seen.problems);
  return {};
}

} // namespace

asio::awaitable<Result<std::shared_ptr<const WatchExam>>>
open_exam(WatchRoom room, SkillKey skill, bool is_watched) {
  const EngineContext& engine = room.library.service().context();
  std::optional<store::AcceptedRow> accepted;
  if (is_watched) {
    auto find = [&](store::EvalStore& store) -> Result<void> {
      TRY_ASSIGN(accepted, store::RegressionStore(store).accepted(watch_key(skill)));
      return {};
    };
    AWAIT(Result<void> found, room.journal.with(std::move(find)));
    CO_TRY(found);
  }
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, room.library.catalogue({}));
  CO_TRY(catalogue);
  auto exam = std::make_shared<WatchExam>();
  exam->skill = skill;
  auto read = [&]() -> Result<void> {
    std::optional<std::uint32_t> row = row_of(**catalogue, skill);
    if (!row) {
      return fail(ErrorCode::not_found, "the skill is not there any more");
    }
    TRY_ASSIGN(SkillPlace place, place_of(**catalogue, *row));
    exam->folder = place.folder;
    TRY_ASSIGN(exam->version, read_version(place));
    if (accepted) {
      TRY_ASSIGN(exam->record, read_record(accepted->record));
    }
    exam->seen = tier_zero(place, exam->version, accepted ? &exam->record : nullptr);
    if (accepted) {
      TRY_ASSIGN(config::Config config, read_watch(skill, engine.places));
      TRY(compare(*exam, *accepted, config));
    }
    return {};
  };
  AWAIT(Result<void> done, runtime::offload(engine.pool(), std::move(read)));
  CO_TRY(done);
  co_return std::shared_ptr<const WatchExam>(std::move(exam));
}

asio::awaitable<Result<void>> refresh(WatchRoom room, WatchExam& exam) {
  const EngineContext& engine = room.library.service().context();
  auto read = [&]() -> Result<void> {
    TRY_ASSIGN(config::Config config, read_watch(exam.skill, engine.places));
    std::vector<std::string> told_before;
    put_settings(exam, config, told_before);
    return {};
  };
  AWAIT(Result<void> done, runtime::offload(engine.pool(), std::move(read)));
  CO_TRY(done);
  if (exam.was_told_to) {
    exam.settings.mode = regression::WatchMode::automatic;
  }
  auto find = [&](store::EvalStore& store) -> Result<void> {
    TRY_ASSIGN(exam.look,
               store::RegressionStore(store).next_look(
                   watch_key(exam.skill), exam.accepted.value_or(Digest()), exam.version.hash));
    return {};
  };
  AWAIT(done, room.journal.with(std::move(find)));
  co_return done;
}

asio::awaitable<Result<std::int64_t>> count_look(WatchRoom room, const WatchExam& exam) {
  auto count = [&](store::EvalStore& store) {
    return store::RegressionStore(store).look_number(
        watch_key(exam.skill), exam.accepted.value_or(Digest()), exam.version.hash);
  };
  AWAIT(Result<std::int64_t> number, room.journal.with(std::move(count)));
  co_return number;
}

} // namespace upskill::daemon
