#include "clients/cli/eval_parts.h"
#include "clients/cli/text.h"
#include "clients/cli/watch_parts.h"
#include "clients/cli/watch_picture.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace upskill::cli {
namespace {

constexpr std::size_t k_named_cases = 5;
constexpr std::size_t k_word = 16; // of the log: "sync update #127"

// "q1, q2, q3 and 4 more".
std::string some_of(const std::vector<std::string>& names) {
  std::vector<std::string> first(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), k_named_cases)));
  return joined(first)
         + (names.size() > k_named_cases
                ? " and " + std::to_string(names.size() - k_named_cases) + " more"
                : "");
}

// What a person would do about it.
std::string next_step(const WatchedSkill& skill) {
  if (skill.state == WatchState::waiting) {
    return "It waits for a word, because to go on costs: r goes on.";
  }
  if (skill.verdict == WatchVerdict::regressed) {
    return "u takes the newest change back; a accepts it all the same.";
  }
  return {};
}

std::string facts_of(const WatchedSkill& skill) {
  std::vector<std::string> facts;
  if (!skill.hash.empty()) {
    facts.push_back("version " + skill.hash.substr(0, 12));
  }
  if (skill.look > 0) {
    facts.push_back("the " + std::to_string(skill.look) + ". since the accepted one");
  }
  if (!skill.mode.empty()) {
    facts.push_back("mode " + skill.mode);
  }
  if (!skill.at.empty()) {
    facts.push_back(human_time(skill.at) + " UTC");
  }
  return joined(facts);
}

void print_spent(Page& page, const WatchedSubject& subject) {
  if (subject.asked == 0 && subject.errors == 0 && subject.tier == 0) {
    return;
  }
  std::string text = who_of(subject.model, subject.student) + ": "
                     + count(subject.asked, "answer", "answers") + " drawn";
  text += subject.errors > 0 ? ", " + count(subject.errors, "error", "errors") : "";
  text += subject.tokens > 0 ? ", " + grouped(subject.tokens) + " tokens" : "";
  text += subject.cost ? ", " + dollars(*subject.cost) : "";
  text += subject.tier > 0 ? ", tier " + std::to_string(subject.tier) : "";
  page.paragraph(text, 2, Tint::dim);
}

std::string clock_of(const std::string& time) {
  return time.size() > 19 && time[10] == 'T' ? time.substr(11, 8) : std::string();
}

std::string draw_moment(const WatchMoment& moment, std::size_t name, const Screen& screen) {
  WatchRow row(screen);
  row.cell(clock_of(moment.time), 10, Tint::dim);
  row.cell(moment.skill, name);
  row.add("  ");
  row.cell(moment.word, k_word, moment.tint);
  row.add("  " + moment.text, Tint::dim);
  return row.text();
}

// A change by sync, as another moment.
WatchMoment moment_of(const HistoryEntry& entry) {
  std::string text = entry.paths.empty()
                         ? std::string()
                         : count(static_cast<long long>(entry.paths.size()), "copy", "copies");
  text += entry.undone ? ", undone" : entry.reason.empty() ? "" : ": " + entry.reason;
  Tint tint = entry.action == SyncAction::conflict || entry.action == SyncAction::hold
                  ? Tint::yellow
                  : Tint::plain;
  return {entry.time,
          entry.skill,
          "sync " + std::string(enum_name(entry.action)) + " #" + std::to_string(entry.id),
          std::move(text),
          tint};
}

} // namespace

std::vector<std::string>
draw_detail(const WatchView& view, const Screen& screen, std::size_t lines) {
  const WatchedSkill* skill = selected_skill(view);
  if (skill == nullptr || lines < 2) {
    return {};
  }
  Page page(screen);
  page.paragraph(skill->why.empty() ? std::string(word_of(*skill)) : skill->why, 2);
  if (std::string step = next_step(*skill); !step.empty()) {
    page.paragraph(step, 2, Tint::bold);
  }
  if (!skill->changed.empty()) {
    page.paragraph("Changed since it was accepted: " + joined(skill->changed), 2);
  }
  for (const std::string& problem : skill->problems) {
    page.paragraph("Problem: " + problem, 2, Tint::yellow);
  }
  for (const std::string& gain : skill->gains) {
    page.paragraph("New: " + gain, 2, Tint::yellow);
  }
  print_subjects(page, skill->subjects, 2);
  for (const WatchedSubject& subject : skill->subjects) {
    if (!subject.why.empty() && !skill->why.ends_with(subject.why)) {
      page.paragraph(who_of(subject.model, subject.student) + ": " + subject.why, 2, Tint::dim);
    }
    if (subject.estimate) {
      page.paragraph(estimate_of(*subject.estimate), 2);
    }
    print_spent(page, subject);
    if (!subject.flaky.empty()) {
      page.paragraph("Flaky, they decide nothing: " + some_of(subject.flaky), 2, Tint::dim);
    }
    if (!subject.never_asked.empty()) {
      page.paragraph("New, they decide nothing: " + some_of(subject.never_asked), 2, Tint::dim);
    }
  }
  if (std::string facts = facts_of(*skill); !facts.empty()) {
    page.paragraph(facts, 2, Tint::dim);
  }
  std::vector<std::string> out{draw_rule(name_of(*skill, screen.home), screen)};
  std::ranges::move(first_lines(page.text(Stream::out), screen, lines - 1),
                    std::back_inserter(out));
  return out;
}

std::vector<std::string> draw_log(const WatchView& view, const Screen& screen, std::size_t lines) {
  if (lines < 2) {
    return {};
  }
  std::vector<WatchMoment> synced;
  std::ranges::transform(view.synced, std::back_inserter(synced), moment_of);
  std::vector<WatchMoment> moments;
  std::ranges::merge(view.moments,
                     synced,
                     std::back_inserter(moments),
                     std::ranges::greater(),
                     &WatchMoment::time,
                     &WatchMoment::time);
  moments.resize(std::min(moments.size(), lines - 1));
  std::size_t name = 8;
  for (const WatchMoment& moment : moments) {
    name = std::max(name, display_width(clean_line(moment.skill)));
  }
  name = std::min(name, std::max<std::size_t>(12, screen.columns / 4));
  std::vector<std::string> out{draw_rule("log, UTC", screen)};
  for (const WatchMoment& moment : moments) {
    out.push_back(draw_moment(moment, name, screen));
  }
  return out;
}

std::vector<std::string> draw_help(const Screen& screen, std::size_t lines) {
  struct Meaning {
    std::string_view keys;
    std::string_view meaning;
  };

  static constexpr Meaning k_meanings[] = {
      {"j k, arrows", "select a skill; also PgUp, PgDn, Home and End"},
      {"d, Enter", "its detail, or more of the list and the log"},
      {"r", "run: test it now, also where that waits for a word"},
      {"c", "cancel: end its test; what it has learnt stays"},
      {"a", "accept: it is good as it stands; asks first, models are asked"},
      {"u", "undo: take back what sync did last with it; asks first"},
      {"Esc", "forget what was said"},
      {"?", "this; any key leaves it"},
      {"q", "quit; Ctrl-C does, too"}};
  std::vector<std::string> out{draw_rule("keys", screen)};
  for (const Meaning& one : k_meanings) {
    WatchRow row(screen);
    row.add("  ");
    row.cell(one.keys, 13, Tint::bold);
    row.add(one.meaning);
    out.push_back(row.text());
  }
  out.resize(std::min(out.size(), lines));
  return out;
}

} // namespace upskill::cli
