#include "skills/eval/html_model.h"

#include "skills/eval/report_numbers.h"
#include "skills/eval/svg_plot.h"

namespace upskill::eval {
namespace {

constexpr std::size_t k_most_combinations = 2000;

std::string_view word_of(EvalVerdict verdict) {
  return EnumNames<EvalVerdict>::names[static_cast<std::size_t>(verdict)];
}

std::string_view sign_of(EvalVerdict verdict) {
  switch (verdict) {
  case EvalVerdict::better:
    return "\xE2\x96\xB2 "; // up
  case EvalVerdict::worse:
    return "\xE2\x96\xBC "; // down
  case EvalVerdict::undecided:
    break;
  }
  return "? ";
}

std::string lift_text(const std::optional<EvalLift>& lift) {
  return lift ? as_lift(lift->value, lift->low, lift->high) : "unknown";
}

std::string interval_text(const EvalArmReport& arm) {
  if (!arm.low || !arm.high) {
    return {};
  }
  return " [" + as_percent(arm.low) + ", " + as_percent(arm.high) + "]";
}

void fact(HtmlPage& page, std::string_view name, std::string_view value) {
  page.element("dt", name).element("dd", value).raw("\n");
}

void fact(HtmlPage& page, std::string_view name, std::optional<double> value, auto shown) {
  if (value) {
    fact(page, name, shown(value));
  }
}

void write_verdict(HtmlPage& page, const EvalModelReport& model) {
  page.raw("<p><span class=\"verdict ").raw(word_of(model.verdict)).raw("\">");
  page.raw(sign_of(model.verdict)).raw(word_of(model.verdict)).raw("</span>");
  if (model.lift) {
    page.raw(" lift ").text(lift_text(model.lift));
  }
  if (!model.reason.empty()) {
    page.raw(", ").text(model.reason);
  }
  if (model.more_cases) {
    page.text(", needs about " + as_count(model.more_cases) + " more cases");
  }
  page.raw("</p>\n");
}

void write_bars(HtmlPage& page, const EvalModelReport& model) {
  page.raw("<pre class=\"bars\">");
  if (model.baseline) {
    page.raw("baseline    <span class=\"faint\">").text(rate_bar(model.baseline->rate));
    page.raw("</span>  ").text(as_percent(model.baseline->rate)).raw("\n");
  }
  page.raw("with skill  <span class=\"").raw(word_of(model.verdict)).raw("\">");
  page.text(rate_bar(model.with_skill.rate)).raw("</span>  ");
  page.text(as_percent(model.with_skill.rate));
  if (model.lift) {
    page.text("  (" + as_change(model.lift->value) + ")");
  }
  page.raw("</pre>\n");
}

void write_arm(HtmlPage& page, std::string_view name, const EvalArmReport& arm) {
  page.raw("<tr><th scope=\"row\">").text(name).raw("</th>");
  page.element("td", as_percent(arm.rate) + interval_text(arm), "n");
  page.element("td", as_count(arm.passed) + " of " + as_count(arm.samples), "n");
  page.element("td", as_count(arm.errors), arm.errors > 0 ? "n error" : "n");
  page.element("td", as_count(arm.tokens.input), "n");
  page.element("td", as_count(arm.tokens.output), "n");
  page.element("td", as_count(arm.tokens.total), "n");
  page.element("td", as_dollars(arm.cost), "n").raw("</tr>\n");
}

void write_arms(HtmlPage& page, const EvalResult& result, const EvalModelReport& model) {
  page.raw("<table>\n<thead><tr><th></th>");
  for (std::string_view name :
       {"rate [95 %]", "samples passed", "errors", "tokens in", "tokens out", "tokens", "cost"}) {
    page.raw("<th class=\"n\" scope=\"col\">").raw(name).raw("</th>");
  }
  page.raw("</tr></thead>\n<tbody>");
  if (model.baseline) {
    write_arm(
        page, result.against.empty() ? "baseline" : "baseline: " + result.against, *model.baseline);
  }
  write_arm(page, "with skill", model.with_skill);
  page.raw("</tbody></table>\n");
}

void write_facts(HtmlPage& page, const EvalModelReport& model) {
  page.raw("<dl>\n");
  if (model.lift) {
    fact(page,
         "cases",
         as_count(model.cases_better) + " better, " + as_count(model.cases_worse)
             + " worse with the skill");
  }
  auto decimal = [](std::optional<double> value) {
    return *value > 0 && *value < 0.0001 ? "under 0.0001" : as_decimal(*value, 4);
  };
  fact(page, "tokens with skill by without", model.token_ratio, as_ratio);
  fact(page, "cost with skill by without", model.cost_ratio, as_ratio);
  fact(page, "time with skill by without", model.time_ratio, as_ratio);
  fact(page, "lift for each 1,000 tokens more", model.lift_per_1k_tokens, as_change);
  fact(page, "share of what was left to gain", model.gain, as_percent);
  fact(page, "cases that pass in every run", model.pass_all, as_percent);
  fact(page, "p (no difference)", model.p_value, decimal);
  auto lift_that_is_one = [](std::optional<double> lift) {
    return *lift <= 1 ? as_percent(lift) : "none, with so few cases";
  };
  fact(page, "smallest lift that would show", model.detectable, lift_that_is_one);
  if (model.lift) {
    fact(page, "upskill's rule", model.is_beneficial ? "beneficial" : "not beneficial");
  }
  if (!model.resolved.empty()) {
    fact(page, "answered by", model.resolved);
  }
  page.raw("</dl>\n");
}

std::string share_text(const std::optional<EvalShare>& share) {
  if (!share) {
    return "unknown";
  }
  return as_percent(share->value) + " [" + as_percent(share->low) + ", " + as_percent(share->high)
         + "]";
}

void write_trigger(HtmlPage& page, const EvalTrigger& trigger) {
  page.raw("<h3>Was the skill picked?</h3>\n<table>\n<thead><tr><th></th>"
           "<th class=\"n\" scope=\"col\">picked</th><th class=\"n\" scope=\"col\">not picked</th>"
           "</tr></thead>\n<tbody><tr><th scope=\"row\">should be picked</th>");
  page.element("td", as_count(trigger.true_positives), "n passed");
  page.element("td", as_count(trigger.false_negatives), "n failed");
  page.raw("</tr>\n<tr><th scope=\"row\">should not be picked</th>");
  page.element("td", as_count(trigger.false_positives), "n failed");
  page.element("td", as_count(trigger.true_negatives), "n passed");
  page.raw("</tr></tbody></table>\n<dl>\n");
  fact(page, "precision", share_text(trigger.precision));
  fact(page, "recall", share_text(trigger.recall));
  fact(page, "F1", trigger.f1 ? as_decimal(*trigger.f1, 3) : "unknown");
  fact(page, "samples that do not tell", as_count(trigger.unknown));
  page.raw("</dl>\n");
}

std::string_view class_of(const std::optional<EvalLift>& lift) {
  return !lift ? "n" : lift->low > 0 ? "n better" : lift->high < 0 ? "n worse" : "n";
}

} // namespace

void write_model(HtmlPage& page, const EvalResult& result, const EvalModelReport& model) {
  page.raw("<h2>").text(model.model, 200);
  if (!model.student.empty() && model.student != "chat") {
    page.raw(" <span class=\"faint\">as ").text(model.student, 200).raw("</span>");
  }
  page.raw("</h2>\n");
  write_verdict(page, model);
  write_bars(page, model);
  write_arms(page, result, model);
  write_facts(page, model);
  if (model.trigger) {
    write_trigger(page, *model.trigger);
  }
}

void write_combinations(HtmlPage& page, const EvalResult& result) {
  if (result.combinations.empty()) {
    return;
  }
  page.raw("<h2>Skills together</h2>\n<table>\n<thead><tr><th scope=\"col\">model</th>"
           "<th scope=\"col\">skills</th><th class=\"n\" scope=\"col\">rate [95 %]</th>"
           "<th class=\"n\" scope=\"col\">lift against none</th>"
           "<th class=\"n\" scope=\"col\">against all</th></tr></thead>\n<tbody>\n");
  std::size_t written = 0;
  for (const EvalCombination& one : result.combinations) {
    if (written == k_most_combinations) {
      break;
    }
    ++written;
    std::string skills;
    for (const std::string& skill : one.skills) {
      skills += (skills.empty() ? "" : ", ") + skill;
    }
    page.raw("<tr>").element("td", one.model).element("td", skills.empty() ? "none" : skills);
    page.element("td", as_percent(one.arm.rate) + interval_text(one.arm), "n");
    page.element("td", lift_text(one.lift), class_of(one.lift));
    page.element("td", lift_text(one.without_it), class_of(one.without_it)).raw("</tr>\n");
  }
  page.raw("</tbody></table>\n");
  if (written < result.combinations.size()) {
    page.raw("<p class=\"notice\">");
    page.text(as_count(static_cast<std::int64_t>(result.combinations.size() - written)));
    page.raw(" more are left out here</p>\n");
  }
}

} // namespace upskill::eval
