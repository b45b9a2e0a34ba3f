#pragma once
#include "protocol/base/result.h"
#include "protocol/types/eval_reports.h"
#include "skills/eval/case.h"
#include "skills/generate/draft.h"
#include "skills/generate/prompts.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace upskill::generate {

struct DescriptionOptions {
  std::size_t iterations = 5; // descriptions that are tried, the first included
  std::uint32_t runs = 3;     // samples of a query
  double held_out = 0.4;      // share of the queries of either kind
  std::uint64_t seed = 1;
};

struct DescriptionStep {
  enum class Kind {
    evaluate, // is the skill picked at `queries` with this description -> evaluated()
    improve   // `description` by misfires_of(description) -> improved()
  };

  std::uint32_t id = 0;
  Kind kind = Kind::evaluate;
  std::size_t description = 0;           // in descriptions()
  bool is_held_out = false;              // evaluate: which part
  std::vector<std::size_t> queries = {}; // numbers in suite(), increasing
};

// How it ended. Whatever happened, `description` is one that can be used.
struct DescriptionEnding {
  std::size_t description = 0; // in descriptions(); 0: as it was drafted
  std::string why = {};
  std::optional<Error> error = {}; // nothing could be measured
};

// Tunes when a skill is picked: its description is tried on queries, what went wrong on the train
// ones is shown to who writes the next, and the one is chosen that does best on the queries held
// out. Sans-IO, as Loop. Owner: who drives it. Thread: one. Lifetime: one call.
class DescriptionLoop {
public:
  // Queries without `should_trigger`, and those that repeat another, are left out.
  DescriptionLoop(Draft draft, const eval::CaseSuite& queries, DescriptionOptions options = {});

  std::vector<DescriptionStep> take_steps();

  // Samples of the step's queries, with `skill_used`.
  void evaluated(std::uint32_t id, Result<std::vector<EvalSample>> samples);
  void improved(std::uint32_t id, Result<std::string> description);
  // As of Loop.
  void stop(std::string why);

  const std::optional<DescriptionEnding>& ending() const { return m_ending; }

  const eval::CaseSuite& suite() const { return m_suite; }

  // The draft with the description of that number.
  Draft draft(std::size_t description) const;

  const std::vector<std::string>& descriptions() const { return m_descriptions; }

  // The train queries that went wrong with it: picked in fewer than half of their samples where it
  // should be, or in half or more where it should not.
  std::vector<Misfire> misfires_of(std::size_t description) const;

  // On the queries held out; none where nothing is known.
  std::optional<EvalTrigger> trigger(std::size_t description) const;

  std::size_t train_queries() const { return m_parts[k_train].size(); }

  std::size_t held_out_queries() const { return m_parts[k_held_out].size(); }

  std::size_t planned_samples() const { return m_planned_samples; }

private:
  static constexpr std::size_t k_train = 0;
  static constexpr std::size_t k_held_out = 1;

  void split();
  void push(DescriptionStep step);
  void try_description(std::string description);
  void go_on(std::size_t description);
  void advance();
  std::optional<double> picked(std::size_t description, std::size_t part, std::size_t query) const;
  bool knows_as_much(std::size_t description) const;
  std::optional<double> balance(std::size_t description, std::size_t part) const;
  std::optional<Error> problem() const;

  Draft m_draft;
  DescriptionOptions m_options;
  eval::CaseSuite m_suite = {};
  std::array<std::vector<std::size_t>, 2> m_parts = {}; // train and held-out queries
  std::vector<std::string> m_descriptions = {};
  // Of each description: samples of either part.
  std::vector<std::array<std::vector<EvalSample>, 2>> m_samples = {};
  std::optional<Error> m_error = {}; // the first description's
  std::string m_why = {};            // why no further description is tried
  std::vector<DescriptionStep> m_queue = {};
  std::map<std::uint32_t, DescriptionStep> m_under_way = {};
  std::uint32_t m_last_id = 0;
  std::size_t m_planned_samples = 0;
  std::optional<std::string> m_stop = {};
  std::optional<DescriptionEnding> m_ending = {};
};

} // namespace upskill::generate
