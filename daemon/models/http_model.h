#pragma once
#include "daemon/models/concurrency.h"
#include "daemon/models/curl.h"
#include "daemon/models/model.h"
#include "daemon/models/model_name.h"
#include "daemon/models/wire.h"
#include "daemon/runtime/condition.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace upskill::models {

struct HttpModelOptions {
  Environment environment = {}; // of the call: keys, base URLs, proxies
  std::string base_url = {};    // as the call names it; empty: by the environment
  HttpDeadlines deadlines = {};
  std::size_t in_flight = 0;           // exchanges of a provider at a time; 0: as many as it takes
  std::function<double()> random = {}; // in [0, 1); none: the system's
  std::function<std::int64_t()> unix_ms = {};      // none: the system's clock
  std::function<void(const Error&)> on_retry = {}; // told of each try that failed and is repeated
};

// Models behind HTTP: name, wire, exchange, tries, answer with its cost. Requests of any number may
// be under way; each provider is given as many at a time as it takes.
// Owner: the part of the daemon that asks models, for one call's environment. Thread: that of its
// executor only. Lifetime: longer than its answers take; `http` longer still.
class HttpModel : public Model {
public:
  HttpModel(asio::any_io_executor executor, Http& http, HttpModelOptions options);

  asio::awaitable<Result<Answer>> answer(Request request) override;

private:
  class Place;

  Result<WireTarget> target_of(const Request& request) const;
  Concurrency& flow_of(const ResolvedModel& model);
  asio::awaitable<Result<Answer>> answer_in_tries(Request request, WireTarget target);
  asio::awaitable<AnswerOrFailure> answer_once(Request request, WireTarget target);
  void learn(const std::string& model, const std::string& field);
  void note(Concurrency& flow, const AnswerOrFailure& outcome) const;

  Http& m_http;
  HttpModelOptions m_options;
  std::map<std::string, Concurrency> m_flows;                 // by provider and server
  std::map<std::string, std::vector<std::string>> m_rejected; // fields, by server and model
  runtime::Condition m_freed;
};

} // namespace upskill::models
