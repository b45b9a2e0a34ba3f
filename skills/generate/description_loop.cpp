#include "skills/generate/description_loop.h"

#include "skills/document/unicode.h"
#include "skills/eval/interval.h"
#include "skills/eval/random.h"
#include "skills/eval/report_arms.h"
#include "skills/eval/trigger.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace upskill::generate {
namespace {

constexpr std::size_t k_most_iterations = 20;
constexpr std::size_t k_least_queries = 2; // of either kind: one of them is held out
constexpr double k_picked = 0.5;           // of a query's samples: skill-creator's threshold

DescriptionOptions sane(DescriptionOptions options) {
  options.iterations = std::clamp<std::size_t>(options.iterations, 1, k_most_iterations);
  options.runs = std::max<std::uint32_t>(options.runs, 1);
  options.held_out = options.held_out > 0 && options.held_out < 1 ? options.held_out : 0.4;
  return options;
}

// What ended in an error may have ended before the skill was picked.
std::optional<bool> was_picked(const EvalSample& sample) {
  const bool tells = sample.outcome != SampleOutcome::error || sample.skill_used.value_or(false);
  return tells ? sample.skill_used : std::nullopt;
}

} // namespace

DescriptionLoop::DescriptionLoop(Draft draft,
                                 const eval::CaseSuite& queries,
                                 DescriptionOptions options)
    : m_draft(std::move(draft))
    , m_options(sane(options)) {
  std::set<std::string> inputs;
  for (const eval::Case& query : queries.cases) {
    if (query.should_trigger
        && inputs.insert(document::fold_case(document::strip(query.input))).second) {
      m_suite.cases.push_back(query);
      m_suite.cases.back().id = std::to_string(m_suite.cases.size());
    }
  }
  split();
  if (m_ending) {
    m_descriptions.push_back(m_draft.description);
    m_samples.emplace_back();
    return;
  }
  try_description(m_draft.description);
}

// Of either kind alike, or a part could be without one of them.
void DescriptionLoop::split() {
  eval::Random random(m_options.seed);
  for (bool wanted : {true, false}) {
    std::vector<std::size_t> queries;
    for (std::size_t i = 0; i < m_suite.cases.size(); ++i) {
      if (m_suite.cases[i].should_trigger == wanted) {
        queries.push_back(i);
      }
    }
    if (queries.size() < k_least_queries) {
      m_ending = DescriptionEnding{0,
                                   std::string("it takes 2 queries that should ")
                                       + (wanted ? "" : "not ") + "pick the skill, and there is "
                                       + (queries.empty() ? "none" : "one")};
      return;
    }
    random.shuffle(queries);
    const auto count = static_cast<double>(queries.size());
    const auto held_out = static_cast<std::size_t>(
        std::clamp(std::round(m_options.held_out * count), 1.0, count - 1));
    for (std::size_t i = 0; i < queries.size(); ++i) {
      m_parts[i < held_out ? k_held_out : k_train].push_back(queries[i]);
    }
  }
  for (std::vector<std::size_t>& part : m_parts) {
    std::ranges::sort(part);
  }
}

std::vector<DescriptionStep> DescriptionLoop::take_steps() {
  std::vector<DescriptionStep> steps = std::exchange(m_queue, {});
  for (const DescriptionStep& step : steps) {
    m_under_way.emplace(step.id, step);
  }
  return steps;
}

void DescriptionLoop::evaluated(std::uint32_t id, Result<std::vector<EvalSample>> samples) {
  auto found = m_under_way.find(id);
  if (found == m_under_way.end() || found->second.kind != DescriptionStep::Kind::evaluate) {
    return;
  }
  const DescriptionStep step = m_under_way.extract(found).mapped();
  const std::size_t part = step.is_held_out ? k_held_out : k_train;
  if (samples) {
    for (EvalSample& sample : *samples) {
      sample.arm = EvalArm::with_skill;
    }
    m_samples[step.description][part] = std::move(*samples);
  } else if (step.description == 0 && (!m_error || !step.is_held_out)) {
    m_error = std::move(samples.error());
  }
  if (!step.is_held_out) {
    go_on(step.description);
  }
  advance();
}

void DescriptionLoop::improved(std::uint32_t id, Result<std::string> description) {
  auto found = m_under_way.find(id);
  if (found == m_under_way.end() || found->second.kind != DescriptionStep::Kind::improve) {
    return;
  }
  m_under_way.erase(found);
  if (!description) {
    m_why = "no better description was written: " + description.error().message;
  } else if (std::ranges::find(m_descriptions, *description) != m_descriptions.end()) {
    m_why = "no other description was written"; // and the same question has the same answer
  } else {
    try_description(std::move(*description));
  }
  advance();
}

void DescriptionLoop::stop(std::string why) {
  if (!m_ending && !m_stop) {
    m_stop = std::move(why);
    m_queue.clear();
    advance();
  }
}

Draft DescriptionLoop::draft(std::size_t description) const {
  Draft draft = m_draft;
  draft.description = m_descriptions[description];
  return draft;
}

std::vector<Misfire> DescriptionLoop::misfires_of(std::size_t description) const {
  std::vector<Misfire> misfires;
  for (std::size_t query : m_parts[k_train]) {
    const bool wanted = m_suite.cases[query].should_trigger.value_or(true);
    const std::optional<double> share = picked(description, k_train, query);
    if (share && wanted != (*share >= k_picked)) {
      misfires.push_back({m_suite.cases[query].input, wanted, *share});
    }
  }
  return misfires;
}

std::optional<EvalTrigger> DescriptionLoop::trigger(std::size_t description) const {
  const std::vector<EvalSample>& samples = m_samples[description][k_held_out];
  return samples.empty() ? std::nullopt
                         : eval::trigger_of(m_suite, eval::in_order(m_suite, samples));
}

void DescriptionLoop::push(DescriptionStep step) {
  if (!m_stop) {
    step.id = ++m_last_id;
    m_planned_samples += step.queries.size() * m_options.runs;
    m_queue.push_back(std::move(step));
  }
}

// Both parts at once: what comes next hangs on train alone.
void DescriptionLoop::try_description(std::string description) {
  const std::size_t number = m_descriptions.size();
  m_descriptions.push_back(std::move(description));
  m_samples.emplace_back();
  for (std::size_t part : {k_train, k_held_out}) {
    push({.kind = DescriptionStep::Kind::evaluate,
          .description = number,
          .is_held_out = part == k_held_out,
          .queries = m_parts[part]});
  }
}

void DescriptionLoop::go_on(std::size_t description) {
  if (!balance(description, k_train)) {
    m_why = "nothing is known of the last description";
  } else if (misfires_of(description).empty()) {
    m_why = "no train query goes wrong any more";
  } else if (m_descriptions.size() >= m_options.iterations) {
    m_why = std::to_string(m_descriptions.size()) + " descriptions were tried";
  } else {
    push({.kind = DescriptionStep::Kind::improve, .description = description});
  }
}

void DescriptionLoop::advance() {
  if (m_ending || !m_under_way.empty() || !m_queue.empty()) {
    return;
  }
  std::optional<Error> error = m_stop ? std::nullopt : problem();
  if (error) {
    m_ending = DescriptionEnding{0, error->message, error};
    return;
  }
  std::size_t best = 0;
  std::optional<double> most = balance(0, k_held_out);
  for (std::size_t i = 1; i < m_descriptions.size() && most; ++i) {
    const std::optional<double> balanced = balance(i, k_held_out);
    if (balanced && knows_as_much(i) && *balanced > *most + eval::k_rounding) {
      best = i;
      most = balanced;
    }
  }
  m_ending = DescriptionEnding{best, m_stop.value_or(m_why)};
}

std::optional<double>
DescriptionLoop::picked(std::size_t description, std::size_t part, std::size_t query) const {
  double picks = 0;
  double known = 0;
  for (const EvalSample& sample : m_samples[description][part]) {
    const std::optional<bool> pick = was_picked(sample);
    if (pick && sample.case_id == m_suite.cases[query].id) {
      picks += *pick ? 1 : 0;
      ++known;
    }
  }
  return known > 0 ? std::optional(picks / known) : std::nullopt;
}

// Whether all held-out queries tell something of it that do so of the first one: by fewer of them,
// where it was stopped among them, it could be better by chance.
bool DescriptionLoop::knows_as_much(std::size_t description) const {
  return std::ranges::all_of(m_parts[k_held_out], [&](std::size_t query) {
    return !picked(0, k_held_out, query) || picked(description, k_held_out, query);
  });
}

// Balanced accuracy: the mean of how often it is picked where it should be, and is not where it
// should not. A description that always fires has a half, and so has one that never does. None
// unless something of either kind is known.
std::optional<double> DescriptionLoop::balance(std::size_t description, std::size_t part) const {
  std::array<double, 2> right = {};
  std::array<double, 2> known = {};
  for (std::size_t query : m_parts[part]) {
    const bool wanted = m_suite.cases[query].should_trigger.value_or(true);
    if (auto share = picked(description, part, query)) {
      right[wanted ? 1 : 0] += wanted ? *share : 1 - *share;
      ++known[wanted ? 1 : 0];
    }
  }
  if (known[0] == 0 || known[1] == 0) {
    return std::nullopt;
  }
  return (right[0] / known[0] + right[1] / known[1]) / 2;
}

// What the first description does must be known, or nothing can be better.
std::optional<Error> DescriptionLoop::problem() const {
  if (balance(0, k_train) && balance(0, k_held_out)) {
    return std::nullopt;
  }
  if (m_error) {
    return m_error;
  }
  std::string first;
  for (const std::vector<EvalSample>& samples : m_samples[0]) {
    for (const EvalSample& sample : samples) {
      first = first.empty() ? sample.error : first;
    }
  }
  return Error{ErrorCode::unavailable,
               "no sample tells whether the skill was picked"
                   + (first.empty() ? "" : ": " + first)};
}

} // namespace upskill::generate
