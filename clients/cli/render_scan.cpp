#include "clients/cli/danger_parts.h"
#include "clients/cli/install_parts.h"
#include "clients/cli/render.h"
#include "clients/cli/said_again.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>
#include <array>

namespace upskill::cli {
namespace {

bool is_told(const ScannedSkill& skill, bool verbose) {
  return verbose || skill.danger > DangerSeverity::note || !skill.problem.empty()
         || skill.left_out > 0;
}

void print_skill(Page& page, const Invocation& invocation, const ScannedSkill& skill) {
  Cell danger = danger_cell(skill.danger);
  std::string path = page.local_path(skill.path);
  page.line(page.tint(Tint::bold, clean_line(skill.skill)) + "  "
            + (skill.problem.empty() ? page.tint(danger.tint, danger.text)
                                     : page.tint(Tint::red, "could not be read"))
            + page.tint(Tint::cyan, skill.allowed ? "  allowed" : "")
            + (path.empty() ? "" : "  " + page.tint(Tint::dim, path)));
  if (!skill.problem.empty()) {
    page.paragraph(skill.problem, 2);
  }
  print_findings(
      page, skill.findings, invocation.flag("verbose") ? Notes::shown : Notes::counted, 2);
  if (skill.left_out > 0) {
    page.line(page.tint(Tint::dim,
                        "  and " + count(skill.left_out, "more finding", "more findings")
                            + ", none of them worse"));
  }
  if (skill.danger == DangerSeverity::severe && !skill.allowed && !skill.hash.empty()) {
    page.paragraph("Once you have read it and know why, `--allow "
                       + allowance_of(skill.skill, skill.hash)
                       + "` lets this version pass, here as in `upskill install`.",
                   2);
  }
  page.line();
}

// "4 skills: 1 severe, 1 with warnings, 2 clean"
std::string sums_of(const ScanResult& result) {
  std::array<long long, 4> of{}; // by how bad it is
  long long allowed = 0;
  long long unread = 0;
  for (const ScannedSkill& skill : result.skills) {
    if (!skill.problem.empty()) {
      ++unread;
    } else if (skill.allowed && skill.danger == DangerSeverity::severe) {
      ++allowed;
    } else {
      ++of[static_cast<std::size_t>(skill.danger)];
    }
  }
  std::vector<std::string> parts;
  auto add = [&](long long number, std::string_view what) {
    if (number > 0) {
      parts.push_back(grouped(number) + " " + std::string(what));
    }
  };
  add(of[static_cast<std::size_t>(DangerSeverity::severe)], "severe");
  add(allowed, "severe and allowed");
  add(of[static_cast<std::size_t>(DangerSeverity::warning)], "with warnings");
  add(of[static_cast<std::size_t>(DangerSeverity::note)], "with notes only");
  add(of[static_cast<std::size_t>(DangerSeverity::none)], "clean");
  add(unread, "could not be read");
  return count(static_cast<long long>(result.skills.size()), "skill", "skills")
         + (parts.empty() ? "" : ": " + joined(parts));
}

} // namespace

void show(Page& page, const Invocation& invocation, const ScanResult& result) {
  bool is_report = invocation.value("format") == "sarif";
  // Alone, for a file or a program; what else there is to say goes where nobody reads it as SARIF.
  Stream stream = is_report && result.output.empty() ? Stream::err : Stream::out;
  if (stream == Stream::err) {
    page.line(clean_block(result.sarif));
  } else {
    for (const ScannedSkill& skill : result.skills) {
      if (is_told(skill, invocation.flag("verbose"))) {
        print_skill(page, invocation, skill);
      }
    }
  }
  page.line(sums_of(result), stream);
  if (!result.output.empty()) {
    page.line("SARIF written to " + page.local_path(result.output));
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning, stream);
  }
}

} // namespace upskill::cli
