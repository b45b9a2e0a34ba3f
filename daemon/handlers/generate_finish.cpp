#include "daemon/handlers/generate_finish.h"

#include "daemon/await.h"
#include "daemon/handlers/generate_result.h"
#include "daemon/handlers/generate_save.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utc.h"
#include "protocol/codec/codec.h"
#include "skills/eval/run_log.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace upskill::daemon {
namespace {

using Kind = generate::Ending::Kind;

// The cases that were written for it, which it keeps; those that it had stay where they are.
eval::CaseSuite new_cases(const generate::Loop& loop, const GenerateRequest& request) {
  eval::CaseSuite suite;
  std::size_t own = request.improved ? request.improved->own_cases.cases.size() : 0;
  const std::vector<eval::Case>& all = loop.suite().cases;
  for (std::size_t i = own; i < all.size(); ++i) {
    suite.cases.push_back(all[i]);
  }
  return suite;
}

generate::SkillMeta meta_of(const GenerateFinish& finish, const GenerateResult& result) {
  generate::SkillMeta meta;
  meta.generated_by = finish.params.model;
  meta.generated_at = rfc3339(finish.started_ms);
  meta.source_task = finish.params.task;
  if (!result.models.empty()) {
    meta.test_pass_rate = result.models.front().with_skill.rate;
  }
  meta.tests = new_cases(finish.loop, finish.request);
  return meta;
}

// Whether sync carries on what lies there.
bool is_synced(const Scene& scene, const std::string& folder) {
  std::string parent = real_path(parent_path(folder));
  return std::ranges::any_of(scene.scopes, [&](const sync::ScopeSetup& scope) {
    auto root = std::ranges::find(scope.roots, parent, &sync::RootSetup::path);
    if (!scope.enabled || root == scope.roots.end() || root->refused) {
      return false;
    }
    auto index = static_cast<sync::RootIndex>(root - scope.roots.begin());
    std::string_view name = base_name(folder);
    return !sync::is_excluded(scope, name) && !sync::is_left_alone(scope, index, name);
  });
}

Result<void> save_somewhere(GenerateFinish& finish, GenerateResult& result) {
  const Places& places = finish.room.library.service().context().places;
  const generate::Draft& draft = *finish.draft;
  generate::SkillMeta meta = meta_of(finish, result);
  bool is_for_inbox = !finish.is_person && finish.request.output.empty();
  Result<Saved> saved = is_for_inbox
                            ? put_into_inbox(draft, meta, result, places, finish.started_ms)
                            : save(draft, meta, finish.request, places, finish.started_ms);
  if (!saved) {
    Error error = std::move(saved).error();
    if (error.hint.empty()) {
      error.hint = "what models answered is kept: the same command with another `--output` goes on "
                   "from there";
    }
    return fail(std::move(error));
  }
  result.saved = std::move(saved->folder);
  result.hash = std::move(saved->hash);
  result.replaced = std::move(saved->replaced);
  if (is_for_inbox) {
    result.warnings.push_back("it waits in the inbox for a person: `upskill inbox accept "
                              + draft.name + "`");
  }
  return {};
}

// What the next reader of the logs wants to know beside the evaluation: drafts, evidence, roles.
void write_logs(GenerateFinish& finish, GenerateResult& result, EvalResult& evaluation) {
  write_outputs(finish.outputs, evaluation, finish.started_ms);
  result.logs = evaluation.logs;
  result.warnings.insert(
      result.warnings.end(), evaluation.warnings.begin(), evaluation.warnings.end());
  if (result.logs.empty()) {
    return;
  }
  GenerateResult logged = result;
  for (EvalModelReport& model : logged.models) {
    model.samples.clear(); // evaluation.json has them
    model.cases.clear();
  }
  Result<void> written = write_file_atomically(join_path(result.logs, "generation.json"),
                                               encode(logged) + "\n",
                                               0644,
                                               Durability::process_crash);
  if (!written) {
    result.warnings.push_back(written.error().message);
  }
}

// `scene` may be null: then nothing is known of sync.
Result<std::optional<store::EvaluationRow>>
finish_on_pool(GenerateFinish& finish, GenerateResult& result, const Scene* scene) {
  finish.request.copies.clear(); // here, where it may take its time
  const generate::Ending& ending = *finish.loop.ending();
  bool is_saved = is_to_be_saved(finish.params, ending);
  if (is_saved) {
    TRY(save_somewhere(finish, result));
    result.synced = scene != nullptr && is_synced(*scene, result.saved);
    if (ending.kind != Kind::better && ending.kind != Kind::unevaluated) {
      result.outcome = GenerateOutcome::kept_anyway;
    }
  } else {
    result.failed = result.why;
    if (finish.draft) {
      result.document = generate::write_document(*finish.draft);
    }
  }
  if (result.models.empty()) {
    return std::nullopt;
  }
  TRY_ASSIGN(EvalResult evaluation, evaluation_of(result, finish.loop, rfc3339(finish.started_ms)));
  write_logs(finish, result, evaluation);
  store::EvaluationRow row;
  row.id = evaluation.id;
  row.skill = evaluation.skill;
  row.skill_hash = evaluation.hash;
  row.started_ms = finish.started_ms;
  row.result = encode(evaluation);
  for (EvalModelReport& model : result.models) {
    model.samples.clear();
    model.cases.clear();
  }
  return row;
}

} // namespace

asio::awaitable<Result<void>> finish_generation(GenerateFinish finish, GenerateResult& result) {
  AWAIT(Result<std::shared_ptr<const Scene>> scene, finish.room.library.service().scene());
  const Scene* known = scene ? scene->get() : nullptr;
  auto work = [&] { return finish_on_pool(finish, result, known); };
  AWAIT(Result<std::optional<store::EvaluationRow>> row,
        runtime::offload(finish.share, std::move(work)));
  CO_TRY(row);
  if (*row) {
    (*row)->finished_ms = finish.room.journal.now_ms();
    auto keep = [&](store::EvalStore& store) -> Result<void> {
      TRY(store.put_evaluation(**row));
      return store.purge_evaluations().map([](auto&&...) {});
    };
    AWAIT(Result<void> kept, finish.room.journal.with(std::move(keep)));
    if (!kept) {
      result.warnings.push_back("it is not kept for `upskill report`: " + kept.error().message);
    }
  }
  co_return Result<void>();
}

} // namespace upskill::daemon
