#include "daemon/handlers/eval_models.h"

#include "daemon/models/chain.h"
#include "daemon/models/http_model.h"
#include "daemon/models/record.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {

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
    , m_budget(std::move(executor), m_options.limits) {}

models::Model& EvalModels::model(const std::string& name) {
  bool scripted = is_scripted(name);
  std::unique_ptr<models::Model>& made = m_made[scripted ? name : std::string()];
  if (!made) {
    made = scripted ? make_scripted(name) : make_http();
  }
  return *made;
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
  return models::chained(
      m_executor,
      std::make_unique<models::HttpModel>(m_executor, m_http, std::move(options)),
      std::move(chain));
}

Result<void> EvalModels::check(const std::string& name) const {
  if (!is_scripted(name)) {
    TRY(models::resolve_model(name, m_options.base_url, m_options.environment));
  }
  return {};
}

std::string EvalModels::resolved(const std::string& name) const {
  if (is_scripted(name)) {
    return "scripted answers of `" + name.substr(k_scripted.size()) + "`, no model";
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
