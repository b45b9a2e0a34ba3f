#include "skills/distill/several.h"
#include "tests/unit/skills_distill_session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace upskill;
using namespace upskill::distill;
using namespace upskill::tests;

namespace {

std::string words(std::mt19937& random, std::size_t most) {
  std::string text(random() % most + 1, 'w');
  for (std::size_t i = 7; i < text.size(); i += 8) {
    text[i] = random() % 9 == 0 ? '\n' : ' ';
  }
  return text;
}

// Something of everything; the newest words of the person are `newest`.
ClaudeSession any_session(std::mt19937& random, std::size_t steps) {
  ClaudeSession session("session-" + std::to_string(random() % 1000));
  int calls = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    std::string id = "t" + std::to_string(++calls);
    switch (random() % 8) {
    case 0:
      session.prompt(words(random, 5000));
      break;
    case 1:
      session.thinks(words(random, 300));
      break;
    case 2:
    case 3:
      session.says(words(random, 3000));
      break;
    case 4: {
      // A pair, told by its number.
      std::string pair = std::to_string(calls);
      session.runs(id, "build" + std::string(calls % 40, 'x') + " part");
      session.fails(id, "Exit code 2\nfailure-" + pair + ". " + words(random, 2000));
      session.says(words(random, 100));
      session.runs(id + "b", "build" + std::string(calls % 40, 'x') + " part");
      session.gives(id + "b", "recovery-" + pair + ". " + words(random, 20));
      break;
    }
    case 5:
      session.runs(id, "ls " + words(random, 400));
      session.gives(id, words(random, 3000));
      break;
    default:
      session.calls(id, "Read", R"({"file_path":"/home/ada/app/f"})");
      session.gives(id, words(random, 3000));
    }
  }
  session.prompt("newest " + words(random, 5000));
  session.says("ok");
  return session;
}

std::vector<std::string> numbers_behind(const std::string& text, const std::string& word) {
  std::vector<std::string> numbers;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    std::size_t begin = at + word.size();
    numbers.push_back(text.substr(begin, text.find('.', begin) - begin));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

} // namespace

TEST_CASE("never over the budget, the newest words of the person in it, pairs whole") {
  unsigned seed = std::random_device{}();
  MESSAGE("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    ClaudeSession session = any_session(random, random() % 300);
    Distiller distiller(trace::Format::claude);
    distill_into(distiller, session.bytes);
    for (std::size_t tokens : {std::size_t{1000}, 1000 + random() % 30000, k_unlimited_tokens}) {
      CAPTURE(round);
      CAPTURE(tokens);
      Distilled result = distiller.distilled({tokens, {}});
      REQUIRE(result.text.size() <= 4 * tokens);
      REQUIRE(result.text.find(" person | newest") != std::string::npos);
      REQUIRE(numbers_behind(result.text, "failure-") == numbers_behind(result.text, "recovery-"));
      REQUIRE(adds_up(result));
      REQUIRE(result == distiller.distilled({tokens, {}}));
      if (tokens == k_unlimited_tokens) {
        REQUIRE(left_out(result, LeftOut::budget) == 0);
      }
      for (std::size_t i = 0; i < result.ranges.size(); ++i) {
        REQUIRE(result.ranges[i].begin < result.ranges[i].end);
        REQUIRE(result.ranges[i].end <= session.bytes.size());
        REQUIRE((i == 0 || result.ranges[i - 1].end < result.ranges[i].begin));
      }
    }
  }
}

TEST_CASE("tiers: a person first, then failures, answers, texts, calls, what went well") {
  ClaudeSession session;
  session.prompt("ask");
  for (int i = 0; i < 300; ++i) {
    std::string id = "t" + std::to_string(i);
    session.says("text " + std::to_string(i) + " " + std::string(80, 'x'));
    session.runs(id, "ls " + std::to_string(i));
    session.gives(id, "output " + std::string(80, 'y'));
  }
  session.runs("f", "make");
  session.fails("f", "Exit code 2");
  session.says("the answer");
  session.prompt("newest");
  auto kept = [](const Distilled& result, Tier tier) {
    return result.kept_by_tier[static_cast<std::size_t>(tier)];
  };
  Distilled small = distilled(session, {2000, {}});
  CHECK(kept(small, Tier::human) == 2);
  CHECK(kept(small, Tier::failure) == 2);
  CHECK(kept(small, Tier::answer) == 1);
  CHECK(kept(small, Tier::text) > 10);
  CHECK(kept(small, Tier::call) == 0);
  // The newest of a tier, and a mark where the older ones were.
  CHECK(small.text.find("text 299 ") != std::string::npos);
  CHECK(small.text.find("text 0 ") == std::string::npos);
  CHECK(small.text.find("\n[\u2026 ") != std::string::npos);
  Distilled larger = distilled(session, {16000, {}});
  CHECK(kept(larger, Tier::text) == 300);
  CHECK(kept(larger, Tier::call) == 300);
  CHECK(kept(larger, Tier::success) < 300);
}

TEST_CASE("what is held is bounded, and the least valuable goes first") {
  constexpr std::size_t memory = 200 << 10;
  Distiller distiller(trace::Format::claude, nullptr, memory);
  trace::TraceParser parser(trace::Format::claude);
  ClaudeSession session;
  std::size_t most = 0;
  std::size_t offset = 0;
  session.prompt("the very first words");
  for (int i = 0; i < 20000; ++i) {
    std::string id = "t" + std::to_string(i);
    session.runs(id, "ls " + std::string(200, 'x'));
    session.gives(id, std::string(300, 'y'));
    if (i % 100 == 0) {
      parser.take(std::string_view(session.bytes).substr(offset), distiller);
      offset = session.bytes.size();
      most = std::max(most, distiller.memory());
    }
  }
  parser.take(std::string_view(session.bytes).substr(offset), distiller);
  parser.finish(distiller);
  CHECK(most <= memory);
  Distilled result = distiller.distilled();
  CHECK(result.text.find("person | the very first words") != std::string::npos);
  CHECK(left_out(result, LeftOut::memory) > 30000);
  CHECK(adds_up(result));
}

TEST_CASE("several sessions share the budget, and none is left out in silence") {
  std::mt19937 random(7);
  std::vector<std::string> bytes;
  ClaudeSession small("small");
  small.prompt("a small one");
  bytes.push_back(any_session(random, 400).bytes);
  bytes.push_back(small.bytes);
  bytes.push_back(any_session(random, 400).bytes);
  std::vector<Distiller> distillers;
  for (const std::string& session : bytes) {
    distillers.emplace_back(trace::Format::claude);
    distill_into(distillers.back(), session);
  }
  std::vector<const Distiller*> all = {&distillers[0], &distillers[1], &distillers[2]};
  for (std::size_t tokens : {3002, 5000, 24000, 60000}) {
    CAPTURE(tokens);
    DistilledSeveral result = distill_several(all, tokens);
    CHECK(result.text.size() <= 4 * tokens);
    REQUIRE(result.parts.size() == 3);
    CHECK(result.left_out.empty());
    CHECK(result.parts[1] == distillers[1].distilled({k_unlimited_tokens, {}}));
    CHECK(result.text
          == result.parts[0].text + "\n" + result.parts[1].text + "\n" + result.parts[2].text);
  }
  // What the small one does not need is shared: both large ones get more than a third.
  DistilledSeveral shared = distill_several(all, 24000);
  CHECK(shared.parts[0].tokens_after > 9000);
  CHECK(shared.parts[2].tokens_after > 9000);

  DistilledSeveral few = distill_several(all, 1500);
  CHECK(few.text.size() <= 4 * 1500);
  CHECK(few.there == std::vector<std::size_t>{0});
  CHECK(few.left_out == std::vector<std::size_t>{1, 2});
  CHECK(few.text.find("2 more sessions are left out") != std::string::npos);
  CHECK(few.text.find(" | small, session-") != std::string::npos);
  CHECK(distill_several({}, 1000).text.empty());
  std::vector<const Distiller*> one = {&distillers[0]};
  CHECK(distill_several(one, 1).parts.size() == 1);
}

TEST_CASE("secrets are taken out before a cut could go through them") {
  // Everything that looks like `key-` and digits goes, and no part of it may stay.
  struct Keys : trace::TextFilter {
    void clean(std::string& text) override {
      for (std::size_t at = text.find("key-"); at != std::string::npos; at = text.find("key-")) {
        std::size_t end = text.find_first_not_of("0123456789", at + 4);
        text.replace(at, std::min(end, text.size()) - at, "[REDACTED:key]");
      }
    }
  };

  Keys keys;
  std::string secret = "key-" + std::string(600, '7');
  unsigned seed = std::random_device{}();
  MESSAGE("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    auto with_secrets = [&] {
      std::string text = words(random, 5000);
      for (std::size_t i = 0; i < 6; ++i) {
        text += " " + secret + " " + words(random, 5000);
      }
      return text;
    };
    ClaudeSession session;
    session.prompt(with_secrets());
    session.says(with_secrets());
    session.runs("t1", "curl " + with_secrets());
    session.fails("t1", with_secrets());
    session.runs("t2", "ls");
    session.gives("t2", with_secrets());
    Distiller distiller(trace::Format::claude, &keys);
    distill_into(distiller, session.bytes);
    std::string text = distiller.distilled().text;
    REQUIRE(text.find("77777") == std::string::npos);
    REQUIRE(text.find("key-") == std::string::npos);
  }
}
