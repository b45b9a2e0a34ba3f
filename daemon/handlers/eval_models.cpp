#include "daemon/handlers/eval_models.h"

#include "daemon/generation/agent_model.h"
#include "daemon/models/chain.h"
#include "daemon/models/http_model.h"
#include "daemon/models/record.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

// One that cannot be asked, and says why.
class NoModel : public models::Model {
public:
  explicit NoModel(Error why)
      : m_why(std::move(why)) {}

  asio::awaitable<Result<models::Answer>> answer(models::Request) override {
    co_return fail(m_why);
  }

private:
  Error m_why;
};

// Stands where nobody may be asked, and tells that somebody would have been.
class UnaskedModel : public models::Model {
public:
  explicit UnaskedModel(bool& missing)
      : m_missing(missing) {}

  asio::awaitable<Result<models::Answer>> answer(models::Request) override {
    m_missing = true;
    co_return fail(ErrorCode::unavailable, "it was not answered before, and nobody is asked");
  }

private:
  bool& m_missing;
};

// Models behind HTTP are one, which is told the name with each request.
bool has_model_of_its_own(const std::string& name) {
  return is_scripted(name) || generation::is_agent(name) || name == generation::k_sampling;
}

Error no_sampling() {
  return {ErrorCode::unsupported,
          "`sampling` asks the agent that calls, and there is none, or it offers no sampling",
          "name the model of a server, or `cli.claude-code`"};
}

} // namespace

EvalModels::EvalModels(asio::any_io_executor executor,
                       models::Http& http,
                       models::AnswerStore& answers,
                       runtime::Pool::Share pool,
                       EvalModelOptions options,
                       const std::map<std::string, NamedScript>& scripts)
    : m_executor(executor)
    , m_http(http)
    , m_answers(answers)
    , m_pool(std::move(pool))
    , m_options(std::move(options))
    , m_scripts(scripts)
    , m_own_budget(std::in_place, std::move(executor), m_options.limits)
    , m_budget(m_options.budget != nullptr ? *m_options.budget : *m_own_budget) {}

models::Model& EvalModels::model(const std::string& name) {
  std::unique_ptr<models::Model>& made = m_made[has_model_of_its_own(name) ? name : std::string()];
  if (!made) {
    made = make(name);
  }
  return *made;
}

std::unique_ptr<models::Model> EvalModels::make(const std::string& name) {
  if (is_scripted(name)) {
    return make_scripted(name);
  }
  if (generation::is_agent(name)) {
    return make_agent(name);
  }
  return name == generation::k_sampling ? make_sampling() : make_http();
}

std::unique_ptr<models::Model> EvalModels::make_agent(const std::string& name) {
  students::CliAgentOptions options;
  options.base_url = m_options.base_url;
  options.environment = [sent = m_options.environment](std::string_view variable) {
    return sent(std::string(variable));
  };
  std::unique_ptr<models::Model> inner;
  if (m_options.missing != nullptr) {
    inner = std::make_unique<UnaskedModel>(*m_options.missing);
  } else {
    Result<std::unique_ptr<generation::AgentModel>> agent =
        generation::AgentModel::open(name, m_pool, std::move(options));
    if (!agent) {
      return std::make_unique<NoModel>(std::move(agent).error());
    }
    inner = std::move(*agent);
  }
  models::ChainOptions chain;
  chain.identify = generation::identify_agent();
  chain.gives_up = false;
  chain.answers = &m_answers;
  chain.fresh = m_options.fresh;
  return models::chained(m_executor, std::move(inner), std::move(chain));
}

std::unique_ptr<models::Model> EvalModels::make_sampling() {
  if (m_options.sampling == nullptr) {
    return std::make_unique<NoModel>(no_sampling());
  }
  models::ChainOptions chain; // whoever answers pays
  chain.identify = generation::identify_client(m_options.client);
  chain.gives_up = false;
  chain.answers = &m_answers; // also `fresh`: by them the next call gets to where this one ends
  return models::chained(m_executor,
                         std::make_unique<generation::SamplingModel>(*m_options.sampling),
                         std::move(chain));
}

std::unique_ptr<models::Model> EvalModels::make_scripted(const std::string& name) {
  const NamedScript& named = m_scripts.at(name);
  models::Identify identify = models::identify_script(named.text);
  if (m_options.replay) {
    return std::make_unique<models::ReplayModel>(std::move(identify), *m_options.replay, m_pool);
  }
  models::ChainOptions chain;
  chain.identify = std::move(identify);
  chain.price = models::price_of_scripts();
  chain.budget = &m_budget;
  chain.gives_up = false;
  chain.record = m_options.record;
  chain.pool.emplace(m_pool);
  return models::chained(
      m_executor, std::make_unique<models::ScriptedModel>(named.script), std::move(chain));
}

std::unique_ptr<models::Model> EvalModels::make_http() {
  models::Identify identify = models::identify_by(m_options.base_url, m_options.environment);
  if (m_options.replay) {
    return std::make_unique<models::ReplayModel>(std::move(identify), *m_options.replay, m_pool);
  }
  models::HttpModelOptions options;
  options.environment = m_options.environment;
  options.base_url = m_options.base_url;
  options.in_flight = m_options.in_flight;
  if (m_options.limits.time) { // nobody waits longer for one answer than for all
    options.deadlines.total = std::min(options.deadlines.total, *m_options.limits.time);
    options.deadlines.first_byte = std::min(options.deadlines.first_byte, options.deadlines.total);
  }
  models::ChainOptions chain;
  chain.identify = std::move(identify);
  chain.price = models::price_by(m_options.base_url, m_options.environment);
  chain.budget = &m_budget;
  chain.answers = &m_answers;
  chain.fresh = m_options.fresh;
  chain.record = m_options.record;
  chain.pool.emplace(m_pool);
  if (m_options.missing != nullptr) {
    chain.gives_up = false;
    return models::chained(
        m_executor, std::make_unique<UnaskedModel>(*m_options.missing), std::move(chain));
  }
  return models::chained(
      m_executor,
      std::make_unique<models::HttpModel>(m_executor, m_http, std::move(options)),
      std::move(chain));
}

Result<void> EvalModels::check(const std::string& name) const {
  if (generation::is_agent(name)) {
    std::string agent = name.substr(0, name.find(':'));
    if (students::find_cli_agent(agent) == nullptr) {
      return fail(ErrorCode::not_found, "no agent is called `" + agent + "`");
    }
  } else if (name == generation::k_sampling && m_options.sampling == nullptr) {
    return fail(no_sampling());
  } else if (!has_model_of_its_own(name)) {
    TRY(models::resolve_model(name, m_options.base_url, m_options.environment));
  }
  return {};
}

bool EvalModels::lacks_key(const std::string& name) const {
  if (has_model_of_its_own(name) || m_options.replay) {
    return false;
  }
  Result<models::ResolvedModel> model =
      models::resolve_model(name, m_options.base_url, m_options.environment);
  return model && model->is_key_needed
         && m_options.environment(model->key_variable).value_or("").empty();
}

std::string EvalModels::resolved(const std::string& name) const {
  if (is_scripted(name)) {
    return "scripted answers of `" + name.substr(k_scripted.size()) + "`, no model";
  }
  if (generation::is_agent(name)) {
    return "the coding agent `" + name.substr(0, name.find(':')) + "`, by its own account";
  }
  if (name == generation::k_sampling) {
    return "the agent that calls, by its own account";
  }
  Result<models::ResolvedModel> found =
      models::resolve_model(name, m_options.base_url, m_options.environment);
  if (!found) {
    return {};
  }
  std::string effort = found->effort.empty() ? "" : " (" + found->effort + ")";
  return found->provider + " " + found->id + effort + " at "
         + models::host_and_port(found->base_url);
}

} // namespace upskill::daemon
