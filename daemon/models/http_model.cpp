#include "daemon/models/http_model.h"

#include "daemon/await.h"
#include "daemon/models/retry.h"
#include "daemon/runtime/timers.h"
#include "protocol/base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace upskill::models {
namespace {

// In [0, 1): jitter needs no more.
double system_random() {
  std::array<unsigned char, 8> bytes{};
  fill_random(bytes);
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  return static_cast<double>(number >> 11) * 0x1p-53;
}

std::int64_t system_unix_ms() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view k_space = " \t\r\n";
  std::size_t first = text.find_first_not_of(k_space);
  std::size_t last = text.find_last_not_of(k_space);
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

// Servers like to repeat the key that they did not take.
void hide(std::string& text, const std::string& key) {
  for (std::size_t at = key.size() < 4 ? std::string::npos : text.find(key);
       at != std::string::npos;
       at = text.find(key, at)) {
    text.replace(at, key.size(), "[hidden]");
  }
}

int most_attempts(const Failure& failure, const WireTarget& target) {
  if (!failure.is_nobody_there) {
    return k_most_attempts;
  }
  return is_loopback(target.model.base_url) ? 1 : k_most_attempts_at_nobody;
}

std::string server_and_model(const ResolvedModel& model) {
  return model.base_url + " " + model.id;
}

} // namespace

// One of the exchanges that a provider is given; whoever waits for one is told when it ends.
// Owner: the frame of a try. Thread: the model's. Lifetime: the try's, and not the model's end.
class HttpModel::Place {
public:
  Place(Concurrency& flow, runtime::Condition& freed)
      : m_flow(flow)
      , m_freed(freed) {
    m_flow.begin();
  }

  ~Place() {
    m_flow.end();
    m_freed.notify_all();
  }

  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

private:
  Concurrency& m_flow;
  runtime::Condition& m_freed;
};

HttpModel::HttpModel(asio::any_io_executor executor, Http& http, HttpModelOptions options)
    : m_http(http)
    , m_options(std::move(options))
    , m_freed(std::move(executor)) {
  if (!m_options.random) {
    m_options.random = system_random;
  }
  if (!m_options.unix_ms) {
    m_options.unix_ms = system_unix_ms;
  }
  if (!m_options.environment) {
    m_options.environment = [](const std::string&) { return std::nullopt; };
  }
}

Result<WireTarget> HttpModel::target_of(const Request& request) const {
  TRY_ASSIGN(ResolvedModel model,
             resolve_model(request.model, m_options.base_url, m_options.environment));
  WireTarget target{.model = std::move(model)};
  const std::string& variable = target.model.key_variable;
  target.key = trimmed(m_options.environment(variable).value_or(""));
  if (target.key.empty() && target.model.is_key_needed) {
    return fail(ErrorCode::permission,
                fmt::format("there is no key for the models of `{}`", target.model.provider),
                fmt::format("set `{}`", variable));
  }
  auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (std::ranges::any_of(target.key, is_control)) {
    return fail(ErrorCode::permission,
                fmt::format("the key in `{}` has characters that no key has", variable),
                "copy it again");
  }
  auto known = m_rejected.find(server_and_model(target.model));
  if (known != m_rejected.end()) {
    target.left_out = known->second;
  }
  return target;
}

// A number that somebody has named is fixed: it neither grows nor shrinks.
Concurrency& HttpModel::flow_of(const ResolvedModel& model) {
  ConcurrencyLimits limits;
  if (m_options.in_flight > 0) {
    limits.start = limits.least = limits.most = static_cast<double>(m_options.in_flight);
  }
  return m_flows.try_emplace(model.provider + " " + model.base_url, limits).first->second;
}

asio::awaitable<Result<Answer>> HttpModel::answer(Request request) {
  CO_TRY_ASSIGN(WireTarget target, target_of(request));
  std::string key = target.key;
  AWAIT(Result<Answer> answer, answer_in_tries(std::move(request), std::move(target)));
  if (!answer) {
    hide(answer.error().message, key);
    hide(answer.error().hint, key);
  }
  co_return answer;
}

asio::awaitable<Result<Answer>> HttpModel::answer_in_tries(Request request, WireTarget target) {
  std::string known_as = server_and_model(target.model);
  Concurrency& flow = flow_of(target.model);
  for (int attempt = 1;;) {
    while (!flow.may_begin()) {
      co_await m_freed.wait();
    }
    AnswerOrFailure outcome = tl::make_unexpected(Failure{});
    {
      Place place(flow, m_freed);
      AWAIT(outcome, answer_once(request, target));
      note(flow, outcome);
    }
    if (outcome) {
      co_return std::move(*outcome);
    }
    Failure failure = std::move(outcome).error();
    if (!failure.rejected_field.empty() && !target.leaves_out(failure.rejected_field)) {
      target.left_out.push_back(failure.rejected_field);
      learn(known_as, failure.rejected_field);
      continue; // no try of its own: at most one for each field there is
    }
    if (!failure.may_retry || attempt >= most_attempts(failure, target)) {
      co_return fail(std::move(failure.error));
    }
    if (m_options.on_retry) {
      Error shown = failure.error;
      hide(shown.message, target.key);
      m_options.on_retry(shown);
    }
    AWAIT_DONE(runtime::wait_for(pause_after(attempt, failure.wait, m_options.random())));
    ++attempt;
  }
}

asio::awaitable<AnswerOrFailure> HttpModel::answer_once(Request request, WireTarget target) {
  std::string where = host_and_port(target.model.base_url);
  Result<WireCall> call = write_call(request, target);
  if (!call) {
    co_return tl::make_unexpected(Failure{.error = std::move(call).error()});
  }
  std::unique_ptr<AnswerReader> reader = make_reader(target.model.wire);
  HttpRequest exchange{.url = std::move(call->url),
                       .headers = std::move(call->headers),
                       .body = std::move(call->body),
                       .deadlines = m_options.deadlines,
                       .longest_body = k_longest_answer,
                       .environment = m_options.environment};
  bool is_nobody_there = false;
  exchange.found_nobody = &is_nobody_there;
  AnswerReader* reading = reader.get();
  exchange.on_body = [reading](std::string_view bytes) { return reading->take(bytes); };
  runtime::Clock::time_point begun = runtime::Clock::now();
  AWAIT(Result<HttpResponse> response, m_http.perform(std::move(exchange)));
  if (!response) {
    bool is_passing = response.error().code == ErrorCode::unavailable
                      || response.error().code == ErrorCode::timed_out;
    co_return tl::make_unexpected(Failure{.error = std::move(response).error(),
                                          .may_retry = is_passing && !reader->has_content(),
                                          .is_nobody_there = is_nobody_there});
  }
  AnswerOrFailure answer = reader->finish(
      response->status, response->headers, m_options.unix_ms(), where, target.model.id);
  if (answer) {
    auto took = runtime::Clock::now() - begun;
    answer->milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    answer->provider = target.model.provider;
    answer->model = answer->model.empty() ? target.model.id : answer->model;
    answer->cost = cost_of(target.model, answer->usage);
    if (!request.answer_schema.empty() && answer->calls.empty()) {
      answer->text = std::string(without_fence(answer->text));
    }
  }
  co_return answer;
}

void HttpModel::learn(const std::string& model, const std::string& field) {
  std::vector<std::string>& fields = m_rejected[model];
  if (std::ranges::find(fields, field) == fields.end()) {
    fields.push_back(field);
  }
}

void HttpModel::note(Concurrency& flow, const AnswerOrFailure& outcome) const {
  runtime::Clock::time_point now = runtime::Clock::now();
  if (outcome) {
    flow.answered(now);
  } else if (outcome.error().is_rate_limit) {
    flow.limited(now, outcome.error().wait.value_or(std::chrono::milliseconds(0)));
  } else if (outcome.error().may_retry) {
    flow.troubled(now);
  }
}

} // namespace upskill::models
