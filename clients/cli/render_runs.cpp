#include "clients/cli/bars.h"
#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace upskill::cli {
namespace {

constexpr std::size_t k_skill_column = 24; // columns of a terminal
constexpr std::size_t k_value = 16;        // "55,000→61,000" and a gap

RunsMetric metric_of(const Invocation& invocation) {
  return invocation.value("metric") == enum_name(RunsMetric::tokens) ? RunsMetric::tokens
                                                                     : RunsMetric::success;
}

std::string name_of_skill(const RunsRow& row) {
  return row.skill.empty() ? "a skill that is not told" : row.skill;
}

// With the student, where it is not the one that answers unless told.
std::string name_of_model(const RunsRow& row) {
  std::string name = row.model.empty() ? "a model that is not told" : row.model;
  return row.student.empty() || row.student == "chat" ? name : name + " by " + row.student;
}

std::optional<double> value_of(const std::optional<RunsArm>& arm, RunsMetric metric) {
  return !arm ? std::nullopt : metric == RunsMetric::success ? arm->rate : arm->tokens;
}

// A value that a log gave may be any.
long long whole(double value) {
  return std::llround(std::clamp(value, 0.0, 9e15));
}

std::string text_of(double value, RunsMetric metric) {
  return metric == RunsMetric::success ? percent(std::clamp(value, 0.0, 1.0))
                                       : grouped(whole(value));
}

// The lift, or how many more tokens it takes.
std::string difference(const RunsRow& row, RunsMetric metric) {
  std::optional<double> with = value_of(row.with_skill, metric);
  std::optional<double> without = value_of(row.baseline, metric);
  if (!with || !without || (metric == RunsMetric::tokens && *without <= 0)) {
    return {};
  }
  double by = metric == RunsMetric::success ? *with - *without : *with / *without - 1;
  return "(" + points(std::clamp(by, -1e6, 1e6)) + ")";
}

std::string about(const RunsArm& arm) {
  std::string text = count(arm.runs, "run", "runs");
  if (arm.incomplete > 0) {
    text += ", " + std::to_string(arm.incomplete) + " with errors";
  }
  return text;
}

// One skill with one model.
class Panel {
public:
  Panel(const Page& page, const RunsRow& row, RunsMetric metric)
      : m_page(page)
      , m_row(row)
      , m_metric(metric) {
    for (const auto* arm : {&row.baseline, &row.with_skill, &row.unknown}) {
      m_largest = std::max(m_largest, value_of(*arm, metric).value_or(0));
    }
    if (metric == RunsMetric::success) {
      m_largest = 1;
    }
  }

  void print(Page& page, const std::string& title) {
    page.line();
    std::string when = human_time(m_row.time);
    page.line(page.tint(Tint::bold, clean_line(title))
              + page.tint(Tint::dim, when.empty() ? "" : "  " + clean_line(when)));
    add(m_row.baseline, m_row.against.empty() ? "baseline" : "other version", Tint::plain, {});
    add(m_row.with_skill, "with skill", Tint::cyan, difference(m_row, m_metric));
    add(m_row.unknown, "arm not told", Tint::plain, {});
    m_table.print(page, 2);
  }

private:
  void add(const std::optional<RunsArm>& arm, std::string name, Tint tint, std::string lift) {
    if (!arm) {
      return;
    }
    std::optional<double> value = value_of(arm, m_metric);
    Tint of_lift = m_metric == RunsMetric::tokens ? Tint::plain
                   : lift.find('-') != lift.npos  ? Tint::red
                   : m_row.lift.value_or(0) > 0   ? Tint::green
                                                  : Tint::plain;
    double share = value && m_largest > 0 ? *value / m_largest : 0;
    m_table.add(
        {{std::move(name)},
         {value ? bar(m_page, share) : std::string("nothing is known"), value ? tint : Tint::dim},
         {value ? text_of(*value, m_metric) : std::string()},
         {std::move(lift), of_lift},
         {about(*arm), Tint::dim}});
  }

  const Page& m_page;
  const RunsRow& m_row;
  RunsMetric m_metric;
  double m_largest = 0;
  Table m_table = Table({{""}, {""}, {"", Fit::right}, {""}, {"", Fit::shrinks}});
};

// "60%->80%", or what is known of it.
std::string change_of(const Page& page, const RunsRow& row, RunsMetric metric) {
  std::optional<double> with = value_of(row.with_skill, metric);
  std::optional<double> without = value_of(row.baseline, metric);
  if (with && without) {
    return text_of(*without, metric) + std::string(page.sign("→", "->")) + text_of(*with, metric);
  }
  if (with || without) {
    return (with ? "" : "baseline ") + text_of(with ? *with : *without, metric);
  }
  std::optional<double> unknown = value_of(row.unknown, metric);
  return unknown ? text_of(*unknown, metric) + " ?" : "?";
}

Cell cell_of(const Page& page, const RunsRow& row, RunsMetric metric) {
  double lift = metric == RunsMetric::success ? row.lift.value_or(0) : 0;
  return {change_of(page, row, metric),
          lift > 0   ? Tint::green
          : lift < 0 ? Tint::red
                     : Tint::plain};
}

// Of those models, which fit on the screen.
void print_matrix(Page& page,
                  const std::vector<RunsRow>& rows,
                  const std::vector<std::string>& models,
                  RunsMetric metric) {
  std::vector<Column> columns{{"SKILL", Fit::shrinks}};
  for (const std::string& model : models) {
    columns.push_back({clean_line(model)});
  }
  Table table(std::move(columns));
  for (auto at = rows.begin(); at != rows.end();) {
    auto end = std::find_if(at, rows.end(), [&](const RunsRow& row) {
      return row.skill != at->skill; // rows are by skill
    });
    std::vector<Cell> cells{{name_of_skill(*at)}};
    for (const std::string& model : models) {
      auto row =
          std::find_if(at, end, [&](const RunsRow& one) { return name_of_model(one) == model; });
      cells.push_back(row == end ? Cell{} : cell_of(page, *row, metric));
    }
    table.add(std::move(cells));
    at = end;
  }
  page.line();
  table.print(page);
}

void print_rows(Page& page, const std::vector<RunsRow>& rows, RunsMetric metric) {
  std::set<std::string> skills;
  std::set<std::string> models;
  for (const RunsRow& row : rows) {
    skills.insert(row.skill);
    models.insert(name_of_model(row));
  }
  if (skills.size() > 1 && models.size() > 1) {
    std::size_t room = page.screen().columns;
    std::size_t fits = std::max<std::size_t>(1, (room - std::min(room, k_skill_column)) / k_value);
    for (auto at = models.begin(); at != models.end();) {
      std::vector<std::string> shown;
      for (; at != models.end() && shown.size() < fits; ++at) {
        shown.push_back(*at);
      }
      print_matrix(page, rows, shown, metric);
    }
    return;
  }
  bool one_skill = skills.size() == 1;
  std::string common = one_skill ? name_of_skill(rows.front()) : name_of_model(rows.front());
  page.headline(clean_line(common),
                metric == RunsMetric::success ? "  pass rate" : "  tokens of a run");
  for (const RunsRow& row : rows) {
    Panel(page, row, metric).print(page, one_skill ? name_of_model(row) : name_of_skill(row));
  }
}

} // namespace

void show(Page& page, const Invocation& invocation, const RunsResult& result) {
  std::string source = result.config.empty() ? "defaults" : page.path(result.config);
  page.line(page.tint(Tint::dim, "Config source: " + source));
  if (result.rows.empty()) {
    page.line("no runs in " + page.path(result.dir));
    page.paragraph("`upskill eval` logs its runs there; `--dir` names another folder.");
  } else {
    print_rows(page, result.rows, metric_of(invocation));
  }
  if (!result.csv.empty()) {
    page.line();
    page.line(count(result.runs, "run", "runs") + " written to " + page.path(result.csv));
  }
  if (result.left_out > 0) {
    page.warning(count(result.left_out, "older run is", "older runs are") + " left out");
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

} // namespace upskill::cli
