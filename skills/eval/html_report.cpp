#include "skills/eval/html_report.h"

#include "skills/eval/html_cases.h"
#include "skills/eval/html_model.h"
#include "skills/eval/html_page.h"
#include "skills/eval/report_numbers.h"
#include "skills/eval/svg_plot.h"

#include <algorithm>
#include <vector>

namespace upskill::eval {
namespace {

constexpr std::size_t k_most_warnings = 100;

std::string count(std::size_t number) {
  return as_count(static_cast<std::int64_t>(number));
}

void fact(HtmlPage& page, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    page.element("dt", name).element("dd", value).raw("\n");
  }
}

void notice(HtmlPage& page,
            std::string_view classes,
            std::string_view name,
            std::string_view text) {
  if (!text.empty()) {
    page.raw("<p class=\"").raw(classes).raw("\">").element("strong", name).raw(" ");
    page.text(text).raw("</p>\n");
  }
}

void write_header(HtmlPage& page, const EvalResult& result) {
  page.raw("<h1>Evaluation of ").text(result.skill, 200).raw("</h1>\n");
  if (result.scripted) {
    notice(page,
           "notice",
           "Scripted:",
           "a script answered in place of a model. These numbers show how the report looks, "
           "and measure no model.");
  }
  notice(page, "notice worse", "Failed:", result.failed);
  notice(page, "notice", "Stopped early:", result.stopped);
  page.raw("<dl>\n");
  fact(page, "skill", result.skill);
  fact(page, "hash", result.hash);
  fact(page, "when", result.started_at);
  fact(page,
       "samples",
       as_count(result.cases) + " cases, " + as_count(result.runs) + " runs of each and arm");
  fact(page, "against", result.against);
  fact(page, "seed", std::to_string(result.seed));
  fact(page, "configuration", result.config);
  fact(page, "spent", result.cost ? as_dollars(result.cost) : "");
  fact(page, "calls to models", result.asked > 0 ? as_count(result.asked) : "");
  fact(page, "answered before", result.cached > 0 ? as_count(result.cached) + " samples" : "");
  fact(page, "evaluation", result.id);
  page.raw("</dl>\n");
  for (std::size_t i = 0; i < std::min(result.warnings.size(), k_most_warnings); ++i) {
    notice(page, "undecided", "warning:", result.warnings[i]);
  }
  if (result.warnings.size() > k_most_warnings) {
    notice(page, "undecided", count(result.warnings.size() - k_most_warnings), "more warnings");
  }
}

void write_plot(HtmlPage& page, const EvalResult& result) {
  std::vector<PlottedLift> lifts;
  for (const EvalModelReport& model : result.models) {
    if (model.lift) {
      lifts.push_back({model.model, *model.lift, model.verdict});
    }
  }
  if (!lifts.empty()) {
    page.raw("<h2>Lift</h2>\n<p class=\"faint\">Share of passes with the skill minus without, in "
             "percentage points; the line is its 95 % interval.</p>\n");
    page.raw(forest_plot(lifts));
  }
}

} // namespace

std::string html_report(const EvalResult& result, const HtmlLimits& limits) {
  HtmlPage page(limits.bytes);
  page.raw(html_head("Evaluation of " + result.skill)).raw("<main>\n");
  write_header(page, result);
  const std::size_t top = page.size();
  write_plot(page, result);
  std::size_t cases_left_out = 0;
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    page.raw("<section>\n");
    write_model(page, result, result.models[i]);
    page.share_among(result.models.size() - i);
    cases_left_out += write_cases(page, result.models[i], limits.cases);
    page.raw("</section>\n");
  }
  if (result.models.empty()) {
    page.raw("<p class=\"notice\">No model was asked.</p>\n");
  }
  write_combinations(page, result);
  page.raw("</main>\n</body>\n</html>\n");
  if (cases_left_out + page.texts_left_out() > 0) {
    page.insert(top,
                "<p class=\"notice\">To keep this file small, it leaves out "
                    + count(cases_left_out) + " cases of its tables and "
                    + count(page.texts_left_out())
                    + " long texts. The numbers are of all of them.</p>\n");
  }
  return page.take();
}

} // namespace upskill::eval
