#include "clients/cli/watch_orders.h"
#include "clients/cli/watch_view.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::cli;

namespace {

WatchedSkill skill(std::string name, WatchState state, WatchVerdict verdict) {
  WatchedSkill made;
  made.skill = std::move(name);
  made.state = state;
  made.verdict = verdict;
  return made;
}

WatchedSkill ok(std::string name) {
  return skill(std::move(name), WatchState::idle, WatchVerdict::ok);
}

WatchView view_of(std::vector<WatchedSkill> skills) {
  WatchView view;
  take_news(view, {1, std::move(skills)});
  return view;
}

std::string names(const WatchView& view) {
  std::string out;
  for (const WatchedSkill& one : view.skills) {
    out += one.skill + " ";
  }
  return out;
}

Key letter(char c) {
  return {KeyKind::letter, c};
}

Result<connect::CallReply> reply(std::string json) {
  return connect::CallReply{std::move(json), ""};
}

} // namespace

TEST_SUITE("watch view") {
  TEST_CASE("has what needs a person first") {
    WatchedSkill broken = ok("broken");
    broken.problems = {"its name is not the folder's"};
    WatchView view = view_of({ok("a"),
                              broken,
                              skill("gone", WatchState::gone, WatchVerdict::undecided),
                              skill("t", WatchState::testing, WatchVerdict::undecided),
                              skill("w", WatchState::waiting, WatchVerdict::undecided),
                              skill("z", WatchState::idle, WatchVerdict::regressed)});
    CHECK(names(view) == "z w broken t a gone ");
  }

  TEST_CASE("selects the first until a person has chosen, then that one wherever it goes") {
    WatchView view = view_of({ok("a"), ok("b"), ok("c")});
    CHECK(selected_skill(view)->skill == "a");
    take_news(view, {2, {ok("a"), skill("b", WatchState::idle, WatchVerdict::regressed)}});
    CHECK(selected_skill(view)->skill == "b");
    press(view, {KeyKind::down});
    CHECK(selected_skill(view)->skill == "a");
    take_news(view, {3, {skill("0", WatchState::idle, WatchVerdict::regressed), ok("a"), ok("b")}});
    CHECK(selected_skill(view)->skill == "a");
    take_news(view, {4, {ok("b")}});
    CHECK(selected_skill(view)->skill == "b");
    take_news(view, {5, {}});
    CHECK(selected_skill(view) == nullptr);
    CHECK(press(view, {KeyKind::down}).act == WatchAct::none);
    CHECK(press(view, letter('r')).act == WatchAct::none);
  }

  TEST_CASE("moves within its ends") {
    WatchView view = view_of({ok("a"), ok("b"), ok("c"), ok("d")});
    view.rows = 2;
    press(view, letter('k'));
    CHECK(selected_place(view) == 0);
    press(view, {KeyKind::page_down});
    CHECK(selected_place(view) == 2);
    press(view, {KeyKind::page_down});
    CHECK(selected_place(view) == 3);
    press(view, letter('j'));
    CHECK(selected_place(view) == 3);
    press(view, {KeyKind::page_up});
    CHECK(selected_place(view) == 1);
    press(view, {KeyKind::end});
    CHECK(selected_place(view) == 3);
    press(view, {KeyKind::home});
    CHECK(selected_place(view) == 0);
  }

  TEST_CASE("tells skills of two projects apart") {
    WatchedSkill here = ok("pdf");
    WatchedSkill there = ok("pdf");
    there.project = "/w/b";
    WatchView view = view_of({here, there});
    press(view, {KeyKind::down});
    CHECK(selected_skill(view)->project == "/w/b");
    CHECK(press(view, letter('c')).project == "/w/b");
  }

  TEST_CASE("acts on the selected skill and says so at once") {
    WatchView view = view_of({ok("a"), ok("b")});
    press(view, letter('j'));
    WatchOrder order = press(view, letter('r'));
    CHECK(order.act == WatchAct::run);
    CHECK(order.skill == "b");
    CHECK(view.said == "Testing b ...");
    WatchCall call = call_of(order, view);
    CHECK(call.method == "watch_run");
    CHECK(call.arguments == R"({"skill":"b"})");
    CHECK(press(view, letter('q')).act == WatchAct::quit);
  }

  TEST_CASE("notes what becomes of skills, once, newest first, and not without end") {
    WatchedSkill one = ok("a");
    one.at = "2026-11-21T05:00:00.000Z";
    WatchView view = view_of({one});
    REQUIRE(view.moments.size() == 1);
    take_news(view, {2, {one}});
    CHECK(view.moments.size() == 1);
    one.verdict = WatchVerdict::regressed;
    one.at = "2026-11-21T05:00:01.000Z";
    take_news(view, {3, {one}});
    REQUIRE(view.moments.size() == 2);
    CHECK(view.moments[0].word == "REGRESSED");
    for (int i = 0; i < 300; ++i) {
      one.hash = std::to_string(i);
      take_news(view, {4 + i, {one}});
    }
    CHECK(view.moments.size() == k_most_moments);
  }
}

TEST_SUITE("watch orders") {
  TEST_CASE("accepting asks first, with what it takes, and with the same models as before") {
    WatchedSkill pdf = ok("pdf");
    WatchedSubject subject;
    subject.model = "haiku";
    subject.student = "chat";
    pdf.subjects = {subject, subject};
    WatchView view = view_of({pdf});
    WatchOrder plan = press(view, letter('a'));
    CHECK(call_of(plan, view).method == "eval_accept");
    CHECK(call_of(plan, view).arguments
          == R"({"skill":"pdf","model":["haiku"],"student":["chat"],"dry_run":true})");
    CHECK(hear(view, plan, reply(R"({"skill":"pdf","hash":"h","subjects":[],"planned":60})")).act
          == WatchAct::none);
    REQUIRE(view.question);
    CHECK(view.question->text == "Accept pdf as it stands? 60 samples at most, y/n");
    SUBCASE("no") {
      CHECK(press(view, letter('n')).act == WatchAct::none);
      CHECK_FALSE(view.question);
      CHECK(view.said == "Nothing was done.");
    }
    SUBCASE("yes") {
      WatchOrder yes = press(view, letter('y'));
      CHECK(yes.act == WatchAct::accept);
      CHECK(call_of(yes, view).arguments
            == R"({"skill":"pdf","model":["haiku"],"student":["chat"]})");
      CHECK_FALSE(view.question);
      hear(view, yes, reply(R"({"skill":"pdf","hash":"h","subjects":[],"cost":0.5})"));
      CHECK(view.said == "pdf is accepted as it stands; $0.50 spent now.");
    }
    SUBCASE("keys that are no answer do nothing, and q does not quit") {
      CHECK(press(view, letter('r')).act == WatchAct::none);
      CHECK(press(view, {KeyKind::enter}).act == WatchAct::none);
      CHECK(view.question);
      CHECK(press(view, letter('q')).act == WatchAct::none);
      CHECK_FALSE(view.question);
    }
  }

  TEST_CASE("of a project's skill accept no other of its name") {
    WatchedSkill pdf = ok("pdf");
    pdf.project = "/w/b";
    pdf.hash = "there";
    WatchView view = view_of({pdf});
    WatchOrder plan = press(view, letter('a'));
    hear(view, plan, reply(R"({"skill":"pdf","hash":"here","subjects":[],"planned":60})"));
    CHECK_FALSE(view.question);
    hear(view, plan, reply(R"({"skill":"pdf","hash":"there","subjects":[],"planned":60})"));
    CHECK(view.question);
  }

  TEST_CASE("undoing finds the newest change in force, looks what it does, and asks") {
    WatchView view = view_of({ok("pdf")});
    WatchOrder find = press(view, letter('u'));
    CHECK(call_of(find, view).method == "sync_log");
    WatchOrder plan = hear(
        view,
        find,
        reply(R"({"entries":[{"id":9,"time":"t","action":"update","skill":"pdf","undone":true},)"
              R"({"id":7,"time":"t","action":"update","skill":"pdf"}]})"));
    CHECK(plan.act == WatchAct::plan_undo);
    CHECK(call_of(plan, view).arguments == R"({"id":7,"dry_run":true})");
    hear(view,
         plan,
         reply(R"({"steps":[{"action":"update","skill":"pdf"},{"action":"update","skill":"pdf"}],)"
               R"("conflicts":0,"held":0})"));
    REQUIRE(view.question);
    CHECK(view.question->text == "Undo entry 7 of pdf (update 2 copies)? y/n");
    WatchOrder yes = press(view, letter('y'));
    CHECK(call_of(yes, view).method == "sync_undo");
    CHECK(call_of(yes, view).arguments == R"({"id":7})");
  }

  TEST_CASE("undoing says when there is nothing to undo") {
    WatchView view = view_of({ok("pdf")});
    WatchOrder find = press(view, letter('u'));
    CHECK(hear(view, find, reply(R"({"entries":[]})")).act == WatchAct::none);
    CHECK(view.said == "Sync has changed nothing in pdf that could be taken back.");
    CHECK_FALSE(view.question);
  }

  TEST_CASE("tell an error with what to do about it") {
    WatchView view = view_of({ok("pdf")});
    WatchOrder order = press(view, letter('r'));
    hear(view, order, fail(ErrorCode::not_found, "the skill `pdf` is not watched", "accept it"));
    CHECK(view.said == "the skill `pdf` is not watched; accept it");
    hear(view, order, reply("[]"));
    CHECK(view.said.find("expected an object") != std::string::npos);
  }

  TEST_CASE("tell what came of a run and of a cancel") {
    WatchView view = view_of({ok("pdf")});
    WatchOrder run{WatchAct::run, "pdf"};
    hear(view,
         run,
         reply(R"({"generation":2,"skills":[{"skill":"pdf","state":"testing",)"
               R"("verdict":"UNDECIDED","reason":"unfinished"}]})"));
    CHECK(view.said == "pdf is being tested.");
    hear(view,
         run,
         reply(R"({"generation":2,"skills":[{"skill":"pdf","state":"idle","why":"as it was",)"
               R"("verdict":"OK","reason":"held"}]})"));
    CHECK(view.said == "There is nothing to test in pdf: as it was");
    WatchOrder cancel{WatchAct::cancel, "pdf"};
    hear(view,
         cancel,
         reply(R"({"generation":2,"skills":[{"skill":"pdf","state":"idle",)"
               R"("verdict":"OK","reason":"held"}]})"));
    CHECK(view.said == "No test of pdf is under way.");
    // One that was ended before is not ended again.
    auto ended = reply(R"({"generation":2,"skills":[{"skill":"pdf","state":"waiting",)"
                       R"("verdict":"UNDECIDED","reason":"cancelled"}]})");
    hear(view, cancel, ended);
    CHECK(view.said == "No test of pdf is under way.");
    cancel.is_testing = true;
    hear(view, cancel, ended);
    CHECK(view.said == "The test of pdf has ended; what it has learnt stays.");
  }
}
