#include "clients/cli/danger_parts.h"
#include "clients/cli/render.h"
#include "clients/cli/said_again.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_description_lines = 3;

void print_offer(Page& page, const FoundOffer& offer) {
  std::string head = page.tint(Tint::bold, clean_line(offer.skill));
  if (offer.danger > DangerSeverity::none) {
    Cell danger = danger_cell(offer.danger);
    head += "  " + page.tint(danger.tint, danger.text);
  }
  head += offer.installed ? "  " + page.tint(Tint::green, "here") : std::string();
  page.line(head
            + (offer.agents.empty()
                   ? ""
                   : page.tint(Tint::dim, "  " + clean_line(joined(offer.agents)))));
  std::size_t width = std::min<std::size_t>(page.screen().columns, 100) - 2;
  std::vector<std::string> lines = wrap(page.prose(offer.description), width);
  for (std::size_t i = 0; i < lines.size() && i < k_description_lines; ++i) {
    bool is_cut = i + 1 == k_description_lines && lines.size() > k_description_lines;
    page.line("  "
              + (is_cut ? cut(lines[i] + " " + std::string(page.ellipsis()), width, page.ellipsis())
                        : lines[i]));
  }
  if (!offer.source.empty() && !offer.installed) {
    // On a line of its own and never cut: it is there to be copied. Of its parts rather than of
    // `install`, whose words a shell would read as they come.
    page.line("  "
              + page.tint(Tint::cyan,
                          "upskill install " + shell_word(offer.source) + " --skill "
                              + shell_word(offer.skill)));
  }
}

} // namespace

void show(Page& page, const Invocation& invocation, const FindResult& result) {
  for (const FoundOffer& offer : result.skills) {
    print_offer(page, offer);
    page.line();
  }
  auto shown = static_cast<std::int64_t>(result.skills.size());
  if (result.skills.empty()) {
    page.line("No skill was found for these words.");
  } else if (result.total > shown) {
    page.line("The best " + grouped(shown) + " of " + count(result.total, "skill", "skills")
              + "; `-n` shows more");
  } else {
    page.line(count(result.total, "skill", "skills"));
  }
  for (const FindSource& source : result.sources) {
    if (!source.problem.empty()) {
      page.warning("`" + clean_line(source.source) + "` could not be read: " + source.problem);
    }
  }
  if (result.sources.empty() && !invocation.flag("source")) {
    page.paragraph("Only what is here was looked through: no source is configured. `install: "
                   "{sources: [owner/repo]}` in ~/.config/upskill/config.yaml adds one, `--source` "
                   "looks into one now.");
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

void show(Page& page, const Invocation& invocation, const PackResult& result) {
  bool planned = result.dry_run || invocation.flag("dry_run");
  auto number = static_cast<long long>(result.files.size());
  page.headline(clean_line(result.skill),
                (planned ? " would be packed into " : " packed into ")
                    + page.local_path(result.output) + ": " + count(number, "file", "files") + ", "
                    + human_bytes(result.bytes));
  page.line("  " + clean_line(result.digest));
  if (planned) {
    for (const std::string& file : result.files) {
      page.line("  + " + page.tint(Tint::plain, clean_line(file)));
    }
  }
  if (!result.left_out.empty()) {
    page.paragraph("Left out: " + joined(result.left_out), 2, Tint::dim);
  }
  if (!planned) {
    page.paragraph("`upskill install " + shell_word(page.local_path(result.output))
                   + "` installs it; the same skill packs to the same bytes.");
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

void show(Page& page, const Invocation& invocation, const InitResult& result) {
  bool planned = result.dry_run || invocation.flag("dry_run");
  std::string folder = page.local_path(result.folder);
  page.headline(clean_line(result.skill),
                (planned ? " would be started in " : " started in ") + folder);
  for (const std::string& file : result.files) {
    page.line("  + " + clean_line(file));
  }
  if (!planned) {
    page.paragraph("Write SKILL.md and cases in evals/evals.json. Then `upskill validate "
                   + shell_word(folder) + "`, `upskill eval " + shell_word(folder)
                   + " -m MODEL` tells whether it helps, and `upskill install " + shell_word(folder)
                   + "` puts it where your agents look.");
  }
}

} // namespace upskill::cli
