#include "skills/eval/html_cases.h"

#include "skills/eval/interval.h"
#include "skills/eval/report_numbers.h"
#include "skills/eval/report_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace upskill::eval {
namespace {

// About what a case or a sample takes beside its long texts, before it is escaped.
constexpr std::size_t k_row_bytes = 1000;

std::optional<double> change_of(const ReportedCase& one) {
  if (one.report == nullptr || !one.report->with_skill || !one.report->baseline) {
    return std::nullopt;
  }
  return *one.report->with_skill - *one.report->baseline;
}

// Increasing: the greatest loss first, what is unknown last; without a baseline the lowest rate.
double rank_of(const ReportedCase& one, bool has_baseline) {
  std::optional<double> value = change_of(one);
  if (!has_baseline && one.report != nullptr) {
    value = one.report->with_skill;
  }
  return value.value_or(std::numeric_limits<double>::infinity());
}

std::string_view direction_of(std::optional<double> change) {
  if (!change || std::abs(*change) < k_rounding) {
    return {};
  }
  return *change > 0 ? "better" : "worse";
}

std::string_view word_of(SampleOutcome outcome) {
  return EnumNames<SampleOutcome>::names[static_cast<std::size_t>(outcome)];
}

void write_checks(HtmlPage& page, const EvalSample& sample) {
  if (sample.checks.empty()) {
    return;
  }
  page.raw("<ul>\n");
  std::size_t left = sample.checks.size();
  for (const EvalCheckReport& check : sample.checks) {
    if (!page.has_room(check.name.size() + check.evidence.size() + k_row_bytes)) {
      page.raw("<li>").text(as_count(static_cast<std::int64_t>(left))).raw(" more</li>\n");
      break;
    }
    --left;
    bool is_unknown = check.outcome == SampleOutcome::error;
    page.raw("<li>").element("strong",
                             is_unknown ? "could not be told" : word_of(check.outcome),
                             word_of(check.outcome));
    page.raw(" ").text(check.name);
    if (!check.evidence.empty()) {
      page.raw(" <span class=\"faint\">").text(check.evidence).raw("</span>");
    }
    page.raw("</li>\n");
  }
  page.raw("</ul>\n");
}

void write_sample(HtmlPage& page, const EvalSample& sample) {
  page.raw("<div class=\"sample ").raw(word_of(sample.outcome)).raw("\"><h4>");
  page.raw(sample.arm == EvalArm::with_skill ? "with skill" : "baseline");
  page.text(", run " + std::to_string(sample.run) + ": ").raw(word_of(sample.outcome));
  page.raw("</h4>\n<p class=\"faint\">");
  page.text(as_count(sample.tokens.total)).raw(" tokens, cost ").text(as_dollars(sample.cost));
  page.raw(", time ").text(as_seconds(sample.milliseconds));
  if (sample.turns) {
    page.text(", " + as_count(sample.turns) + " turns");
  }
  if (sample.tool_calls) {
    page.text(", " + as_count(sample.tool_calls) + " tool calls");
  }
  if (sample.skill_used && sample.arm == EvalArm::with_skill) {
    page.raw(*sample.skill_used ? ", skill picked" : ", skill not picked");
  }
  if (!sample.answered_by.empty()) {
    page.raw(", by ").text(sample.answered_by, 200);
  }
  page.raw(sample.cached ? ", answered before" : "").raw("</p>\n");
  if (!sample.error.empty()) {
    page.raw("<p>").element("strong", "error", "error").raw(" ").text(sample.error).raw("</p>\n");
  }
  write_checks(page, sample);
  page.long_text("output", sample.output);
  page.raw("</div>\n");
}

void write_details(HtmlPage& page, const ReportedCase& one) {
  page.raw("<details><summary>prompt and ");
  page.text(as_count(static_cast<std::int64_t>(one.samples.size()))).raw(" samples</summary>\n");
  page.long_text("prompt", one.report != nullptr ? std::string_view(one.report->input) : "", true);
  for (std::size_t i = 0; i < one.samples.size(); ++i) {
    if (!page.has_room(k_row_bytes + one.samples[i]->error.size())) {
      page.raw("<p class=\"notice\">");
      page.text(as_count(static_cast<std::int64_t>(one.samples.size() - i)));
      page.raw(" samples are left out, the file would be too large</p>\n");
      break;
    }
    write_sample(page, *one.samples[i]);
  }
  page.raw("</details>\n");
}

void write_case(HtmlPage& page, const ReportedCase& one, bool has_baseline) {
  std::optional<double> change = change_of(one);
  const EvalCaseReport unknown;
  const EvalCaseReport& report = one.report != nullptr ? *one.report : unknown;
  page.raw("<tbody><tr>").raw("<th scope=\"row\">").text(one.id, 200).raw("</th>");
  if (has_baseline) {
    page.element("td", as_percent(report.baseline), "n");
  }
  page.element("td", as_percent(report.with_skill), "n");
  if (has_baseline) {
    std::string_view direction = direction_of(change);
    std::string text = as_change(change);
    text += direction.empty() ? "" : " " + std::string(direction);
    page.element("td", text, direction.empty() ? "n" : "n " + std::string(direction));
  }
  page.element("td", as_count(report.errors), report.errors > 0 ? "n error" : "n");
  page.raw("</tr>\n<tr><td colspan=\"").raw(has_baseline ? "5" : "3").raw("\">");
  write_details(page, one);
  page.raw("</td></tr></tbody>\n");
}

} // namespace

std::size_t write_cases(HtmlPage& page, const EvalModelReport& model, std::size_t most_cases) {
  std::vector<ReportedCase> cases = by_case(model);
  if (cases.empty()) {
    page.raw("<p class=\"faint\">This report has no samples.</p>\n");
    return 0;
  }
  bool has_baseline = model.baseline.has_value();
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ranked.emplace_back(rank_of(cases[i], has_baseline), i);
  }
  std::ranges::sort(ranked);
  page.raw("<h3>Cases, what lost most first</h3>\n<table>\n<thead><tr><th scope=\"col\">case</th>");
  page.raw(has_baseline ? "<th class=\"n\" scope=\"col\">baseline</th>" : "");
  page.raw("<th class=\"n\" scope=\"col\">with skill</th>");
  page.raw(has_baseline ? "<th class=\"n\" scope=\"col\">change</th>" : "");
  page.raw("<th class=\"n\" scope=\"col\">errors</th></tr></thead>\n");
  std::size_t written = 0;
  while (written < std::min(cases.size(), most_cases) && page.has_room(k_row_bytes)) {
    write_case(page, cases[ranked[written++].second], has_baseline);
  }
  page.raw("</table>\n");
  std::size_t left_out = cases.size() - written;
  if (left_out > 0) {
    page.raw("<p class=\"notice\">").text(as_count(static_cast<std::int64_t>(left_out)));
    page.raw(" more cases are left out here; the numbers above are of all.</p>\n");
  }
  return left_out;
}

} // namespace upskill::eval
