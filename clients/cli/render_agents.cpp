#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

namespace upskill::cli {
namespace {

Cell level_cell(FindingLevel level) {
  switch (level) {
  case FindingLevel::error:
    return {"error", Tint::red};
  case FindingLevel::warning:
    return {"warning", Tint::yellow};
  case FindingLevel::info:
    break;
  }
  return {"info", Tint::dim};
}

void print_finding(Page& page, const Finding& finding) {
  Cell level = level_cell(finding.level);
  std::string label = clean_line(finding.check) + ": " + page.prose(finding.message);
  page.line(page.tint(level.tint, level.text + ":") + " " + label);
  if (!finding.hint.empty()) {
    page.line("  hint: " + page.prose(finding.hint));
  }
}

void print_view(Page& page, const AgentView& view) {
  std::int64_t shown = 0;
  std::int64_t twice = 0;
  for (const ListedSkill& skill : view.lists) {
    shown += skill.times;
    twice += skill.times > 1 ? 1 : 0;
  }
  page.line(
      page.tint(Tint::bold, clean_line(view.agent)) + "  "
      + page.tint(Tint::dim,
                  "lists " + count(shown, "skill", "skills")
                      + (twice > 0 ? ", " + grouped(twice) + " of them more than once" : "")));
  Table table({{""}, {"", Fit::shrinks}, {"", Fit::shrinks}, {"", Fit::shrinks}});
  for (const ListedSkill& skill : view.lists) {
    bool odd = skill.times != 1 || !skill.note.empty();
    std::string times = skill.times == 1   ? std::string()
                        : skill.times == 0 ? "not listed"
                                           : "listed " + std::to_string(skill.times) + " times";
    if (!times.empty() && !skill.note.empty()) {
      times += ": ";
    }
    table.add({{std::string(odd ? "!" : page.sign("✓", "+")), odd ? Tint::yellow : Tint::green},
               {skill.skill},
               {page.path(skill.path), Tint::dim},
               {times + page.prose(skill.note), Tint::yellow}});
  }
  for (const std::string& missed : view.misses) {
    table.add({{std::string(page.sign("✗", "x")), Tint::red},
               {missed},
               {"cannot see it", Tint::red},
               {""}});
  }
  table.print(page, 2);
}

} // namespace

void show(Page& page, const Invocation& invocation, const AgentListResult& result) {
  if (result.agents.empty()) {
    page.line("No coding agent was found here.");
    if (!invocation.flag("all")) {
      page.line("`upskill agents --all` lists those that are known.");
    }
    return;
  }
  Table table({{"AGENT"},
               {"NAME", Fit::shrinks},
               {"FOUND"},
               {"SYNC"},
               {"WRITES TO", Fit::shrinks},
               {"READS", Fit::shrinks}});
  for (const AgentStatus& agent : result.agents) {
    std::vector<std::string> reads;
    for (const std::string& folder : agent.reads) {
      reads.push_back(page.path(folder));
    }
    table.add({{agent.agent, Tint::bold},
               {agent.title},
               {agent.detected ? "yes" : "no", agent.detected ? Tint::green : Tint::dim},
               {agent.enabled ? "on" : "off", agent.enabled ? Tint::green : Tint::dim},
               {agent.writes.empty() ? "" : page.path(agent.writes)},
               {joined(reads), Tint::dim}});
  }
  table.print(page);
}

void show(Page& page, const Invocation&, const DoctorResult& result) {
  page.line(result.healthy ? page.tint(Tint::green, page.sign("✓", "ok")) + " all is well"
                           : page.tint(Tint::yellow, "!") + " something needs a look");
  for (const Finding& finding : result.findings) {
    print_finding(page, finding);
  }
  if (!result.roots.empty()) {
    page.line();
    Table roots(
        {{"FOLDER", Fit::shrinks}, {"STATE"}, {"SKILLS", Fit::right}, {"READ BY", Fit::shrinks}});
    for (const RootStatus& root : result.roots) {
      roots.add({{page.path(root.path)},
                 {std::string(enum_name(root.state))},
                 {grouped(root.skills)},
                 {joined(root.agents), Tint::dim}});
    }
    roots.print(page);
  }
  for (const AgentView& view : result.agents) {
    page.line();
    print_view(page, view);
  }
  if (result.agents.empty()) {
    page.line();
    page.paragraph(
        "No coding agent was found, so nobody would list a skill. `upskill agents --all` "
        "shows those that are known.");
  }
}

} // namespace upskill::cli
