#include "clients/cli/text.h"
#include "clients/cli/watch_lines.h"
#include "clients/cli/watch_picture.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::cli;

namespace {

Screen screen_of(std::size_t columns, bool colour = false) {
  Screen screen;
  screen.columns = columns;
  screen.colour = colour;
  screen.unicode = true;
  screen.home = "/home/a";
  return screen;
}

WatchedSkill tested(std::string name) {
  WatchedSkill skill;
  skill.skill = std::move(name);
  skill.state = WatchState::testing;
  skill.changed = {"body"};
  skill.at = "2026-11-21T12:03:04.000Z";
  WatchedSubject subject;
  subject.model = "haiku";
  subject.student = "chat";
  subject.accepted_rate = 0.95;
  subject.rate = EvalShare{0.57, 0.4, 0.7};
  subject.samples = 24;
  subject.most = 60;
  skill.subjects = {subject};
  return skill;
}

WatchedSkill worse(std::string name) {
  WatchedSkill skill = tested(std::move(name));
  skill.state = WatchState::idle;
  skill.verdict = WatchVerdict::regressed;
  skill.why = "it passes less often";
  skill.subjects[0].verdict = WatchVerdict::regressed;
  return skill;
}

WatchView view_of(std::vector<WatchedSkill> skills) {
  WatchView view;
  take_news(view, {1, std::move(skills)});
  return view;
}

std::string text_of(const WatchPicture& picture) {
  return joined(picture.lines, "\n");
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("watch picture") {
  TEST_CASE("fills every window and never more") {
    std::vector<WatchedSkill> skills{worse("pdf"), tested(std::string(300, 'x')), tested("技能")};
    skills[0].problems = {std::string(500, 'p')};
    skills[0].gains = {"技能技能技能 network"};
    for (int i = 0; i < 40; ++i) {
      skills.push_back(tested("skill-" + std::to_string(i)));
    }
    WatchView view = view_of(std::move(skills));
    view.said = std::string(300, 's');
    view.status = DaemonStatusResult{};
    view.synced = {{7, "2026-11-21T12:03:03Z", SyncAction::update, "pdf"}};
    for (bool detail : {true, false}) {
      for (bool help : {false, true}) {
        view.shows_detail = detail;
        view.shows_help = help;
        for (std::size_t columns = 1; columns <= 200; columns += columns < 50 ? 1 : 13) {
          for (std::size_t lines : {1, 2, 9, 10, 11, 12, 15, 24, 60}) {
            WatchPicture picture = draw(view, screen_of(columns), lines);
            CAPTURE(columns);
            CAPTURE(lines);
            CHECK(picture.lines.size() == lines);
            for (const std::string& line : picture.lines) {
              CAPTURE(line);
              CHECK(display_width(line) <= columns);
            }
          }
        }
      }
    }
  }

  TEST_CASE("says so where the window is too small") {
    WatchView view = view_of({worse("pdf")});
    CHECK(draw(view, screen_of(39), 24).lines[0] == "too small: 40x10 is the least");
    CHECK(draw(view, screen_of(80), 9).lines[0] == "too small: 40x10 is the least");
    CHECK(has(text_of(draw(view, screen_of(40), 10)), "REGRESSED"));
  }

  TEST_CASE("tells name, verdict in a word, rates, progress and why") {
    WatchView view = view_of({worse("pdf"), tested("docx")});
    std::string text = text_of(draw(view, screen_of(110), 24));
    CHECK(has(text, "› pdf       REGRESSED  95% → 57%    body: it passes less often"));
    CHECK(has(text, "  docx      testing    95% → 57%    ████░░░░░░ 24 of 60  body"));
    CHECK(has(text, "1 REGRESSED · 1 testing · 2 skills"));
    // Too narrow for a bar: the count takes the place of the rates.
    CHECK(has(text_of(draw(view, screen_of(40), 24)), "testing    24/60"));
  }

  TEST_CASE("puts one ellipsis where a row is cut, and nothing behind it") {
    Screen screen = screen_of(10);
    WatchRow row(screen);
    row.add("12345 789 ");
    CHECK(row.left() == 0);
    row.add("more");
    CHECK(row.text() == "12345 789 ");
    WatchRow cut_at_space(screen);
    cut_at_space.add("12345678  and more"); // the ellipsis takes the place of the spaces
    cut_at_space.add("more");
    CHECK(cut_at_space.text() == "12345678…");
  }

  TEST_CASE("has colours beside the words, or none") {
    WatchView view = view_of({worse("pdf")});
    CHECK(has(text_of(draw(view, screen_of(80, true), 24)), "\x1b[31mREGRESSED"));
    CHECK_FALSE(has(text_of(draw(view, screen_of(80, false), 24)), "\x1b"));
  }

  TEST_CASE("scrolls so that the selected skill is seen") {
    std::vector<WatchedSkill> skills;
    for (int i = 10; i < 60; ++i) {
      skills.push_back(tested("skill-" + std::to_string(i)));
    }
    WatchView view = view_of(std::move(skills));
    for (int i = 0; i < 50; ++i) {
      WatchPicture picture = draw(view, screen_of(80), 20);
      CHECK(has(text_of(picture), "› skill-" + std::to_string(10 + i)));
      press(view, {KeyKind::down});
    }
    view.shows_detail = false;
    CHECK(draw(view, screen_of(80), 20).rows > 10);
  }

  TEST_CASE("shows nothing of others that a terminal would obey") {
    WatchedSkill hostile = worse("pdf\x1b[2J\x1b]0;x\x07");
    hostile.project = "/w/\x1b[31m";
    hostile.why = "why\x1b[1;1H\nnext";
    hostile.changed = {"body\r\x1b[K"};
    hostile.problems = {"p\x1b[?1049l"};
    hostile.gains = {"g\x9b"};
    hostile.hash = "\x1b[5m";
    hostile.mode = "\x1b[6m";
    hostile.at = "2026-11-21T\x1b[7m\x1b[8m";
    hostile.subjects[0].model = "m\x1b[4m";
    hostile.subjects[0].why = "s\x1b[3m";
    hostile.subjects[0].flaky = {"f\x1b[9m"};
    WatchView view = view_of({hostile});
    view.warnings = {"w\x1b[2m"};
    view.trouble = "t\x1b[2m";
    view.synced = {{7, "2026-11-21T12:03:03Z\x1b[2m", SyncAction::update, "s\x1b[2m"}};
    view.synced[0].reason = "r\x1b[2m";
    for (std::size_t columns : {40, 80, 200}) {
      std::string text = text_of(draw(view, screen_of(columns), 50));
      for (char c : text) {
        bool is_plain = static_cast<unsigned char>(c) >= 0x20 || c == '\n';
        CHECK(is_plain);
      }
      CHECK(text.find('\x7f') == std::string::npos);
    }
    view.trouble.clear();
    view.question = WatchQuestion{"q\x1b[2m"};
    CHECK_FALSE(has(text_of(draw(view, screen_of(80), 50)), "\x1b"));
    CHECK(plain_line(hostile, "/home/a").find('\x1b') == std::string::npos);
  }

  TEST_CASE("puts a question before all else that is to say") {
    WatchView view = view_of({worse("pdf")});
    view.said = "said";
    view.question = WatchQuestion{"Accept pdf?"};
    WatchPicture picture = draw(view, screen_of(80), 24);
    CHECK(picture.lines[22] == "Accept pdf?");
    CHECK(picture.lines[23] == "y yes  n no");
    view.question.reset();
    view.trouble = "The daemon has gone";
    CHECK(draw(view, screen_of(80), 24).lines[22] == "The daemon has gone");
    CHECK(has(draw(view, screen_of(80), 24).lines[0], "not connected"));
  }

  TEST_CASE("keeps the newest of sync and of verdicts below, by time") {
    WatchView view = view_of({worse("pdf")}); // 12:03:04
    view.synced = {{8, "2026-11-21T12:03:05.000Z", SyncAction::update, "docx"},
                   {7, "2026-11-21T12:03:03.000Z", SyncAction::create, "docx"}};
    std::string text = text_of(draw(view, screen_of(80), 40));
    std::size_t newest = text.find("12:03:05  docx      sync update #8");
    std::size_t middle = text.find("12:03:04  pdf       REGRESSED         95% -> 57%");
    std::size_t oldest = text.find("12:03:03  docx      sync create #7");
    REQUIRE(newest != std::string::npos);
    REQUIRE(middle != std::string::npos);
    REQUIRE(oldest != std::string::npos);
    CHECK(newest < middle);
    CHECK(middle < oldest);
  }

  TEST_CASE("has something to say before and without skills") {
    WatchView view;
    CHECK(has(text_of(draw(view, screen_of(80), 24)), "Asking the daemon"));
    take_news(view, {1, {}});
    CHECK(has(text_of(draw(view, screen_of(80), 24)), "No skill is watched."));
  }
}

TEST_SUITE("watch lines") {
  TEST_CASE("are told for each change of how a skill stands, and not for each sample") {
    WatchLines lines(false, "/home/a");
    WatchedSkill skill = tested("pdf");
    CHECK(lines.take({1, {skill}})
          == std::vector<std::string>{"12:03:04 pdf testing 95% -> 57%, 24 of 60 samples"});
    skill.subjects[0].samples = 25;
    CHECK(lines.take({2, {skill}}).empty());
    CHECK(lines.take({3, {worse("pdf")}})
          == std::vector<std::string>{
              "12:03:04 pdf REGRESSED 95% -> 57%, 24 of 60 samples: it passes less often"});
    // A new daemon knows it anew, and nothing has changed.
    CHECK(lines.take({1, {worse("pdf")}}).empty());
    WatchedSkill other = worse("pdf");
    other.project = "/home/a/x";
    CHECK(lines.take({2, {worse("pdf"), other}})
          == std::vector<std::string>{
              "12:03:04 pdf in ~/x REGRESSED 95% -> 57%, 24 of 60 samples: it passes less often"});
  }

  TEST_CASE("for programs are told for each change of anything") {
    WatchLines lines(true, "");
    WatchedSkill skill = tested("pdf");
    auto first = lines.take({7, {skill}});
    REQUIRE(first.size() == 1);
    CHECK(first[0].starts_with(R"({"generation":7,"skill":"pdf","state":"testing",)"));
    CHECK(lines.take({8, {skill}}).empty());
    skill.subjects[0].samples = 25;
    CHECK(lines.take({9, {skill}}).size() == 1);
  }
}
