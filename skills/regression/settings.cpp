#include "skills/regression/settings.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace upskill::regression {
namespace {

constexpr std::array<std::string_view, 3> k_modes{"off", "ask", "auto"};

template <class T> void take(std::optional<T>& under, const std::optional<T>& over) {
  if (over) {
    under = over;
  }
}

void take(std::vector<std::string>& under, const std::vector<std::string>& over) {
  if (!over.empty()) {
    under = over;
  }
}

void take(Allowance& under, const Allowance& over) {
  take(under.usd, over.usd);
  take(under.tokens, over.tokens);
  take(under.runs, over.runs);
}

template <class T> std::optional<T> smaller(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b ? std::min(*a, *b) : (a ? a : b);
}

Allowance smaller(const Allowance& a, const Allowance& b) {
  return {.usd = smaller(a.usd, b.usd),
          .tokens = smaller(a.tokens, b.tokens),
          .runs = smaller(a.runs, b.runs)};
}

// Tells what was not listened to.
class Narrowing {
public:
  Narrowing(std::string_view who, std::vector<std::string>& warnings)
      : m_who(who)
      , m_warnings(warnings) {}

  template <class T>
  std::optional<T>
  number(std::string_view key, const std::optional<T>& person, const std::optional<T>& file) {
    if (person && file && *file > *person) {
      tell("asks for more " + in_backticks(key) + " than you");
    }
    return smaller(person, file);
  }

  Allowance allowance(std::string_view span, const Allowance& person, const Allowance& file) {
    std::string key = "budget." + std::string(span) + ".";
    return {.usd = number(key + "usd", person.usd, file.usd),
            .tokens = number(key + "tokens", person.tokens, file.tokens),
            .runs = number(key + "runs", person.runs, file.runs)};
  }

  // Those of the person's that the file names, too. Where there are none the file is not listened
  // to: its author has other models, and the skill should be looked at all the same.
  std::vector<std::string> names(std::string_view key,
                                 const std::vector<std::string>& person,
                                 const std::vector<std::string>& file) {
    if (file.empty()) {
      return person;
    }
    auto is_in = [](const std::vector<std::string>& names) {
      return [&names](const std::string& name) { return std::ranges::count(names, name) > 0; };
    };
    if (!std::ranges::all_of(file, is_in(person))) {
      tell("names " + std::string(key) + " that your configuration does not name");
    }
    std::vector<std::string> both;
    std::ranges::copy_if(person, std::back_inserter(both), is_in(file));
    return both.empty() ? person : both;
  }

  WatchMode mode(WatchMode person, const std::optional<WatchMode>& file) {
    if (file && *file > person) {
      tell("asks for mode `" + std::string(mode_word(*file)) + "`, which is `"
           + std::string(mode_word(person)) + "` with you");
    }
    return std::min(person, file.value_or(person));
  }

private:
  void tell(const std::string& what) {
    m_warnings.push_back(std::string(m_who) + " " + what + "; that does not count");
  }

  std::string_view m_who;
  std::vector<std::string>& m_warnings;
};

} // namespace

std::span<const std::string_view> mode_words() {
  return k_modes;
}

std::string_view mode_word(WatchMode mode) {
  return k_modes[static_cast<std::size_t>(mode)];
}

WatchSettings default_settings() {
  return {.mode = WatchMode::ask,
          .students = {"chat"},
          .runs = 18,
          .thresholds = {.drop = 0.2, .alpha = 0.05, .beta = 0.05}};
}

WatchSettings overridden(WatchSettings under, const WatchSettings& over) {
  take(under.mode, over.mode);
  take(under.models, over.models);
  take(under.students, over.students);
  take(under.runs, over.runs);
  take(under.budget.hour, over.budget.hour);
  take(under.budget.day, over.budget.day);
  take(under.thresholds.drop, over.thresholds.drop);
  take(under.thresholds.alpha, over.thresholds.alpha);
  take(under.thresholds.beta, over.thresholds.beta);
  return under;
}

WatchSettings narrowed(const WatchSettings& person,
                       const WatchSettings& file,
                       std::string_view who,
                       std::vector<std::string>& warnings) {
  WatchSettings own = overridden(default_settings(), person);
  Narrowing narrow(who, warnings);
  const WatchThresholds& asked = file.thresholds;
  return {
      .mode = narrow.mode(own.mode.value_or(WatchMode::off), file.mode),
      .models = narrow.names("models", own.models, file.models),
      .students = narrow.names("students", own.students, file.students),
      .runs = narrow.number("runs", own.runs, file.runs),
      .budget = {.hour = narrow.allowance("hour", own.budget.hour, file.budget.hour),
                 .day = narrow.allowance("day", own.budget.day, file.budget.day)},
      .thresholds = {.drop = narrow.number("thresholds.drop", own.thresholds.drop, asked.drop),
                     .alpha = narrow.number("thresholds.alpha", own.thresholds.alpha, asked.alpha),
                     .beta = narrow.number("thresholds.beta", own.thresholds.beta, asked.beta)}};
}

WatchSettings combined(const WatchSettings& person,
                       const WatchSettings& file,
                       FileTrust trust,
                       std::vector<std::string>& warnings) {
  if (trust == FileTrust::trusted) {
    return overridden(overridden(default_settings(), person), file);
  }
  return narrowed(
      person, file, "`evals/watch.yaml`, which `upskill eval accept` did not accept,", warnings);
}

WatchBudget smaller_budget(const WatchBudget& a, const WatchBudget& b) {
  return {.hour = smaller(a.hour, b.hour), .day = smaller(a.day, b.day)};
}

} // namespace upskill::regression
