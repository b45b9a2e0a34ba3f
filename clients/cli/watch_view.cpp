#include "clients/cli/watch_view.h"

#include "clients/cli/text.h"
#include "clients/cli/watch_parts.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace upskill::cli {
namespace {

// The smaller, the sooner a person should look at it.
int rank_of(const WatchedSkill& skill) {
  if (skill.verdict == WatchVerdict::regressed) {
    return 0;
  }
  if (skill.state == WatchState::waiting) {
    return 1;
  }
  if (!skill.problems.empty()) {
    return 2;
  }
  if (skill.state == WatchState::testing || skill.state == WatchState::looking) {
    return 3;
  }
  return skill.state == WatchState::gone ? 6 : skill.verdict == WatchVerdict::undecided ? 4 : 5;
}

// Notes what has become of skills since they were told last.
void note_moments(WatchView& view, const std::vector<WatchedSkill>& now) {
  for (const WatchedSkill& skill : now) {
    auto before = std::ranges::find(view.skills, key_of(skill), key_of);
    bool is_news = before == view.skills.end() || word_of(*before) != word_of(skill)
                   || (before->hash != skill.hash && skill.state == WatchState::idle);
    if (!is_news || skill.state == WatchState::looking) {
      continue;
    }
    const WatchedSubject* subject = telling_subject(skill);
    std::string rates = subject == nullptr ? std::string() : rates_of(*subject, "->");
    WatchMoment moment{skill.at,
                       skill.skill,
                       std::string(word_of(skill)),
                       rates.empty() ? skill.why : rates,
                       tint_of(skill)};
    auto older = std::ranges::lower_bound(
        view.moments, moment.time, std::ranges::greater(), &WatchMoment::time);
    view.moments.insert(older, std::move(moment));
  }
  view.moments.resize(std::min(view.moments.size(), k_most_moments));
}

void select(WatchView& view, std::size_t place) {
  if (!view.skills.empty()) {
    view.chosen = key_of(view.skills[std::min(place, view.skills.size() - 1)]);
  }
}

void move_selection(WatchView& view, Key key) {
  std::size_t place = selected_place(view);
  std::size_t page = std::max<std::size_t>(view.rows, 1);
  if (key.kind == KeyKind::up || key.letter == 'k') {
    select(view, place == 0 ? 0 : place - 1);
  } else if (key.kind == KeyKind::down || key.letter == 'j') {
    select(view, place + 1);
  } else if (key.kind == KeyKind::page_up) {
    select(view, place - std::min(place, page));
  } else if (key.kind == KeyKind::page_down) {
    select(view, place + page);
  } else if (key.kind == KeyKind::home) {
    select(view, 0);
  } else if (key.kind == KeyKind::end) {
    select(view, view.skills.size());
  }
}

WatchOrder answer_question(WatchView& view, Key key) {
  if (key.letter == 'y' || key.letter == 'Y') {
    WatchOrder order = std::move(view.question->yes);
    view.question.reset();
    say(view,
        (order.act == WatchAct::accept ? "Accepting " : "Undoing a change of ")
            + clean_line(order.skill) + " ...");
    return order;
  }
  if (key.kind == KeyKind::escape || key.letter == 'n' || key.letter == 'N' || key.letter == 'q') {
    view.question.reset();
    say(view, "Nothing was done.");
  }
  return {};
}

// A key that acts on the selected skill.
WatchOrder act_on_selected(WatchView& view, char letter) {
  const WatchedSkill* skill = selected_skill(view);
  if (skill == nullptr) {
    say(view, "There is no skill to do that with.");
    return {};
  }
  std::string name = clean_line(skill->skill);
  WatchOrder order{WatchAct::run, skill->skill, skill->project};
  order.is_testing = skill->state == WatchState::testing;
  switch (letter) {
  case 'r':
    say(view, "Testing " + name + " ...");
    break;
  case 'c':
    order.act = WatchAct::cancel;
    say(view, "Ending the test of " + name + " ...");
    break;
  case 'a':
    order.act = WatchAct::plan_accept;
    say(view, "Looking at what it takes to accept " + name + " ...");
    break;
  default:
    order.act = WatchAct::find_undo;
    say(view, "Looking for what sync changed in " + name + " ...");
    break;
  }
  return order;
}

} // namespace

std::string key_of(const WatchedSkill& skill) {
  return skill.project + "\n" + skill.skill;
}

std::size_t selected_place(const WatchView& view) {
  auto found = std::ranges::find(view.skills, view.chosen, key_of);
  return found == view.skills.end() ? 0 : static_cast<std::size_t>(found - view.skills.begin());
}

const WatchedSkill* selected_skill(const WatchView& view) {
  return view.skills.empty() ? nullptr : &view.skills[selected_place(view)];
}

void take_news(WatchView& view, WatchResult result) {
  note_moments(view, result.skills);
  view.skills = std::move(result.skills);
  view.warnings = std::move(result.warnings);
  view.is_told = true;
  std::ranges::sort(view.skills, [](const WatchedSkill& a, const WatchedSkill& b) {
    return std::tuple(rank_of(a), std::string_view(a.skill), std::string_view(a.project))
           < std::tuple(rank_of(b), std::string_view(b.skill), std::string_view(b.project));
  });
}

void take_some(WatchView& view, const std::vector<WatchedSkill>& skills) {
  WatchResult all{0, view.skills, view.warnings};
  for (const WatchedSkill& skill : skills) {
    auto found = std::ranges::find(all.skills, key_of(skill), key_of);
    if (found != all.skills.end()) {
      *found = skill;
    }
  }
  take_news(view, std::move(all));
}

WatchOrder press(WatchView& view, Key key) {
  if (view.question) {
    return answer_question(view, key);
  }
  if (key.letter == 'q') {
    return {WatchAct::quit};
  }
  if (view.shows_help) {
    view.shows_help = false;
    return {};
  }
  if (key.letter == '?') {
    view.shows_help = true;
  } else if (key.letter == 'd' || key.kind == KeyKind::enter) {
    view.shows_detail = !view.shows_detail;
  } else if (key.kind == KeyKind::escape) {
    view.said.clear();
  } else if (key.letter == 'r' || key.letter == 'c' || key.letter == 'a' || key.letter == 'u') {
    return act_on_selected(view, key.letter);
  } else {
    move_selection(view, key);
  }
  return {};
}

void say(WatchView& view, std::string text, Tint tint) {
  view.said = std::move(text);
  view.said_tint = tint;
}

} // namespace upskill::cli
