#include "clients/cli/render.h"
#include "clients/cli/text.h"
#include "protocol/base/utf8.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_longest = 400; // bytes of a line; a file that is one line may be megabytes
constexpr std::size_t k_head = 80;
constexpr std::size_t k_tail = 300; // where entries are put

std::string shortened(const Page& page, std::string line) {
  if (line.size() <= k_longest) {
    return line;
  }
  std::size_t tail = line.size() - k_tail;
  while (tail < line.size() && (static_cast<unsigned char>(line[tail]) & 0xC0) == 0x80) {
    ++tail; // within a character
  }
  return std::string(utf8_prefix(line, k_head)) + " " + std::string(page.ellipsis()) + " "
         + line.substr(tail);
}

void print_diff(Page& page, std::string_view diff) {
  for (std::size_t at = 0; at < diff.size();) {
    std::size_t end = std::min(diff.find('\n', at), diff.size());
    std::string_view line = diff.substr(at, end - at);
    Tint tint = line.starts_with("+++") || line.starts_with("---") ? Tint::dim
                : line.starts_with('+')                            ? Tint::green
                : line.starts_with('-')                            ? Tint::red
                : line.starts_with("@@")                           ? Tint::cyan
                                                                   : Tint::plain;
    page.line("    " + page.tint(tint, shortened(page, clean_line(line))));
    at = end + 1;
  }
}

std::string label_of_state(const Page& page, SetupState state) {
  switch (state) {
  case SetupState::planned:
    return page.tint(Tint::cyan, "+");
  case SetupState::done:
    return page.tint(Tint::green, page.sign("✓", "+"));
  case SetupState::unchanged:
    return page.tint(Tint::dim, "=");
  case SetupState::failed:
    return page.tint(Tint::red, page.sign("✗", "x"));
  case SetupState::kept:
  case SetupState::skipped:
    break;
  }
  return page.tint(Tint::yellow, "-");
}

void print_step(Page& page, const SetupStep& step) {
  std::string line = "  " + label_of_state(page, step.state) + " " + clean_line(step.text);
  line += step.agents.empty() ? "" : page.tint(Tint::dim, "  " + clean_line(joined(step.agents)));
  page.line(line);
  if (!step.path.empty()) {
    page.line("    " + page.path(step.path));
  }
  if (step.state == SetupState::planned) {
    print_diff(page, step.diff);
  }
  if (!step.backup.empty()) {
    page.line(page.tint(Tint::dim, "    as it was: ") + page.path(step.backup));
  }
  if (!step.reason.empty()) {
    page.paragraph(page.prose(step.reason), 4);
  }
  if (!step.hint.empty()) {
    page.paragraph("hint: " + page.prose(step.hint), 4, Tint::dim);
  }
}

bool is_about(const std::vector<SetupStep>& steps, SetupPart part, std::string_view agent) {
  return std::ranges::any_of(steps, [&](const SetupStep& step) {
    return step.part == part && step.state == SetupState::done
           && std::ranges::find(step.agents, agent) != step.agents.end();
  });
}

} // namespace

void show(Page& page, const Invocation& invocation, const SetupResult& result) {
  bool removes = invocation.command.words == "setup remove";
  if (!removes && result.agents.empty()) {
    page.line("No coding agent was found that can be connected.");
    page.paragraph("`--agent NAME` sets one up that is not here yet; `upskill agents --all` has "
                   "their names");
  }
  for (const SetupAgent& agent : result.agents) {
    page.headline(clean_line(agent.title),
                  "  " + (agent.evidence.empty() ? "not found here" : agent.evidence));
  }
  if (!result.steps.empty()) {
    page.line(result.dry_run ? "What would change:" : removes ? "Taken back:" : "Done:");
  } else if (removes) {
    page.line(result.others.empty() ? "There is nothing to take back." : "Nothing was taken back.");
  } else if (!result.agents.empty()) {
    page.line(result.dry_run ? "Nothing would change." : "Nothing had to be changed.");
  }
  for (const SetupStep& step : result.steps) {
    print_step(page, step);
  }
  if (!result.others.empty()) {
    page.line("As it is:");
  }
  for (const SetupStep& step : result.others) {
    print_step(page, step);
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
  if (!removes && !result.dry_run && !result.steps.empty()) {
    if (is_about(result.steps, SetupPart::hooks, "codex")) {
      page.paragraph("Codex runs a hook only once you have trusted it: `/hooks` in Codex.");
    }
    page.paragraph("Start your agents again, so that they read their configuration. "
                   "`upskill setup --remove` takes all of it back.");
  }
}

} // namespace upskill::cli
