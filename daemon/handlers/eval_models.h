#pragma once
#include "daemon/generation/sampling_desk.h"
#include "daemon/handlers/eval_request.h"
#include "daemon/models/budget.h"
#include "daemon/models/cached.h"
#include "daemon/models/cassette.h"
#include "daemon/models/curl.h"
#include "daemon/models/model.h"
#include "daemon/models/model_name.h"
#include "daemon/runtime/pool.h"
#include "protocol/base/result.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace upskill::daemon {

struct EvalModelOptions {
  models::Environment environment = {}; // of the call: keys, base URLs, proxies
  std::string base_url = {};
  bool fresh = false;
  std::size_t in_flight = 0; // requests at a time; 0: as many as the server takes
  models::BudgetLimits limits = {};
  std::optional<models::Cassette> record = {};
  std::optional<models::Cassette> replay = {};
  models::Budget* budget = nullptr; // shared with other models, which it outlives; none: its own
  generation::SamplingDesk* sampling = nullptr; // where the calling agent is asked, if it may be
  std::string client = {};                      // whose model that is
  // Nobody is asked whose answer costs something: only what was answered before counts. Set where
  // an answer was wanted that is not there.
  bool* missing = nullptr;
};

// The models of one evaluation, students' and judges', under one budget. Each is made when it is
// first asked for.
// Owner: a call. Thread: the daemon's. Lifetime: longer than every answer; `http`, `answers` and
// `scripts` longer still.
class EvalModels {
public:
  EvalModels(asio::any_io_executor executor,
             models::Http& http,
             models::AnswerStore& answers,
             runtime::Pool::Share pool,
             EvalModelOptions options,
             const std::map<std::string, NamedScript>& scripts);

  models::Model& model(const std::string& name);
  // Whether there is such a model, as far as its name tells. Errors as of resolve_model.
  Result<void> check(const std::string& name) const;
  // Whether its server wants a key, and none is there.
  bool lacks_key(const std::string& name) const;
  // Provider, id and server behind a name, as people are shown them; empty for a name that means
  // nothing (asking it tells why).
  std::string resolved(const std::string& name) const;

  const models::Environment& environment() const { return m_options.environment; }

  const EvalModelOptions& options() const { return m_options; }

  models::Budget& budget() { return m_budget; }

private:
  std::unique_ptr<models::Model> make(const std::string& name);
  std::unique_ptr<models::Model> make_scripted(const std::string& name);
  std::unique_ptr<models::Model> make_agent(const std::string& name);
  std::unique_ptr<models::Model> make_sampling();
  std::unique_ptr<models::Model> make_http();

  asio::any_io_executor m_executor;
  models::Http& m_http;
  models::AnswerStore& m_answers;
  runtime::Pool::Share m_pool;
  EvalModelOptions m_options;
  const std::map<std::string, NamedScript>& m_scripts;
  std::optional<models::Budget> m_own_budget;
  models::Budget& m_budget;
  std::map<std::string, std::unique_ptr<models::Model>> m_made; // behind HTTP: under no name
};

} // namespace upskill::daemon
