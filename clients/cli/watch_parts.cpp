#include "clients/cli/watch_parts.h"

#include "clients/cli/bars.h"
#include "clients/cli/eval_parts.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"
#include "protocol/base/paths.h"

#include <algorithm>
#include <cmath>

namespace upskill::cli {
namespace {

constexpr std::size_t k_narrow = 70; // columns, below which measure and interval are left out

} // namespace

std::string share_of(const std::optional<EvalShare>& share) {
  return share ? percent(share->value) : std::string("-");
}

std::string range_of(const std::optional<EvalShare>& share) {
  return share ? percent(share->low) + " to " + percent(share->high) : std::string("-");
}

std::string_view measure_word(WatchMeasure measure) {
  switch (measure) {
  case WatchMeasure::trigger:
    return "is picked";
  case WatchMeasure::forced:
    return "helps when read";
  case WatchMeasure::end_to_end:
    break;
  }
  return "works as a whole";
}

std::string who_of(const std::string& model, const std::string& student) {
  const std::string& name = model.empty() ? student : model;
  return student == "chat" ? name : name + " (" + student + ")";
}

Tint tint_of(WatchVerdict verdict) {
  switch (verdict) {
  case WatchVerdict::regressed:
    return Tint::red;
  case WatchVerdict::ok:
    return Tint::green;
  case WatchVerdict::undecided:
    break;
  }
  return Tint::yellow;
}

std::string_view word_of(const WatchedSkill& skill) {
  // That one model already does worse is known before the others are asked.
  if (skill.verdict == WatchVerdict::regressed && skill.state == WatchState::waiting) {
    return enum_name(skill.verdict);
  }
  switch (skill.state) {
  case WatchState::looking:
    return "looking";
  case WatchState::testing:
    return "testing";
  case WatchState::waiting:
    return "waits";
  case WatchState::gone:
    return "gone";
  case WatchState::idle:
    break;
  }
  return skill.reason == WatchReason::nothing_accepted && skill.accepted.empty()
             ? "edited"
             : enum_name(skill.verdict);
}

Tint tint_of(const WatchedSkill& skill) {
  std::string_view word = word_of(skill);
  return word == "gone" || word == "edited"       ? Tint::dim
         : word == "testing" || word == "looking" ? Tint::cyan
                                                  : tint_of(skill.verdict);
}

bool needs_attention(const WatchedSkill& skill) {
  return skill.verdict == WatchVerdict::regressed || skill.state == WatchState::waiting
         || !skill.problems.empty();
}

std::string name_of(const WatchedSkill& skill, std::string_view home) {
  std::string name = clean_line(skill.skill);
  return skill.project.empty() ? name
                               : name + " in " + shorten_home(clean_line(skill.project), home);
}

const WatchedSubject* telling_subject(const WatchedSkill& skill) {
  const WatchedSubject* tested = nullptr;
  for (const WatchedSubject& one : skill.subjects) {
    if (one.verdict == WatchVerdict::regressed) {
      return &one;
    }
    if (one.verdict == WatchVerdict::undecided && one.samples > 0) {
      tested = &one; // they are tested in order: the last one is under way
    }
  }
  return tested != nullptr ? tested : skill.subjects.empty() ? nullptr : &skill.subjects.front();
}

std::string rates_of(const WatchedSubject& subject, std::string_view arrow) {
  if (!subject.accepted_rate && !subject.rate) {
    return {};
  }
  return (subject.accepted_rate ? percent(*subject.accepted_rate) : "?") + " " + std::string(arrow)
         + " " + (subject.rate ? percent(subject.rate->value) : "?");
}

std::string estimate_of(const WatchEstimate& estimate) {
  std::string text = "To go on takes about " + std::to_string(std::lround(estimate.samples))
                     + " samples, " + std::to_string(std::lround(estimate.if_worse))
                     + " if it is worse, " + std::to_string(estimate.most) + " at most";
  if (estimate.usd) {
    text += "; " + dollars(*estimate.usd);
    text += estimate.most_usd ? " to " + dollars(*estimate.most_usd) : "";
  }
  return text + ".";
}

void print_subjects(Page& page,
                    const std::vector<WatchedSubject>& subjects,
                    std::size_t indent,
                    std::string_view held_against) {
  bool narrow = page.screen().columns < k_narrow;
  std::vector<Column> columns{{"Model", Fit::shrinks}};
  if (!narrow) {
    columns.push_back({"Measure"});
  }
  columns.push_back({std::string(held_against), Fit::right});
  columns.push_back({"Now", Fit::right});
  if (!narrow) {
    columns.push_back({"95%"});
  }
  columns.push_back({"Samples", Fit::right});
  columns.push_back({"Verdict"});
  Table table(std::move(columns));
  for (const WatchedSubject& one : subjects) {
    std::vector<Cell> row{{who_of(one.model, one.student)}};
    if (!narrow) {
      row.push_back({std::string(measure_word(one.measure))});
    }
    row.push_back(
        {one.accepted_rate && one.most > 0 ? percent(*one.accepted_rate) : std::string("-")});
    row.push_back({share_of(one.rate)});
    if (!narrow) {
      row.push_back({range_of(one.rate)});
    }
    row.push_back({std::to_string(one.samples)});
    row.push_back({std::string(enum_name(one.verdict)), tint_of(one.verdict)});
    table.add(std::move(row));
  }
  if (!table.empty()) {
    table.print(page, indent);
  }
}

} // namespace upskill::cli
