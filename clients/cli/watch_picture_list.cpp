#include "clients/cli/text.h"
#include "clients/cli/watch_parts.h"
#include "clients/cli/watch_picture.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_mark = 2;
constexpr std::size_t k_gap = 2;
constexpr std::size_t k_word = 9;   // REGRESSED
constexpr std::size_t k_rates = 11; // 100% -> 95%, on narrow screens 24/60
constexpr std::size_t k_least_rest = 12;
constexpr std::size_t k_cells = 10; // of the bar of a test
constexpr std::size_t k_widest_name = 40;

struct Widths {
  std::size_t name = 0;
  bool has_rest = false; // what goes on, what changed, and why
};

Widths widths_for(const WatchView& view, const Screen& screen) {
  Widths widths;
  std::size_t fixed = k_mark + k_gap + k_word + k_gap + k_rates;
  std::size_t longest = 8;
  for (const WatchedSkill& skill : view.skills) {
    longest = std::max(longest, display_width(name_of(skill, screen.home)));
  }
  std::size_t most = std::max<std::size_t>(12, screen.columns / 4);
  widths.name = std::min({longest, most, k_widest_name, screen.columns - fixed});
  widths.has_rest = screen.columns >= fixed + widths.name + k_gap + k_least_rest;
  return widths;
}

std::string bar_of(const WatchedSubject& subject, const WatchRow& row) {
  double part = static_cast<double>(subject.samples) / static_cast<double>(subject.most);
  auto full = static_cast<std::size_t>(std::clamp(part, 0.0, 1.0) * k_cells);
  std::string bar;
  for (std::size_t i = 0; i < k_cells; ++i) {
    bar += i < full ? row.sign("█", "#") : row.sign("░", ".");
  }
  return bar;
}

void add_rest(WatchRow& row, const WatchedSkill& skill, const WatchedSubject* subject) {
  bool is_tested = skill.state == WatchState::testing && subject != nullptr && subject->most > 0;
  if (is_tested) {
    row.add(bar_of(*subject, row), Tint::cyan);
    row.add(" " + std::to_string(subject->samples) + " of " + std::to_string(subject->most) + "  ");
  }
  std::string changed = joined(skill.changed);
  if (!skill.problems.empty() && skill.verdict != WatchVerdict::regressed) {
    row.add(skill.problems.front(), Tint::yellow);
    return;
  }
  row.add(changed);
  if (skill.state != WatchState::testing && !skill.why.empty()) {
    row.add((changed.empty() ? "" : ": ") + skill.why, Tint::dim);
  }
}

std::string draw_skill(const WatchedSkill& skill,
                       bool is_selected,
                       const Widths& widths,
                       const Screen& screen) {
  WatchRow row(screen);
  row.cell(is_selected ? row.sign("›", ">") : std::string_view(), k_mark, Tint::bold);
  row.cell(name_of(skill, screen.home), widths.name, is_selected ? Tint::bold : Tint::plain);
  row.add("  ");
  row.cell(word_of(skill), k_word, tint_of(skill));
  row.add("  ");
  const WatchedSubject* subject = telling_subject(skill);
  std::string rates = subject == nullptr ? "" : rates_of(*subject, row.sign("→", "->"));
  if (!widths.has_rest && subject != nullptr && skill.state == WatchState::testing) {
    rates = std::to_string(subject->samples) + "/" + std::to_string(subject->most);
  }
  row.cell(rates, k_rates);
  if (widths.has_rest) {
    row.add("  ");
    add_rest(row, skill, subject);
  }
  return row.text();
}

std::vector<std::string> draw_none(const WatchView& view, const Screen& screen) {
  Page page(screen);
  if (!view.is_told) {
    page.line("Asking the daemon ...");
  } else {
    page.line("No skill is watched.");
    page.paragraph("`upskill eval accept SKILL` says that a skill is good as it stands; it is "
                   "watched from then on.",
                   0,
                   Tint::dim);
  }
  return first_lines(page.text(Stream::out), screen, k_least_lines);
}

} // namespace

std::vector<std::string> draw_list(const WatchView& view, const Screen& screen, std::size_t lines) {
  std::vector<std::string> out;
  if (view.skills.empty()) {
    out = draw_none(view, screen);
    out.resize(std::min(out.size(), lines));
    return out;
  }
  Widths widths = widths_for(view, screen);
  std::size_t room = lines - 1;
  std::size_t place = selected_place(view);
  std::size_t first = place - std::min(place, room / 2);
  first = std::min(first, view.skills.size() - std::min(view.skills.size(), room));
  std::size_t last = std::min(first + room, view.skills.size());
  WatchRow titles(screen);
  titles.cell("", k_mark);
  titles.cell("SKILL", widths.name, Tint::dim);
  titles.add("  ");
  titles.cell("VERDICT", k_word, Tint::dim);
  titles.add("  ");
  titles.cell("RATE", k_rates, Tint::dim);
  if (widths.has_rest) {
    bool is_all = room >= view.skills.size();
    titles.add("  ");
    titles.add(is_all ? "WHAT CHANGED, AND WHY"
                      : std::to_string(first + 1) + " to " + std::to_string(last) + " of "
                            + std::to_string(view.skills.size()),
               Tint::dim);
  }
  out.push_back(titles.text());
  for (std::size_t i = first; i < last; ++i) {
    out.push_back(draw_skill(view.skills[i], i == place, widths, screen));
  }
  return out;
}

} // namespace upskill::cli
