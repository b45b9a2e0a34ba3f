#include "clients/cli/bars.h"
#include "clients/cli/diff_view.h"
#include "clients/cli/eval_parts.h"
#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"
#include "clients/cli/watch_parts.h"

#include <algorithm>
#include <set>

namespace upskill::cli {
namespace {

constexpr std::size_t k_digits = 8;       // of a hash
constexpr std::size_t k_bar = 8;          // cells
constexpr std::size_t k_most_whys = 3;    // that are told below the table
constexpr std::size_t k_most_lines = 300; // of the difference of one file

std::string brief(const std::string& hash) {
  return clean_line(hash.substr(0, k_digits));
}

Cell verdict_of(const HistoryVersion& version) {
  if (version.is_accepted) {
    return {"accepted", Tint::cyan};
  }
  if (version.verdict) {
    Tint tint = *version.verdict == WatchVerdict::regressed ? Tint::red
                : *version.verdict == WatchVerdict::ok      ? Tint::green
                                                            : Tint::yellow;
    return {std::string(enum_name(*version.verdict)), tint};
  }
  return {!version.accepted_at.empty() ? "was accepted"
          : !version.subjects.empty()  ? "evaluated"
                                       : "not tested",
          Tint::dim};
}

std::string name_of(const HistorySubject& subject) {
  std::string name = subject.model.empty() ? subject.student : subject.model;
  name += subject.student == "chat" || subject.model.empty() ? "" : " (" + subject.student + ")";
  return name + ", " + std::string(measure_word(subject.measure));
}

// What is known by one model, student and measure: the numbers of when it was accepted or tested,
// and the lift of an evaluation.
std::vector<HistorySubject> merged(const HistoryVersion& version) {
  std::vector<HistorySubject> merged;
  for (const HistorySubject& one : version.subjects) {
    std::string name = name_of(one);
    auto same = std::ranges::find(merged, name, [](const auto& other) { return name_of(other); });
    if (same == merged.end()) {
      merged.push_back(one);
    } else if (one.source == HistorySource::eval) {
      same->lift = one.lift;
      same->baseline = one.baseline;
    }
  }
  return merged;
}

std::string rate_of(const HistorySubject& subject) {
  return subject.rate ? percent(subject.rate->value) : std::string("-");
}

std::string samples_of(const HistorySubject& subject) {
  return subject.student.empty() ? std::string() : std::to_string(subject.samples);
}

std::string tokens_of(const HistorySubject& subject) {
  return subject.tokens ? grouped(*subject.tokens) : std::string();
}

std::string cost_of(const HistorySubject& subject) {
  return subject.cost ? dollars(*subject.cost) : std::string();
}

std::string points_of(const std::optional<double>& value) {
  return value ? points(*value) : std::string();
}

std::string lift_of(const HistorySubject& subject) {
  return subject.lift ? points(subject.lift->value) : std::string();
}

Tint tint_of(const std::string& points) {
  return points.starts_with('-') ? Tint::red : Tint::plain;
}

// Columns that say nothing in any row are left out.
void print_rows(Page& page,
                std::vector<Column> columns,
                const std::vector<std::vector<Cell>>& rows) {
  std::vector<std::size_t> kept;
  std::vector<Column> titles;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::ranges::any_of(rows, [&](const auto& row) { return !row[i].text.empty(); })) {
      kept.push_back(i);
      titles.push_back(columns[i]);
    }
  }
  Table table(std::move(titles));
  for (const std::vector<Cell>& row : rows) {
    std::vector<Cell> cells;
    for (std::size_t i : kept) {
      cells.push_back(row[i]);
    }
    table.add(std::move(cells));
  }
  table.print(page);
}

void print_list(Page& page, const EvalHistoryResult& result) {
  std::set<std::pair<std::string, std::string>> skills;
  std::set<std::string> subjects;
  for (const HistoryVersion& version : result.versions) {
    skills.insert({version.project, version.skill});
    for (const HistorySubject& subject : version.subjects) {
      subjects.insert(name_of(subject));
    }
  }
  page.headline(skills.size() == 1 ? clean_line(result.versions.front().skill) : "History",
                subjects.size() == 1 ? "  " + *subjects.begin() : std::string());
  bool is_wide = page.screen().columns >= k_side_by_side;
  std::vector<std::vector<Cell>> rows;
  for (const HistoryVersion& version : result.versions) {
    std::string skill = version.skill;
    skill += version.project.empty() ? "" : " in " + page.path(version.project);
    std::string seen = human_time(version.first_seen);
    std::vector<HistorySubject> told = merged(version);
    bool is_first = true;
    if (told.empty()) {
      told.emplace_back();
    }
    for (const HistorySubject& one : told) {
      bool is_known = !version.subjects.empty();
      std::string rate =
          one.rate ? bar(page, one.rate->value, k_bar) + " " + rate_of(one) : std::string();
      std::string change = points_of(one.change);
      std::string lift = lift_of(one);
      rows.push_back({{is_first ? brief(version.hash) : ""},
                      {is_first && skills.size() > 1 ? skill : ""},
                      {is_first ? seen.substr(0, is_wide ? seen.npos : 10) : "", Tint::dim},
                      is_first ? verdict_of(version) : Cell{},
                      {is_known && subjects.size() > 1 ? name_of(one) : ""},
                      {rate},
                      {change, tint_of(change)},
                      {lift, tint_of(lift)},
                      {samples_of(one)},
                      {tokens_of(one)},
                      {cost_of(one)}});
      is_first = false;
    }
  }
  print_rows(page,
             {{"Version"},
              {"Skill", Fit::shrinks},
              {"First Seen"},
              {"Verdict"},
              {"Model", Fit::shrinks},
              {"Pass Rate"},
              {"Change", Fit::right},
              {"Lift", Fit::right},
              {"Samples", Fit::right},
              {"Tokens", Fit::right},
              {"Cost", Fit::right}},
             rows);
  std::size_t whys = 0;
  for (const HistoryVersion& version : result.versions) {
    if (version.verdict == WatchVerdict::regressed && !version.why.empty() && whys < k_most_whys) {
      page.paragraph(brief(version.hash) + ": " + version.why, 0, Tint::dim);
      ++whys;
    }
  }
  if (result.more > 0) {
    page.line(page.tint(
        Tint::dim, count(result.more, "older version", "older versions") + "; --limit shows more"));
  }
}

std::string with_interval(const HistorySubject& subject) {
  return subject.rate ? percent(subject.rate->value) + " (" + percent(subject.rate->low) + " to "
                            + percent(subject.rate->high) + ")"
                      : std::string("-");
}

// Both results, line by line.
void print_results(Page& page, const HistoryVersion& from, const HistoryVersion& to) {
  Table table({{"", Fit::shrinks}, {brief(from.hash)}, {brief(to.hash)}});
  table.add({{"First seen"}, {human_time(from.first_seen)}, {human_time(to.first_seen)}});
  table.add({{"Last tested"}, {human_time(from.last_tested)}, {human_time(to.last_tested)}});
  table.add({{"Verdict"}, verdict_of(from), verdict_of(to)});
  if (!from.against.empty() || !to.against.empty()) {
    table.add({{"Held against"}, {brief(from.against)}, {brief(to.against)}});
  }
  std::vector<HistorySubject> before = merged(from);
  std::vector<HistorySubject> after = merged(to);
  std::vector<std::string> names;
  for (const auto* subjects : {&before, &after}) {
    for (const HistorySubject& one : *subjects) {
      if (std::ranges::find(names, name_of(one)) == names.end()) {
        names.push_back(name_of(one));
      }
    }
  }
  for (const std::string& name : names) {
    auto of = [&](const std::vector<HistorySubject>& subjects) {
      auto found = std::ranges::find(subjects, name, [](const auto& one) { return name_of(one); });
      return found == subjects.end() ? HistorySubject{} : *found;
    };
    HistorySubject one = of(before);
    HistorySubject other = of(after);
    auto add = [&](std::string title, std::string left, std::string right) {
      if (!left.empty() || !right.empty()) {
        table.add({{std::move(title)}, {std::move(left)}, {std::move(right)}});
      }
    };
    add(name, with_interval(one), with_interval(other));
    add("  against the accepted", points_of(one.change), points_of(other.change));
    add("  lift", lift_of(one), lift_of(other));
    add("  samples", samples_of(one), samples_of(other));
    add("  tokens", tokens_of(one), tokens_of(other));
    add("  cost", cost_of(one), cost_of(other));
  }
  table.print(page);
}

void print_difference(Page& page, const HistoryDiff& diff) {
  page.headline(clean_line(diff.to.skill),
                "  " + brief(diff.from.hash) + std::string(page.sign(" → ", " -> "))
                    + brief(diff.to.hash));
  print_results(page, diff.from, diff.to);
  bool is_wide = page.screen().columns >= k_side_by_side;
  for (const HistoryFile& file : diff.files) {
    page.line();
    page.line(page.tint(Tint::bold, clean_line(file.path)) + "  "
              + page.tint(Tint::dim, clean_line(file.what)));
    if (is_wide) {
      print_side_by_side(page, file.diff, 2, k_most_lines);
    } else {
      print_diff(page, file.diff, 2, k_most_lines);
    }
  }
  if (diff.files.empty() && diff.problems.empty()) {
    page.line();
    page.line("No file is different.");
  }
  if (diff.more > 0) {
    page.line(page.tint(Tint::dim, "and " + count(diff.more, "more file", "more files")));
  }
  for (const std::string& problem : diff.problems) {
    page.warning(problem);
  }
}

} // namespace

void show(Page& page, const Invocation&, const EvalHistoryResult& result) {
  if (result.diff) {
    print_difference(page, *result.diff);
    return;
  }
  if (result.versions.empty()) {
    page.line(result.skill.empty() ? "No skill has a history."
                                   : clean_line(result.skill) + " has no history.");
    page.paragraph("`upskill eval accept SKILL` watches a skill, and `upskill eval SKILL` measures "
                   "it: both are part of it.",
                   0,
                   Tint::dim);
    return;
  }
  print_list(page, result);
}

} // namespace upskill::cli
