#include "daemon/handlers/watch_news.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::daemon;

namespace {

const std::string k_good(64, 'a');
const std::string k_worse(64, 'b');
const std::string k_better(64, 'c');

WatchedSkill pdf(WatchVerdict verdict, const std::string& hash) {
  WatchedSkill skill{"pdf"};
  skill.hash = hash;
  skill.accepted = k_good;
  skill.verdict = verdict;
  skill.reason = verdict == WatchVerdict::regressed ? WatchReason::dropped
                 : verdict == WatchVerdict::ok      ? WatchReason::held
                                                    : WatchReason::out_of_runs;
  skill.why = "because";
  return skill;
}

WatchedSkill waiting(const std::string& hash) {
  WatchedSkill skill = pdf(WatchVerdict::undecided, hash);
  skill.state = WatchState::waiting;
  skill.reason = WatchReason::waiting;
  return skill;
}

std::vector<std::string> titles(const WatchNews& news) {
  std::vector<std::string> all;
  for (const Popup& popup : news.popups) {
    all.push_back(popup.title);
  }
  return all;
}

using Titles = std::vector<std::string>;

} // namespace

TEST_SUITE("watch_news") {
  TEST_CASE("a regression is news once, and OK after it is") {
    ToldSkill told;
    WatchNews news = news_of(told, pdf(WatchVerdict::regressed, k_worse), 0);
    CHECK(news.is_verdict);
    REQUIRE(titles(news) == Titles{"pdf: REGRESSED"});
    CHECK(news.popups.front().body == "because");
    CHECK(news.popups.front().urgency == Urgency::critical);
    CHECK(news_of(told, pdf(WatchVerdict::regressed, k_worse), 0).none());
    news = news_of(told, pdf(WatchVerdict::ok, k_good), 0);
    CHECK(news.is_verdict);
    REQUIRE(titles(news) == Titles{"pdf: OK again"});
    CHECK(news.popups.front().urgency == Urgency::low);
    CHECK(news_of(told, pdf(WatchVerdict::ok, k_good), 0).none());
  }

  TEST_CASE("another version that is worse is news again") {
    ToldSkill told;
    news_of(told, pdf(WatchVerdict::regressed, k_worse), 0);
    CHECK(titles(news_of(told, pdf(WatchVerdict::regressed, k_better), 0))
          == Titles{"pdf: REGRESSED"});
  }

  TEST_CASE("what is OK and was is for the person's program alone") {
    ToldSkill told;
    const WatchNews news = news_of(told, pdf(WatchVerdict::ok, k_better), 0);
    CHECK(news.is_verdict);
    CHECK(news.popups.empty());
  }

  TEST_CASE("an accepted version that nothing was told of is no news") {
    ToldSkill told;
    CHECK(news_of(told, pdf(WatchVerdict::ok, k_good), 0).none());
  }

  TEST_CASE("who accepts the version that was called worse is not told that it is well") {
    ToldSkill told;
    news_of(told, pdf(WatchVerdict::regressed, k_worse), 0);
    WatchedSkill accepted = pdf(WatchVerdict::ok, k_worse);
    accepted.accepted = k_worse;
    CHECK(news_of(told, accepted, 0).popups.empty());
    // Nor later on: nothing is down any more.
    accepted.hash = k_better;
    CHECK(news_of(told, accepted, 0).popups.empty());
  }

  TEST_CASE("undecided in between does not hide that it is well again") {
    ToldSkill told;
    news_of(told, pdf(WatchVerdict::regressed, k_worse), 0);
    CHECK(news_of(told, pdf(WatchVerdict::undecided, k_better), 0).popups.empty());
    CHECK(titles(news_of(told, pdf(WatchVerdict::ok, k_good), 0)) == Titles{"pdf: OK again"});
  }

  TEST_CASE("a version waits for a word once") {
    ToldSkill told;
    const WatchNews news = news_of(told, waiting(k_worse), 0);
    REQUIRE(titles(news) == Titles{"pdf: waits for a word"});
    CHECK(news.popups.front().urgency == Urgency::normal);
    CHECK(news_of(told, waiting(k_worse), 0).none());
    CHECK(titles(news_of(told, waiting(k_better), 0)) == Titles{"pdf: waits for a word"});
    CHECK(news_of(told, waiting(k_worse), 0).popups.empty());
  }

  TEST_CASE("what goes on, was ended by a person or is switched off is no news") {
    ToldSkill told;
    WatchedSkill skill = pdf(WatchVerdict::undecided, k_worse);
    skill.state = WatchState::testing;
    skill.reason = WatchReason::unfinished;
    CHECK(news_of(told, skill, 0).none());
    skill.state = WatchState::waiting;
    skill.reason = WatchReason::cancelled;
    CHECK(news_of(told, skill, 0).none());
    skill.state = WatchState::idle;
    skill.reason = WatchReason::waiting; // its mode is `off`
    CHECK(news_of(told, skill, 0).none());
    skill.state = WatchState::gone;
    CHECK(news_of(told, skill, 0).none());
  }

  TEST_CASE("an error of the look is told at once, until it is another one") {
    ToldSkill told;
    WatchedSkill skill = pdf(WatchVerdict::undecided, k_worse);
    skill.state = WatchState::testing;
    skill.reason = WatchReason::unfinished;
    skill.problems = {"it has no name", "it is long"};
    const WatchNews news = news_of(told, skill, 1);
    CHECK_FALSE(news.is_verdict);
    REQUIRE(titles(news) == Titles{"pdf: cannot be used as it is"});
    CHECK(news.popups.front().body == "it has no name");
    skill.hash = k_better;
    CHECK(news_of(told, skill, 1).none());
    skill.problems.front() = "it has no end";
    CHECK(titles(news_of(told, skill, 2)) == Titles{"pdf: cannot be used as it is"});
    // Mended, and broken again.
    CHECK(news_of(told, skill, 0).none());
    CHECK(news_of(told, skill, 1).popups.size() == 1);
  }

  TEST_CASE("warnings of the look alone are no news") {
    ToldSkill told;
    WatchedSkill skill = pdf(WatchVerdict::undecided, k_worse);
    skill.state = WatchState::testing;
    skill.reason = WatchReason::unfinished;
    skill.problems = {"it is long"};
    CHECK(news_of(told, skill, 0).none());
  }

  TEST_CASE("a skill that nobody accepted has no verdict") {
    ToldSkill told;
    WatchedSkill skill = pdf(WatchVerdict::undecided, k_worse);
    skill.accepted.clear();
    skill.reason = WatchReason::nothing_accepted;
    CHECK(news_of(told, skill, 0).none());
  }

  TEST_CASE("many messages become one that names the worst first") {
    std::vector<Popup> popups(3, Popup{"a: waits for a word"});
    CHECK(bundled(popups) == popups);
    popups.resize(8, Popup{"b: waits for a word"});
    popups.push_back({"c: REGRESSED", "why", Urgency::critical});
    const std::vector<Popup> one = bundled(popups);
    REQUIRE(one.size() == 1);
    CHECK(one.front().title == "9 messages of watched skills");
    CHECK(one.front().urgency == Urgency::critical);
    CHECK(one.front().body.starts_with("c: REGRESSED, a: waits"));
    CHECK(one.front().body.find(" and 4 more;") != std::string::npos);
  }

  TEST_CASE("nothing that is told is an option, markup or an escape") {
    const std::vector<std::string> words =
        notify_words({"--help\x1b[31m\n", "<b>&amp; \\074i\\076\x07\xE2\x80\xAE", Urgency::low});
    REQUIRE(words.size() == 5);
    CHECK(words[1] == "--urgency=low");
    CHECK(words[2] == "--");
    CHECK(words[3] == "--help\xEF\xBF\xBD[31m\xEF\xBF\xBD");
    CHECK(words[4] == "&lt;b&gt;&amp;amp; &#92;074i&#92;076\xEF\xBF\xBD\xEF\xBF\xBD");
  }

  TEST_CASE("a long text is cut before it is escaped") {
    const std::vector<std::string> words =
        notify_words({std::string(1000, 'x'), std::string(1000, '<')});
    CHECK(words[3].size() < 200);
    CHECK(words[4].ends_with("&lt;…"));
    CHECK(words[4].size() < 2100);
  }

  TEST_CASE("what was told is read as it was written, and nothing else") {
    ToldSkill told;
    WatchedSkill skill = waiting(k_worse);
    skill.project = "/home/p";
    news_of(told, skill, 0);
    const Result<std::vector<ToldSkill>> read = read_told(write_told({told}));
    REQUIRE(read);
    REQUIRE(read->size() == 1);
    CHECK(read->front() == told);
    CHECK(read->front().waited == std::vector{k_worse});
    REQUIRE_FALSE(read_told("{\"skills\": 1}"));
    CHECK(read_told("[").error().code == ErrorCode::corrupt);
  }
}
