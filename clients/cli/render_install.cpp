#include "clients/cli/danger_parts.h"
#include "clients/cli/install_parts.h"
#include "clients/cli/render.h"
#include "clients/cli/said_again.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_most_rows = 200; // of a table; a source may have 10,000 skills

bool is_planned(const Invocation& invocation, const InstallResult& result) {
  return result.dry_run || invocation.flag("dry_run");
}

Cell state_cell(InstallState state, bool is_planned) {
  switch (state) {
  case InstallState::installed:
    return {is_planned ? "new" : "installed", Tint::green};
  case InstallState::updated:
    return {is_planned ? "newer version" : "updated", Tint::cyan};
  case InstallState::unchanged:
    return {"here already", Tint::dim};
  case InstallState::offered:
    return {"not chosen", Tint::dim};
  case InstallState::taken:
    return {"name is taken", Tint::yellow};
  case InstallState::dangerous:
    return {"kept out", Tint::red};
  case InstallState::invalid:
  case InstallState::failed:
    break;
  }
  return {std::string(enum_name(state)), Tint::red};
}

bool is_refused(InstallState state) {
  return state == InstallState::taken || state == InstallState::dangerous
         || state == InstallState::invalid || state == InstallState::failed;
}

std::string tokens_of(const InstalledSkill& skill) {
  return skill.tokens > 0 ? grouped(skill.tokens) : "";
}

std::string rest_of(const InstallResult& result) {
  std::string rest = " from " + result.source;
  rest += result.ref.empty() ? "" : ", " + result.ref;
  rest += result.commit.empty() ? "" : " at " + brief_hash(result.commit);
  bool is_project = !result.scope.empty() && result.scope != "user";
  return rest + (is_project ? ", into the project " + result.scope : "");
}

void print_more(Page& page, std::size_t total) {
  if (total > k_most_rows) {
    page.line(page.tint(Tint::dim,
                        "  and " + grouped(static_cast<long long>(total - k_most_rows))
                            + " more; --json lists all"));
  }
}

// What there is to choose from.
void print_offers(Page& page, const InstallResult& result) {
  Table table({{"SKILL", Fit::shrinks}, {"DANGER"}, {"TOKENS", Fit::right}, {"", Fit::shrinks}});
  std::size_t total = 0;
  for (const InstalledSkill& skill : result.skills) {
    if (++total <= k_most_rows) {
      bool is_offered = skill.state == InstallState::offered;
      table.add({{skill.skill},
                 danger_cell(skill.danger),
                 {tokens_of(skill)},
                 {is_offered || !skill.description.empty() ? skill.description : skill.reason,
                  Tint::dim}});
    }
  }
  table.print(page, 2);
  print_more(page, total);
}

void print_table(Page& page, const InstallResult& result, bool is_planned) {
  Table table({{"SKILL", Fit::shrinks},
               {"", Fit::content},
               {"DANGER"},
               {"TOKENS", Fit::right},
               {"AGENTS", Fit::shrinks}});
  std::size_t total = 0;
  for (const InstalledSkill& skill : result.skills) {
    if (skill.state != InstallState::offered && ++total <= k_most_rows) {
      table.add({{skill.skill},
                 state_cell(skill.state, is_planned),
                 danger_cell(skill.danger),
                 {tokens_of(skill)},
                 {joined(skill.agents), Tint::dim}});
    }
  }
  if (total > 0) {
    table.print(page, 2);
    print_more(page, total);
  }
}

// What could not be done as it was asked for, and what was found in all that comes.
void print_remarks(Page& page, const Invocation& invocation, const InstallResult& result) {
  Notes notes = invocation.flag("verbose") ? Notes::shown : Notes::counted;
  bool has_several = result.skills.size() > 1;
  std::size_t told = 0;
  for (const InstalledSkill& skill : result.skills) {
    bool comes = skill.state == InstallState::installed || skill.state == InstallState::updated;
    bool has_news =
        is_refused(skill.state) || !skill.reason.empty() || (comes && !skill.findings.empty());
    if (skill.state == InstallState::offered || !has_news || ++told > k_most_rows) {
      continue;
    }
    page.line();
    std::string_view mark = is_refused(skill.state) ? "! " : "";
    page.paragraph(std::string(mark) + clean_line(skill.skill)
                   + (skill.reason.empty() ? std::string() : ": " + page.prose(skill.reason)));
    if (is_refused(skill.state) || comes) {
      print_findings(page, skill.findings, notes, 2);
    }
    print_steps(page, next_steps(invocation, skill, has_several), 2);
  }
}

// The folders that skills were put into, each once.
std::string folders_of(const Page& page, const InstallResult& result) {
  std::vector<std::string> folders;
  for (const InstalledSkill& skill : result.skills) {
    for (const std::string& path : skill.paths) {
      std::string folder = page.local_path(path.substr(0, path.rfind('/')));
      if (std::ranges::find(folders, folder) == folders.end()) {
        folders.push_back(std::move(folder));
      }
    }
  }
  return joined(folders);
}

void print_end(Page& page, const InstallResult& result, bool is_planned) {
  long long come = 0;
  long long unchanged = 0;
  for (const InstalledSkill& skill : result.skills) {
    come += skill.state == InstallState::installed || skill.state == InstallState::updated ? 1 : 0;
    unchanged += skill.state == InstallState::unchanged ? 1 : 0;
  }
  page.line();
  if (std::string folders = folders_of(page, result); come > 0 && !folders.empty()) {
    page.paragraph((is_planned ? "Would go into " : "Lies in ") + folders);
  }
  if (come > 0) {
    page.paragraph(
        is_planned
            ? "Nothing is lost: what it replaces is kept, and `upskill sync undo` takes it back."
        : come > 1
            ? "`upskill sync undo` takes them back one after the other; `upskill outdated` tells "
              "when there are newer versions."
            : "`upskill sync undo` takes it back; `upskill outdated` tells when there is a newer "
              "version.");
  } else if (unchanged > 0) {
    page.line(unchanged == 1 ? "It is here already, in this version."
                             : "All " + grouped(unchanged) + " are here already, in this version.");
  } else {
    page.line(is_planned ? "Nothing would be installed." : "Nothing was installed.");
  }
}

} // namespace

void show(Page& page, const Invocation& invocation, const InstallResult& result) {
  bool planned = is_planned(invocation, result);
  if (result.choose) {
    page.headline(count(static_cast<long long>(result.skills.size()), "skill", "skills"),
                  rest_of(result));
    print_offers(page, result);
    page.line();
    page.paragraph("Nothing was installed, for none was named. `"
                   + said_again(invocation, {"skill", "all", "plan", "dry_run"})
                   + " --skill NAME` takes one, `--all` takes every one.");
  } else {
    page.headline(planned ? "What would be installed" : "Installed", rest_of(result));
    print_table(page, result, planned);
    print_remarks(page, invocation, result);
    print_end(page, result, planned);
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

} // namespace upskill::cli
