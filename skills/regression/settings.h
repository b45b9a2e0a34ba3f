#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::regression {

// Whether evaluations of a skill run again when it changes, from the least to the most.
enum class WatchMode {
  off,      // nothing is looked at
  ask,      // what is free is; what costs waits for a person
  automatic // `auto`: what costs runs, too
};

// How modes are written, in their order.
std::span<const std::string_view> mode_words();
std::string_view mode_word(WatchMode mode);

// What may be spent; nothing: no bound of that kind, and 0 forbids.
struct Allowance {
  std::optional<double> usd = {}; // US dollars
  std::optional<std::int64_t> tokens = {};
  std::optional<std::int64_t> runs = {}; // samples that were asked

  friend bool operator==(const Allowance&, const Allowance&) = default;
};

struct WatchBudget {
  Allowance hour = {}; // the last 60 minutes, not that of the clock
  Allowance day = {};  // the last 24 hours

  friend bool operator==(const WatchBudget&, const WatchBudget&) = default;
};

// What a test promises (skills/eval/sequential.h).
struct WatchThresholds {
  std::optional<double> drop = {};  // of the pass rate, that is found
  std::optional<double> alpha = {}; // how often an unchanged skill may be called worse
  std::optional<double> beta = {};  // how often that drop may be overlooked

  friend bool operator==(const WatchThresholds&, const WatchThresholds&) = default;
};

// What a skill's `evals/watch.yaml` says, or a person's configuration. What is not said is absent.
struct WatchSettings {
  std::optional<WatchMode> mode = {};
  std::vector<std::string> models = {};   // distinct
  std::vector<std::string> students = {}; // distinct: `chat`, `agent`, `cli.NAME`
  std::optional<std::int64_t> runs = {};  // of each case and version, at most
  WatchBudget budget = {};
  WatchThresholds thresholds = {};

  friend bool operator==(const WatchSettings&, const WatchSettings&) = default;
};

// What counts where nobody says anything; the numbers are those of a test. No model: that is the
// person's own (`eval_model`).
WatchSettings default_settings();

// `over` in place of `under`, each key for itself; of the budget and the thresholds each number.
WatchSettings overridden(WatchSettings under, const WatchSettings& over);

// What of `file` counts with somebody who did not agree to it: the lower mode, models and students
// that `person` names, the smaller numbers. What `person` does not say is the default's. What is
// left out is told in `warnings`, each a sentence about `who`, such as "`evals/watch.yaml`".
WatchSettings narrowed(const WatchSettings& person,
                       const WatchSettings& file,
                       std::string_view who,
                       std::vector<std::string>& warnings);

// Whether a person said yes to a skill's file as it stands: `upskill eval accept`.
enum class FileTrust { untrusted, trusted };

// What counts for a skill with this file: a trusted one replaces what it says, another one narrows.
// With the defaults; without models where the person names none and the file may not.
WatchSettings combined(const WatchSettings& person,
                       const WatchSettings& file,
                       FileTrust trust,
                       std::vector<std::string>& warnings);

// The smaller of each number; the one that there is where the other has none.
WatchBudget smaller_budget(const WatchBudget& a, const WatchBudget& b);

} // namespace upskill::regression
