#pragma once
#include "daemon/models/model.h"
#include "daemon/models/model_name.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/deadlines.h"

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace upskill::models {

struct BudgetLimits {
  std::optional<double> dollars = {};
  std::optional<std::int64_t> tokens = {}; // read, written, and of the provider's cache
  std::optional<runtime::Clock::duration> time = {};
};

// What calls came to. Cached answers are none.
struct BudgetTotals {
  std::int64_t calls = 0;                 // those that ended in an error, too
  std::optional<double> cost = 0;         // US dollars; unknown once one answer's is
  std::optional<std::int64_t> tokens = 0; // unknown likewise
};

// US dollars for a use of a model by its name in the request; none: nobody knows its price.
using Price = std::function<std::optional<double>(const std::string& model, const Usage& usage)>;

// For models behind HTTP: by the table; 0 on this machine.
Price price_by(std::string base_url, Environment environment);
// For scripted models, which cost what their script says: nothing, as far as one knows before.
Price price_of_scripts();

// What an evaluation may spend, over all of its models. A call may begin when what is spent, the
// most that each call under way may come to, and what this one is expected to come to, stay within
// the limits; it waits while those under way may leave enough, and is refused when there is too
// little. So no more than one call's surprise is ever spent over a limit. Time counts from the
// constructor on, and what is under way at its end is not cut off.
// Owner: an evaluation. Thread: that of its executor only. Lifetime: longer than its models.
class Budget {
public:
  explicit Budget(asio::any_io_executor executor,
                  BudgetLimits limits = {},
                  std::function<runtime::Clock::time_point()> now = runtime::Clock::now);

  const BudgetTotals& totals() const { return m_totals; }

  // Why no call may begin any more; empty while calls may.
  const std::string& stopped() const { return m_stopped; }

private:
  friend class BudgetedModel;

  struct Amount {
    double dollars = 0;
    double tokens = 0;
  };

  // What is known of one model by its answers.
  struct Experience {
    bool has_answered = false;
    Amount largest = {};
  };

  struct Expected {
    Amount usual = {};
    Amount table = {}; // the most, by prompt, max_tokens and price
    Amount most = {};  // the same, or infinite where that has been wrong or may be
  };

  class Place;

  bool has_limits() const { return m_limits.dollars || m_limits.tokens; }

  Expected expect(const Request& request, const Price& price);
  bool fits(const Amount& usual) const;
  std::optional<Error> refusal(const Amount& usual);
  void charge(const std::string& model, const Answer& answer, const Expected& expected);

  BudgetLimits m_limits;
  std::function<runtime::Clock::time_point()> m_now;
  runtime::Clock::time_point m_begun;
  BudgetTotals m_totals;
  Amount m_spent; // with what answers that do not tell may have come to
  std::list<Amount> m_under_way;
  std::map<std::string, Experience> m_models;
  std::string m_stopped;
  std::string m_stopped_hint;
  runtime::Condition m_changed;
};

// A model that is asked only while its budget lasts. refused: the budget is spent, its time is
// over, or it is of money and the model's price is not known. Answers with `cached` cost nothing.
// Owner, thread, lifetime: as the model that it decorates, which it owns.
class BudgetedModel : public Model {
public:
  BudgetedModel(std::unique_ptr<Model> inner, Price price, Budget& budget)
      : m_inner(std::move(inner))
      , m_price(std::move(price))
      , m_budget(budget) {}

  asio::awaitable<Result<Answer>> answer(Request request) override;

private:
  std::unique_ptr<Model> m_inner;
  Price m_price;
  Budget& m_budget;
};

} // namespace upskill::models
