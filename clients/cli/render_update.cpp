#include "clients/cli/danger_parts.h"
#include "clients/cli/diff_view.h"
#include "clients/cli/install_parts.h"
#include "clients/cli/render.h"
#include "clients/cli/said_again.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"
#include "protocol/methods.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_most_lines = 120; // of what changed in one skill
constexpr std::size_t k_most_shown = 50;  // skills that are told in full

bool is_outdated(const Invocation& invocation) {
  return invocation.command.method != nullptr
         && invocation.command.method->name == k_skill_outdated.name;
}

bool only_tells(const Invocation& invocation, const UpdateResult& result) {
  return result.dry_run || invocation.flag("dry_run") || invocation.flag("check")
         || is_outdated(invocation);
}

Cell state_cell(UpdateState state) {
  switch (state) {
  case UpdateState::current:
    return {"current", Tint::dim};
  case UpdateState::edited:
    return {"edited here", Tint::dim};
  case UpdateState::available:
    return {"new version", Tint::cyan};
  case UpdateState::updated:
    return {"updated", Tint::green};
  case UpdateState::merged:
    return {"merged", Tint::green};
  case UpdateState::conflict:
    return {"conflict", Tint::yellow};
  case UpdateState::dangerous:
    return {"kept out", Tint::red};
  case UpdateState::gone:
    return {"gone at its source", Tint::yellow};
  case UpdateState::missing:
    return {"not here", Tint::yellow};
  case UpdateState::failed:
    break;
  }
  return {"failed", Tint::red};
}

bool has_new(const UpdatedSkill& skill) {
  return skill.state == UpdateState::available || skill.state == UpdateState::updated
         || skill.state == UpdateState::merged || skill.state == UpdateState::conflict
         || skill.state == UpdateState::dangerous;
}

std::string source_of(const UpdatedSkill& skill) {
  std::string text = skill.source;
  text += skill.ref.empty() ? "" : ", " + skill.ref;
  return text + (skill.commit.empty() ? "" : " at " + brief_hash(skill.commit));
}

bool has_project(const UpdateResult& result) {
  return std::ranges::any_of(result.skills, [](const UpdatedSkill& skill) {
    return !skill.scope.empty() && skill.scope != "user";
  });
}

void print_table(Page& page, const UpdateResult& result) {
  bool projects = has_project(result);
  std::vector<Column> columns{{"SKILL", Fit::shrinks}, {"HERE"}, {"THERE"}, {"", Fit::content}};
  if (projects) {
    columns.push_back({"SCOPE", Fit::shrinks});
  }
  columns.push_back({"SOURCE", Fit::shrinks});
  Table table(columns);
  for (const UpdatedSkill& skill : result.skills) {
    Cell state = state_cell(skill.state);
    if (skill.edited && skill.state == UpdateState::available) {
      state.text += ", edited here";
    }
    std::vector<Cell> row{{skill.skill},
                          {brief_hash(skill.before), Tint::dim},
                          {brief_hash(skill.after), Tint::dim},
                          std::move(state)};
    if (projects) {
      row.push_back({page.path(skill.scope)});
    }
    row.push_back({source_of(skill), Tint::dim});
    table.add(std::move(row));
  }
  table.print(page, 2);
}

// The command for one skill of several.
std::string command_for(const Invocation& invocation, const UpdatedSkill& skill) {
  std::string again = "upskill update " + shell_word(skill.skill);
  for (std::string_view field : {"scope", "project"}) {
    std::optional<std::string> value = invocation.value(field);
    if (value && (field == "project" || !invocation.flag("project"))) {
      again += " --" + std::string(field) + " " + shell_word(*value);
    }
  }
  return again;
}

std::vector<NextStep> next_steps(const Invocation& invocation, const UpdatedSkill& skill) {
  std::string name = shell_word(skill.skill);
  switch (skill.state) {
  case UpdateState::conflict:
    return {{"What is here stays. `upskill sync conflicts " + name
             + "` shows both; `upskill sync resolve " + name
             + " loser` takes the source's version, `winner` keeps yours."}};
  case UpdateState::dangerous:
    return {
        {"Once you have read it and know why:",
         command_for(invocation, skill) + " --allow " + allowance_of(skill.skill, skill.after)}};
  case UpdateState::gone:
    return {{"It stays as it is; `upskill remove " + name + "` takes it away."}};
  case UpdateState::available:
    if (skill.edited) {
      return {{"What you edited stays and is merged. To have the source's version as it is:",
               command_for(invocation, skill) + " --take theirs"}};
    }
    break;
  default:
    break;
  }
  return skill.hint.empty() ? std::vector<NextStep>() : std::vector<NextStep>{{skill.hint}};
}

std::string why_of(const UpdatedSkill& skill) {
  if (!skill.reason.empty() || skill.state != UpdateState::conflict) {
    return skill.reason;
  }
  return "you and the source changed the same"
         + (skill.conflict ? "; it is conflict " + std::to_string(*skill.conflict) : std::string());
}

// What it may do besides comes first: a diff of thousands of lines hides it.
void print_skill(Page& page, const Invocation& invocation, const UpdatedSkill& skill) {
  Cell state = state_cell(skill.state);
  page.line();
  page.line(page.tint(Tint::bold, clean_line(skill.skill)) + "  "
            + page.tint(state.tint, state.text)
            + page.tint(Tint::dim, skill.edited ? "  edited here" : ""));
  if (std::string why = why_of(skill); !why.empty()) {
    page.paragraph(why, 2);
  }
  print_gains(page, skill.gains, 2);
  print_findings(
      page, skill.findings, invocation.flag("verbose") ? Notes::shown : Notes::counted, 2);
  if (!skill.diff.empty()) {
    print_diffs(page, skill.diff, 2, k_most_lines);
  } else if (!skill.changed.empty()) {
    page.paragraph("changed: " + joined(skill.changed), 2, Tint::dim);
  }
  print_steps(page, next_steps(invocation, skill), 2);
}

// What it may do besides is told wherever a new version is, also to who agreed without a plan.
void print_what_it_gains(Page& page, const UpdatedSkill& skill) {
  page.line();
  page.line(page.tint(Tint::bold, clean_line(skill.skill)));
  print_gains(page, skill.gains, 2);
}

// After an update its diff is told no more: it was the plan that was agreed to.
bool is_told(const UpdatedSkill& skill, bool only_tells, bool is_table) {
  bool needs_a_hand = skill.state == UpdateState::conflict || skill.state == UpdateState::dangerous
                      || skill.state == UpdateState::gone || skill.state == UpdateState::missing
                      || skill.state == UpdateState::failed;
  return needs_a_hand || (only_tells && !is_table && has_new(skill));
}

void print_end(Page& page,
               const Invocation& invocation,
               const UpdateResult& result,
               bool only_tells) {
  bool any_done = std::ranges::any_of(result.skills, [](const UpdatedSkill& skill) {
    return skill.state == UpdateState::updated || skill.state == UpdateState::merged
           || skill.state == UpdateState::conflict;
  });
  page.line();
  if (result.current > 0) {
    page.line(count(result.current, "skill has", "skills have") + " nothing new.");
  }
  if (any_done && !only_tells) {
    page.paragraph("`upskill sync undo` takes it back, one skill after the other; what was "
                   "replaced is kept, and `upskill rollback NAME` puts it in place again.");
  } else if (is_outdated(invocation) && result.any_new) {
    page.paragraph("`upskill update` shows what changed and asks before it takes it; `upskill "
                   "update NAME` takes one.");
  } else if (invocation.flag("check") && result.any_new) {
    page.paragraph("`upskill update` takes it.");
  } else if (only_tells && result.any_new) {
    page.paragraph("Nothing is lost: what it replaces is kept, and `upskill sync undo` takes it "
                   "back.");
  }
}

} // namespace

void show(Page& page, const Invocation& invocation, const UpdateResult& result) {
  bool tells = only_tells(invocation, result);
  bool is_table = is_outdated(invocation) || invocation.flag("check");
  if (result.skills.empty() && result.current == 0) {
    page.line("Nothing was installed from a source.");
    page.paragraph("`upskill install SOURCE` installs skills; `upskill help install` tells from "
                   "where.");
  } else if (result.skills.empty()) {
    page.line(result.current == 1
                  ? "The one installed skill has nothing new."
                  : "None of " + grouped(result.current) + " installed skills has anything new.");
  } else {
    page.line(page.tint(Tint::bold,
                        is_table ? "What their sources have"
                        : tells  ? "What would be updated"
                                 : "Updated"));
    print_table(page, result);
    std::size_t told = 0;
    for (const UpdatedSkill& skill : result.skills) {
      const bool is_whole = is_told(skill, tells, is_table);
      if ((is_whole || !skill.gains.empty()) && ++told <= k_most_shown) {
        is_whole ? print_skill(page, invocation, skill) : print_what_it_gains(page, skill);
      }
    }
    if (told > k_most_shown) {
      page.line();
      page.line(page.tint(Tint::dim,
                          "and " + grouped(static_cast<long long>(told - k_most_shown))
                              + " more; --json tells all of them"));
    }
    print_end(page, invocation, result, tells);
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

} // namespace upskill::cli
