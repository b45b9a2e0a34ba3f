#include "clients/cli/danger_parts.h"
#include "clients/cli/diff_view.h"
#include "clients/cli/render.h"
#include "clients/cli/said_again.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_most_lines = 200; // of what a rollback changes

bool is_project(const std::string& scope) {
  return !scope.empty() && scope != "user";
}

void print_paths(Page& page,
                 std::string_view mark,
                 Tint tint,
                 const std::vector<std::string>& paths,
                 std::string_view what) {
  Table table({{""}, {"", Fit::shrinks}, {""}});
  for (const std::string& path : paths) {
    table.add({{std::string(mark), tint}, {page.local_path(path)}, {std::string(what), Tint::dim}});
  }
  table.print(page, 2);
}

void print_versions(Page& page, const RollbackResult& result) {
  Table table(
      {{"VERSION", Fit::right}, {"HASH"}, {"SINCE"}, {"", Fit::content}, {"", Fit::shrinks}});
  for (const SkillVersion& version : result.versions) {
    std::vector<std::string> marks;
    if (version.current) {
      marks.emplace_back("in place");
    }
    if (version.installed) {
      marks.emplace_back("as its source had it");
    }
    table.add({{std::to_string(version.number)},
               {brief_hash(version.hash)},
               {human_time(version.time), Tint::dim},
               {joined(marks), version.current ? Tint::green : Tint::cyan},
               {version.reason, Tint::dim}});
  }
  table.print(page, 2);
}

} // namespace

void show(Page& page, const Invocation& invocation, const RemoveResult& result) {
  bool planned = result.dry_run || invocation.flag("dry_run");
  page.line(page.tint(Tint::bold, planned ? "What would be removed" : "Removed"));
  bool any = false;
  for (const RemovedSkill& skill : result.skills) {
    page.line();
    page.line(page.tint(Tint::bold, clean_line(skill.skill))
              + (is_project(skill.scope)
                     ? page.tint(Tint::dim, "  of the project " + page.path(skill.scope))
                     : ""));
    print_paths(page, "-", Tint::red, skill.paths, planned ? "into the trash" : "in the trash");
    print_paths(page, "+", Tint::green, skill.written, "for the other agents");
    print_paths(page, "=", Tint::dim, skill.kept, "stays");
    if (!skill.reason.empty()) {
      page.paragraph(skill.reason, 2);
    }
    if (skill.paths.empty()) {
      page.line("  Nothing of it goes.");
    }
    any = any || !skill.paths.empty();
  }
  if (any) {
    page.line();
    const RemovedSkill& first = *std::ranges::find_if(
        result.skills, [](const RemovedSkill& skill) { return !skill.paths.empty(); });
    page.paragraph(
        "Nothing is lost: `upskill sync undo` brings "
        + std::string(result.skills.size() == 1 ? "it back" : "them back one after the other")
        + ", and later `upskill rollback " + shell_word(first.skill)
        + (first.hash.empty() ? "" : " " + brief_hash(first.hash)) + "`.");
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

void show(Page& page, const Invocation& invocation, const RollbackResult& result) {
  bool planned = result.dry_run || invocation.flag("dry_run");
  std::string name = clean_line(result.skill);
  if (invocation.flag("list")) {
    page.headline(name,
                  "  "
                      + count(static_cast<long long>(result.versions.size()),
                              "version is known",
                              "versions are known"));
    print_versions(page, result);
    if (result.versions.size() > 1) {
      page.line();
      page.paragraph("`upskill rollback " + shell_word(result.skill)
                     + " VERSION` puts one in place, by its number or its hash.");
    }
  } else if (!result.after.empty() && result.before == result.after) {
    page.line("`" + name + "` is in that version already, " + brief_hash(result.after) + ".");
  } else {
    page.headline(name,
                  "  " + brief_hash(result.before) + std::string(page.sign(" → ", " -> "))
                      + brief_hash(result.after));
    print_diffs(page, result.diff, 2, k_most_lines);
    print_paths(page, "~", Tint::cyan, result.paths, planned ? "would be written" : "written");
    page.line();
    page.paragraph(planned ? "Nothing is lost: what is in place now is kept."
                           : "`upskill sync undo` takes it back, or `upskill rollback "
                                 + shell_word(result.skill)
                                 + (result.before.empty() ? "" : " " + brief_hash(result.before))
                                 + "`.");
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

} // namespace upskill::cli
