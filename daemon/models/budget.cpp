#include "daemon/models/budget.h"

#include "daemon/await.h"
#include "protocol/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace upskill::models {
namespace {

constexpr double k_unbounded = std::numeric_limits<double>::infinity();
// Bytes of a token: some four in plain words, more than two in code and in most scripts.
constexpr std::int64_t k_usual_bytes = 4;
constexpr std::int64_t k_least_bytes = 2;
constexpr std::int64_t k_frame_tokens = 64; // around the texts
constexpr double k_rounding = 1e-9;         // of sums of dollars

std::int64_t bytes_of(const Request& request) {
  std::size_t bytes = request.system.size() + request.answer_schema.size();
  for (const Message& message : request.messages) {
    bytes += message.text.size();
    for (const ToolCall& call : message.calls) {
      bytes += call.name.size() + call.arguments.size();
    }
    for (const ToolResult& result : message.results) {
      bytes += result.text.size();
    }
  }
  for (const Tool& tool : request.tools) {
    bytes += tool.name.size() + tool.description.size() + tool.schema.size();
  }
  return static_cast<std::int64_t>(bytes);
}

std::optional<std::int64_t> tokens_of(const Usage& usage) {
  if (!usage.input || !usage.output) {
    return std::nullopt;
  }
  return *usage.input + *usage.output + usage.cache_read.value_or(0)
         + usage.cache_write.value_or(0);
}

// $0.50, $0.047, $0.00030: two digits that count, never more than it is.
std::string money(double dollars) {
  int digits = 2;
  while (dollars > 0 && digits < 6 && dollars < std::pow(10, 1 - digits)) {
    ++digits;
  }
  double unit = std::pow(10, digits);
  return fmt::format("${:.{}f}", std::floor(dollars * unit + 1e-6) / unit, digits);
}

std::string calls(std::int64_t count) {
  return count == 1 ? "1 call" : fmt::format("{} calls", count);
}

} // namespace

Price price_by(std::string base_url, Environment environment) {
  return [base_url = std::move(base_url), environment = std::move(environment)](
             const std::string& name, const Usage& usage) -> std::optional<double> {
    Result<ResolvedModel> model = resolve_model(name, base_url, environment);
    return model ? cost_of(*model, usage) : std::optional<double>(0); // it will not be asked
  };
}

Price price_of_scripts() {
  return [](const std::string&, const Usage&) { return std::optional<double>(0); };
}

// A call under way. Owner: the frame of answer(). Thread, lifetime: the budget's.
class Budget::Place {
public:
  Place(Budget& budget, const Amount& most)
      : m_budget(budget)
      , m_at(budget.m_under_way.insert(budget.m_under_way.end(), most)) {}

  ~Place() {
    m_budget.m_under_way.erase(m_at);
    m_budget.m_changed.notify_all();
  }

  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

private:
  Budget& m_budget;
  std::list<Amount>::iterator m_at;
};

Budget::Budget(asio::any_io_executor executor,
               BudgetLimits limits,
               std::function<runtime::Clock::time_point()> now)
    : m_limits(limits)
    , m_now(std::move(now))
    , m_begun(m_now())
    , m_changed(std::move(executor)) {}

// By the prompt's length and the price at first, then by the dearest answer so far. A model's first
// answer is awaited alone: what a table or a script does not say, it shows.
Budget::Expected Budget::expect(const Request& request, const Price& price) {
  Experience& known = m_models[request.model];
  std::int64_t bytes = bytes_of(request);
  Usage usual{.input = bytes / k_usual_bytes, .output = 0};
  Usage most{.input = bytes / k_least_bytes + k_frame_tokens, .output = request.max_tokens};
  Expected expected;
  expected.usual = {price(request.model, usual).value_or(0),
                    static_cast<double>(*tokens_of(usual))};
  expected.table = {price(request.model, most).value_or(0), static_cast<double>(*tokens_of(most))};
  expected.usual.dollars = std::max(expected.usual.dollars, known.largest.dollars);
  expected.usual.tokens = std::max(expected.usual.tokens, known.largest.tokens);
  // An answer that came to more than the most there can be: then nobody can tell.
  if (!known.has_answered || known.largest.dollars > expected.table.dollars + k_rounding
      || known.largest.tokens > expected.table.tokens) {
    expected.most = {k_unbounded, k_unbounded};
  } else {
    expected.most = expected.table;
  }
  return expected;
}

bool Budget::fits(const Amount& usual) const {
  Amount sum{m_spent.dollars + usual.dollars, m_spent.tokens + usual.tokens};
  for (const Amount& most : m_under_way) {
    sum.dollars += most.dollars;
    sum.tokens += most.tokens;
  }
  // What costs nothing may always be asked, though others have spent too much.
  bool has_dollars = !m_limits.dollars || sum.dollars <= *m_limits.dollars + k_rounding
                     || (usual.dollars <= 0 && m_under_way.empty());
  return has_dollars && (!m_limits.tokens || sum.tokens <= static_cast<double>(*m_limits.tokens));
}

// Why a call may not begin although none is under way, if that is so. Remembered from then on.
std::optional<Error> Budget::refusal(const Amount& usual) {
  auto over_time = [&] { return m_limits.time && m_now() - m_begun >= *m_limits.time; };
  if (m_stopped.empty()) {
    if (over_time()) {
      double seconds = std::chrono::duration<double>(*m_limits.time).count();
      m_stopped = fmt::format(
          "the {:g} s that it may take are over, after {}", seconds, calls(m_totals.calls));
      m_stopped_hint = "`--time-budget` gives more";
    } else if (m_under_way.empty() && !fits(usual)) {
      bool is_money =
          m_limits.dollars && m_spent.dollars + usual.dollars > *m_limits.dollars + k_rounding;
      m_stopped =
          is_money
              ? fmt::format("the budget of {} has no room for another call after {} for {}",
                            money(*m_limits.dollars),
                            money(m_spent.dollars),
                            calls(m_totals.calls))
              : fmt::format("the budget of {} tokens has no room for another call after {} for {}",
                            *m_limits.tokens,
                            std::llround(m_spent.tokens),
                            calls(m_totals.calls));
      std::string next =
          is_money ? money(usual.dollars) : fmt::format("{} tokens", std::llround(usual.tokens));
      m_stopped_hint = fmt::format("another call may come to {}; `{}` gives more, and what was "
                                   "answered is not asked again",
                                   next,
                                   is_money ? "--budget" : "--token-budget");
    }
  }
  if (m_stopped.empty()) {
    return std::nullopt;
  }
  return Error{ErrorCode::refused, m_stopped, m_stopped_hint};
}

void Budget::charge(const std::string& model, const Answer& answer, const Expected& expected) {
  std::optional<std::int64_t> tokens = tokens_of(answer.usage);
  // What a server does not tell counts as the most that it should be.
  Amount spent{answer.cost.value_or(expected.table.dollars),
               tokens ? static_cast<double>(*tokens) : expected.table.tokens};
  m_spent.dollars += spent.dollars;
  m_spent.tokens += spent.tokens;
  m_totals.cost =
      m_totals.cost && answer.cost ? std::optional(*m_totals.cost + *answer.cost) : std::nullopt;
  m_totals.tokens =
      m_totals.tokens && tokens ? std::optional(*m_totals.tokens + *tokens) : std::nullopt;
  Experience& known = m_models[model];
  known.has_answered = true;
  known.largest.dollars = std::max(known.largest.dollars, spent.dollars);
  known.largest.tokens = std::max(known.largest.tokens, spent.tokens);
}

asio::awaitable<Result<Answer>> BudgetedModel::answer(Request request) {
  Usage one{.input = 1, .output = 1};
  if (m_budget.m_limits.dollars && !m_price(request.model, one)) {
    co_return fail(ErrorCode::refused,
                   fmt::format("nobody knows the price of {}, so no budget of money can be kept",
                               in_backticks(utf8_prefix(request.model, 100))),
                   "limit it by `--token-budget`");
  }
  Budget::Expected expected;
  for (;;) {
    expected = m_budget.expect(request, m_price);
    std::optional<Error> refusal = m_budget.refusal(expected.usual);
    if (refusal) {
      co_return fail(std::move(*refusal));
    }
    if (!m_budget.has_limits() || m_budget.fits(expected.usual)) {
      break;
    }
    co_await m_budget.m_changed.wait(); // for one that is under way
  }
  Budget::Place place(m_budget, expected.most);
  std::string model = request.model;
  AWAIT(Result<Answer> answer, m_inner->answer(std::move(request)));
  if (!answer || !answer->cached) {
    ++m_budget.m_totals.calls;
  }
  if (answer && !answer->cached) {
    m_budget.charge(model, *answer, expected);
  }
  co_return answer;
}

} // namespace upskill::models
