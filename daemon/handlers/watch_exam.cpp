#include "daemon/handlers/watch_exam.h"

#include "daemon/await.h"
#include "daemon/handlers/configuration.h"
#include "daemon/handlers/watch_history.h"
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

} // namespace

asio::awaitable<Result<std::shared_ptr<const WatchExam>>>
open_exam(WatchRoom room, SkillKey skill, std::size_t together) {
  const EngineContext& engine = room.library.service().context();
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, room.library.catalogue({}));
  CO_TRY(catalogue);
  auto exam = std::make_shared<WatchExam>();
  exam->skill = skill;
  FoundConfig config;
  auto read = [&]() -> Result<void> {
    std::optional<std::uint32_t> row = row_of(**catalogue, skill);
    if (!row) {
      return fail(ErrorCode::not_found, "the skill is not there any more");
    }
    TRY_ASSIGN(SkillPlace place, place_of(**catalogue, *row));
    exam->folder = place.folder;
    TRY_ASSIGN(exam->version, read_version(place));
    exam->problems = tier_zero(place, exam->version);
    TRY_ASSIGN(config, find_config({}, engine.places));
    if (!skill.first.empty()) { // what the project says may only narrow that
      CallContext inside;
      inside.cwd = skill.first;
      TRY_ASSIGN(FoundConfig project, find_config(inside, engine.places));
      config.config.project_watch = std::move(project.config.project_watch);
    }
    return {};
  };
  AWAIT(Result<void> done, runtime::offload(engine.pool(), std::move(read)));
  CO_TRY(done);
  std::optional<store::AcceptedRow> accepted;
  auto find = [&](store::EvalStore& store) -> Result<void> {
    TRY_ASSIGN(accepted, store::RegressionStore(store).accepted(watch_key(skill)));
    return {};
  };
  AWAIT(done, room.journal.with(std::move(find)));
  CO_TRY(done);
  if (!accepted) {
    co_return fail(ErrorCode::not_found, "no version of it was accepted");
  }
  auto compare = [&]() -> Result<void> {
    exam->accepted = accepted->version;
    TRY_ASSIGN(exam->record, read_record(accepted->record));
    TRY_ASSIGN(WatchedVersion before, version_of(exam->record));
    exam->changed = regression::changed_parts(view_of(before), view_of(exam->version));
    exam->needed = regression::needed_tests(exam->changed);
    const bool is_trusted = accepted->watch_file == exam->version.watch_hash;
    std::vector<std::string> warnings;
    exam->settings = config::settings_of(skill.second,
                                         config.config.watch,
                                         config.config.project_watch,
                                         exam->version.watch_file.settings,
                                         is_trusted ? regression::FileTrust::trusted
                                                    : regression::FileTrust::untrusted,
                                         warnings);
    std::ranges::move(warnings, std::back_inserter(exam->problems));
    const config::Watch& own = config.config.watch;
    exam->total = config::total_budget(own, config.config.project_watch);
    const std::int64_t most = config::ask_above(own, config.config.project_watch);
    if (exam->settings.mode == regression::WatchMode::automatic
        && static_cast<std::int64_t>(together) > most) {
      exam->settings.mode = regression::WatchMode::ask;
      exam->problems.push_back(std::to_string(together)
                               + " skills were changed at once, more than `watch.ask_above`: none "
                                 "is tested without a word");
    }
    return {};
  };
  AWAIT(done, runtime::offload(engine.pool(), std::move(compare)));
  CO_TRY(done);
  // Only what may be tested is a look: each of them spends some of what all share.
  if (!exam->needed.none() && exam->settings.mode != regression::WatchMode::off) {
    auto count = [&](store::EvalStore& store) -> Result<void> {
      TRY_ASSIGN(exam->look,
                 store::RegressionStore(store).look_number(
                     watch_key(skill), exam->accepted, exam->version.hash));
      return {};
    };
    AWAIT(done, room.journal.with(std::move(count)));
    CO_TRY(done);
  }
  AWAIT_DONE(note_version(room, skill, exam->folder, exam->version.hash));
  co_return std::shared_ptr<const WatchExam>(std::move(exam));
}

} // namespace upskill::daemon
