#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {
namespace {

void print_replicas(Page& page, const std::vector<ReplicaPlace>& replicas) {
  Table table({{""}, {"", Fit::shrinks}, {""}, {"", Fit::shrinks}});
  for (const ReplicaPlace& replica : replicas) {
    table.add({{std::string(page.sign("└", "-")), Tint::dim},
               {page.path(replica.path)},
               {std::string(replica.link ? "link, " : "") + std::string(enum_name(replica.scope)),
                Tint::dim},
               {joined(replica.agents), Tint::dim}});
  }
  table.print(page, 4);
}

void print_loaders(Page& page, const std::vector<LoaderReport>& loaders, std::size_t indent) {
  Table table({{""}, {""}, {""}, {"", Fit::shrinks}});
  for (const LoaderReport& loader : loaders) {
    bool valid = loader.verdict == LoaderVerdict::valid;
    bool skipped = loader.verdict == LoaderVerdict::skipped;
    table.add({{std::string(valid     ? page.sign("✓", "ok")
                            : skipped ? page.sign("✗", "x")
                                      : page.sign("~", "~")),
                valid     ? Tint::green
                : skipped ? Tint::red
                          : Tint::yellow},
               {loader.loader},
               {valid     ? "loads it"
                : skipped ? "skips it"
                          : "repairs it"},
               {page.prose(loader.reason), Tint::dim}});
  }
  table.print(page, indent);
}

void print_empty_list(Page& page, const Invocation& invocation) {
  if (invocation.values.empty()) {
    page.line("No skills were found.");
    page.paragraph("A skill is a folder with a SKILL.md, in ~/.agents/skills for example. `upskill "
                   "agents` shows which folders are looked at.");
  } else {
    page.line("No skill matches. `upskill list` shows all of them.");
  }
}

// Where all are the user's own, nothing is to be told apart.
bool has_several_scopes(const SkillListResult& result) {
  return std::ranges::any_of(result.skills, [](const SkillSummary& skill) {
    return !skill.scope.empty() && skill.scope != "user";
  });
}

std::string scope_of(const Page& page, const SkillSummary& skill) {
  return skill.scope.starts_with('/') ? page.path(skill.scope) : clean_line(skill.scope);
}

void print_left_out(Page& page, const SkillListResult& result) {
  if (!result.left_out.empty()) {
    page.line();
    page.line(page.tint(Tint::dim,
                        "Not listed is what only " + joined(result.left_out)
                            + " can see: left out of sync (`upskill doctor` shows it)."));
  }
}

} // namespace

void show(Page& page, const Invocation& invocation, const SkillListResult& result) {
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
  if (result.skills.empty()) {
    print_empty_list(page, invocation);
    print_left_out(page, result);
    return;
  }
  std::vector<Column> columns{{"SKILL"},
                              {"AGENTS", Fit::shrinks},
                              {"TOKENS", Fit::right},
                              {"STATE"},
                              {"DESCRIPTION", Fit::shrinks}};
  bool with_scopes = has_several_scopes(result);
  if (with_scopes) {
    columns.insert(columns.begin() + 1, {"SCOPE", Fit::shrinks});
  }
  Table table(std::move(columns));
  bool with_replicas = invocation.flag("replicas");
  // What is the same now stays so only while somebody sees to it.
  const bool is_kept = result.warnings.empty();
  for (const SkillSummary& skill : result.skills) {
    Cell state = is_kept ? Cell{"in sync", Tint::green} : Cell{"-", Tint::dim};
    if (skill.state == SkillSyncState::excluded) {
      state = {"excluded", Tint::dim};
    } else if (skill.state) {
      state = {std::string(enum_name(*skill.state)), Tint::yellow};
    } else if (!skill.in_sync) {
      state = {"differs", Tint::yellow};
    } else if (!skill.warnings.empty()) {
      state = {"warning", Tint::yellow};
    }
    std::vector<Cell> row{{skill.skill, Tint::bold},
                          {skill.agents.empty() ? "none" : joined(skill.agents)},
                          {"~" + grouped(skill.tokens)},
                          state,
                          {skill.description, Tint::dim}};
    if (with_scopes) {
      row.insert(row.begin() + 1, {scope_of(page, skill), Tint::dim});
    }
    table.add(std::move(row));
  }
  table.print(page);
  if (with_replicas) {
    for (const SkillSummary& skill : result.skills) {
      page.line();
      page.line(page.tint(Tint::bold, clean_line(skill.skill))
                + (with_scopes ? "  " + page.tint(Tint::dim, scope_of(page, skill)) : ""));
      print_replicas(page, skill.replicas);
    }
  }
  print_left_out(page, result);
  auto shown = static_cast<std::int64_t>(result.skills.size());
  if (result.total > shown || !result.next_cursor.empty()) {
    page.line();
    page.line(page.tint(Tint::dim,
                        grouped(shown) + " of " + count(result.total, "skill", "skills")
                            + (result.next_cursor.empty()
                                   ? std::string()
                                   : "; go on with --cursor " + clean_line(result.next_cursor))));
  }
}

void show(Page& page, const Invocation&, const SkillShowResult& result) {
  const SkillSummary& skill = result.summary;
  page.line(page.tint(Tint::bold, clean_line(skill.skill)) + "  "
            + page.tint(Tint::dim, "~" + grouped(skill.tokens) + " tokens"));
  page.paragraph(skill.description, 2);
  page.line();
  page.line(page.tint(Tint::bold, "Copies") + "  "
            + (skill.in_sync ? page.tint(Tint::green, "all the same")
                             : page.tint(Tint::yellow, "they differ")));
  print_replicas(page, skill.replicas);
  if (skill.state == SkillSyncState::problem) {
    page.line("  " + page.tint(Tint::yellow, "it has a problem") + ": `upskill sync status "
              + clean_line(skill.skill) + "`");
  } else if (skill.state == SkillSyncState::excluded) {
    page.line(page.tint(Tint::dim, "  excluded: sync leaves it alone"));
  } else if (skill.state) {
    page.line("  "
              + page.tint(Tint::yellow,
                          *skill.state == SkillSyncState::held ? "its deletion is held"
                                                               : "a conflict waits for you")
              + ": `upskill sync conflicts " + clean_line(skill.skill) + "`");
  }
  page.line();
  page.line(page.tint(Tint::bold, "Files"));
  Table files({{""}, {"", Fit::shrinks}, {"", Fit::right}, {""}});
  for (const SkillFile& file : result.files) {
    files.add({{std::string(page.sign("└", "-")), Tint::dim},
               {file.path},
               {human_bytes(file.size), Tint::dim},
               {file.executable ? "executable" : "", Tint::dim}});
  }
  files.print(page, 4);
  if (!result.loaders.empty()) {
    page.line();
    page.line(page.tint(Tint::bold, "Loaders"));
    print_loaders(page, result.loaders, 4);
  }
  if (!result.errors.empty() || !skill.warnings.empty()) {
    page.line();
  }
  for (const std::string& error : result.errors) {
    page.line(page.tint(Tint::red, "invalid:") + " " + page.prose(error));
  }
  for (const std::string& warning : skill.warnings) {
    page.warning(warning);
  }
  if (!result.front_matter.empty()) {
    page.line();
    page.line(page.tint(Tint::bold, "Front matter"));
    std::string text = clean_block(result.front_matter);
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = std::min(text.find('\n', at), text.size());
      page.line("    " + text.substr(at, end - at));
      at = end + 1;
    }
  }
}

// The verdicts go where the reference validator puts them, in its words (skills facts, section 3,
// CLI): failures on stderr, the rest on stdout.
void show(Page& page, const Invocation&, const SkillValidateResult& result) {
  for (const SkillValidation& skill : result.skills) {
    if (skill.valid) {
      page.line(page.tint(Tint::green, "Valid skill:") + " " + page.path(skill.path));
    } else {
      page.line("Validation failed for " + page.path(skill.path) + ":", Stream::err);
      for (const std::string& error : skill.errors) {
        page.line("  - " + page.prose(error), Stream::err);
      }
    }
    for (const std::string& warning : skill.warnings) {
      page.line("  " + page.tint(Tint::yellow, "warning:") + " " + page.prose(warning));
    }
    std::vector<LoaderReport> troubled;
    for (const LoaderReport& loader : skill.loaders) {
      if (loader.verdict != LoaderVerdict::valid) {
        troubled.push_back(loader);
      }
    }
    print_loaders(page, troubled, 2);
    auto fine = static_cast<long long>(skill.loaders.size() - troubled.size());
    if (!skill.loaders.empty()) {
      page.line(
          page.tint(Tint::dim,
                    "  " + clean_line(skill.skill) + " loads as it is in " + grouped(fine) + " of "
                        + count(static_cast<long long>(skill.loaders.size()), "loader", "loaders")
                        + ", ~" + grouped(skill.tokens) + " tokens"));
    }
  }
  if (result.skills.empty()) {
    page.line("There is no skill there.");
  }
}

} // namespace upskill::cli
