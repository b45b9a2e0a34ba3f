#include "daemon/handlers/propose_draft.h"

#include "daemon/await.h"
#include "daemon/capture/redaction_file.h"
#include "daemon/generation/draft_look.h"
#include "daemon/generation/generation.h"
#include "daemon/handlers/configuration.h"
#include "daemon/handlers/eval_options.h"
#include "daemon/handlers/generate_evidence.h"
#include "daemon/handlers/generate_request.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/atomic_file.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_sessions = 5; // that a skill is drafted from: the newest say most
constexpr std::size_t k_tokens = 24'000;   // of each
constexpr std::size_t k_max_script = 8u << 20;

struct Ready {
  std::string model = {};
  EvalModelOptions options = {};
  std::map<std::string, NamedScript> scripts = {};
  std::optional<redact::RuleSet> rules = {};
};

Result<Ready> read(const TopicToDraft& topic,
                   const RequestContext& context,
                   const Places& places,
                   const std::string& user_rules) {
  Ready ready;
  TRY_ASSIGN(FoundConfig config, find_config(context.caller, places));
  ready.model =
      topic.params.model.empty() ? config.config.skill_generation_model : topic.params.model;
  EvalParams params;
  params.base_url = topic.params.base_url;
  params.fresh = topic.params.fresh;
  params.budget = topic.budget;
  TRY_ASSIGN(ready.options, read_model_options(params, context, places));
  TRY_ASSIGN(ready.rules, capture::read_rules(user_rules));
  if (is_scripted(ready.model)) {
    std::string path = ready.model.substr(k_scripted.size());
    TRY_ASSIGN(std::string text,
               read_file(normalized_path(path, context.caller.cwd), k_max_script));
    TRY_ASSIGN(models::Script script, models::read_script(text, path));
    ready.scripts.emplace(ready.model, NamedScript{std::move(script), std::move(text)});
  }
  return ready;
}

std::string task_of(const TopicToDraft& topic) {
  std::string task = "What comes up again and again in these sessions: " + topic.topic.intent;
  return task;
}

DraftedSkill skill_of(const generate::Draft& draft, const std::string& model) {
  DraftedSkill skill;
  skill.name = draft.name;
  skill.files["SKILL.md"] = {generate::write_document(draft), false};
  for (const auto& [path, file] : draft.files) {
    skill.files[path] = {file.text, file.is_program};
  }
  skill.model = model;
  skill.warnings = draft.warnings;
  return skill;
}

class TopicDrafter {
public:
  explicit TopicDrafter(GenerateRoom room)
      : m_room(room) {}

  Awaitable<DraftedTopic> draft(TopicToDraft topic, RequestContext context) {
    const EngineContext& engine = m_room.library.service().context();
    runtime::Pool::Share share = m_room.library.pool(context);
    auto prepare = [&] {
      return read(topic, context, engine.places, m_room.desk.options().user_rules);
    };
    AWAIT(Result<Ready> ready, runtime::offload(share, std::move(prepare)));
    CO_TRY(ready);
    std::vector<std::string> sessions = topic.topic.sessions;
    sessions.resize(std::min(sessions.size(), k_most_sessions));
    auto gather = [&](archive::Archive& archive) {
      return gather_evidence(archive, sessions, k_tokens, context, m_room.desk.now_ms());
    };
    AWAIT(Result<GatheredEvidence> evidence, m_room.desk.with(std::move(gather)));
    CO_TRY(evidence);

    auto executor = engine.io.get_executor();
    EvalModels models(
        executor, m_room.http, m_room.journal, share, std::move(ready->options), ready->scripts);
    CO_TRY(models.check(ready->model));
    std::set<std::string> names;
    for (const generate::KnownSkill& known : topic.known) {
      names.insert(known.name);
    }
    generation::DraftLook look(
        engine.pool(), share, m_sandbox, {*ready->rules, {}, {}, [&names](const std::string& name) {
                                            return names.contains(name);
                                          }});
    generation::StudentRoom nobody(executor, engine.pool(), share, m_sandbox, {});
    generation::Writer teacher(models.model(ready->model), ready->model);
    generation::GenerationInputs inputs;
    inputs.brief.task = task_of(topic);
    inputs.evidence = std::move(evidence->texts);
    inputs.loop.evaluates = false;
    generation::GenerationHooks hooks;
    hooks.look = [&look](generate::Draft draft, bool is_last) {
      return look.look(std::move(draft), is_last);
    };
    hooks.stopped = [&models] { return models.budget().stopped(); };
    generation::Generation generation(
        executor, std::move(inputs), {teacher, teacher, nullptr}, nobody, std::move(hooks));
    AWAIT_DONE(generation.run());
    m_room.http.rest();
    const generate::Loop& loop = generation.loop();
    const generate::Ending& ending = *loop.ending();
    DraftedTopic drafted;
    drafted.cost = models.budget().totals().cost;
    if (ending.kind == generate::Ending::Kind::not_warranted) {
      drafted.reply = generate::NotWarranted{ending.why};
      co_return drafted;
    }
    if (ending.error) {
      co_return fail(*ending.error);
    }
    if (!ending.draft) {
      co_return fail(ErrorCode::refused, ending.why);
    }
    drafted.reply = skill_of(loop.attempts()[*ending.draft].draft, ready->model);
    co_return drafted;
  }

private:
  GenerateRoom m_room;
  sandbox::Sandbox m_sandbox;
};

} // namespace

DraftTopic topic_drafter(GenerateRoom room) {
  auto drafter = std::make_shared<TopicDrafter>(room);
  return [drafter](TopicToDraft topic, RequestContext context) {
    return drafter->draft(std::move(topic), std::move(context));
  };
}

} // namespace upskill::daemon
