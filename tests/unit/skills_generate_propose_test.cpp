#include "skills/generate/prompt_words.h"
#include "skills/generate/propose.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::generate;

namespace {

constexpr std::int64_t k_now = 1'795'240'570'000;

// Sessions as they are written down by and by.
struct Sessions {
  std::vector<SessionDigest> all = {};

  SessionDigest& begin(std::vector<std::string> prompts = {}) {
    SessionDigest session{"s" + std::to_string(1000 + all.size()), "codex", "/home/ada/app"};
    all.push_back(std::move(session));
    for (std::string& prompt : prompts) {
      say(std::move(prompt));
    }
    return all.back();
  }

  PromptDigest& say(std::string text) {
    all.back().prompts.push_back({std::move(text), k_now + ++m_said * 1000});
    return all.back().prompts.back();
  }

  // Into a session that is there, behind what was said in it.
  PromptDigest& say_in(std::size_t session, std::string text) {
    all[session].prompts.push_back({std::move(text), k_now + ++m_said * 1000});
    return all[session].prompts.back();
  }

  std::vector<Topic> topics(const TopicsWanted& wanted = {}) const {
    return find_topics(all, wanted);
  }

private:
  std::int64_t m_said = 0;
};

constexpr std::array<const char*, 24> k_verbs = {
    "Add",     "Rename",  "Refactor", "Explain", "Document", "Profile",   "Simplify",  "Remove",
    "Port",    "Replace", "Extract",  "Inline",  "Debug",    "Sketch",    "Benchmark", "Validate",
    "Migrate", "Cache",   "Log",      "Secure",  "Compare",  "Translate", "Audit",     "Split"};
constexpr std::array<const char*, 20> k_kinds = {
    "flaky",  "async",  "legacy", "nested", "binary",  "cyclic",  "remote",
    "hidden", "sparse", "strict", "atomic", "verbose", "partial", "static",
    "signed", "cursed", "global", "public", "native",  "frozen"};
constexpr std::array<const char*, 60> k_things = {
    "tokenizer", "scheduler",   "allocator", "serializer",  "thumbnail",  "invoice",   "websocket",
    "migration", "dashboard",   "checkbox",  "bootloader",  "histogram",  "keyboard",  "compiler",
    "firewall",  "gradient",    "heartbeat", "iterator",    "journal",    "kernel",    "lexer",
    "mutex",     "notebook",    "optimizer", "palette",     "quantizer",  "renderer",  "sandbox",
    "timeline",  "uploader",    "validator", "watchdog",    "accordion",  "benchmark", "calendar",
    "debouncer", "embedding",   "formatter", "geocoder",    "hypervisor", "importer",  "jitter",
    "kiosk",     "leaderboard", "metronome", "navigator",   "oscillator", "pipeline",  "queue",
    "resolver",  "spinner",     "throttle",  "unmarshaler", "viewport",   "webhook",   "yardstick",
    "zipper",    "barcode",     "cookie",    "dropdown"};
constexpr std::array<const char*, 12> k_chatter = {"continue",
                                                   "yes please",
                                                   "fix it",
                                                   "ok, go ahead",
                                                   "Thanks, that looks good",
                                                   "no",
                                                   "weiter",
                                                   "продолжай",
                                                   "继续",
                                                   "続けて",
                                                   "oui, vas-y",
                                                   "sí, continúa"};

// What people ask of agents when they never ask the same: by chance, two do share some words.
Sessions unrelated(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  auto one_of = [&](const auto& list) { return std::string(list[random() % list.size()]); };
  Sessions sessions;
  for (std::size_t i = 0; i < count; ++i) {
    sessions.begin();
    for (int prompt = 0; prompt < 5; ++prompt) {
      sessions.say(one_of(k_verbs) + " the " + one_of(k_kinds) + " " + one_of(k_things) + " in the "
                   + one_of(k_things) + " of the " + one_of(k_things));
      sessions.say(one_of(k_chatter));
    }
  }
  return sessions;
}

constexpr std::array<const char*, 5> k_release_notes = {
    "Write the release notes for 1.4 from the git log since the last tag",
    "please write release notes for v2.0.1, from the git log since the tag `v2.0.0`",
    "Release notes for 1.5 please! Look at the git log since the last tag and group by area",
    "I need the release notes for the new tag; take them from git log",
    "Write release notes from the git log since tag v3"};

std::vector<std::string> texts(std::string_view prompt) {
  std::vector<std::string> words;
  for (const PromptWord& word : words_of_prompt(prompt)) {
    words.push_back(word.text);
  }
  return words;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("words_of_prompt") {
  TEST_CASE("forms of a word are one, and case and quotes are none") {
    CHECK(texts("Released RELEASES, \"release\" (releasing)!")
          == std::vector<std::string>{"relea"});
    CHECK(texts("Übersetze STRASSE straße") == std::vector<std::string>{"übers", "stras"});
    CHECK(texts("don't don’t") == std::vector<std::string>{"dont"});
    CHECK(texts("Миграция миграции") == std::vector<std::string>{"мигра"});
  }

  TEST_CASE("what differs each time is left out") {
    CHECK(texts("bump /usr/lib/x src/a/b.cpp ./run main.py v1.2.3 1234 abc123 --force -v "
                "https://example.com/a ada@example.com max_width std::move f() x=1 {a} <b> a`b`c")
          == std::vector<std::string>{"bump"});
    CHECK(texts("before ```\nint main\n``` after") == std::vector<std::string>{"befor", "after"});
    CHECK(texts("before ```\nnever closed") == std::vector<std::string>{"befor"});
    CHECK(texts("client/server e.g. a") == std::vector<std::string>{"clien", "serve"});
  }

  TEST_CASE("scripts without spaces go by pairs, and numbers spoil nothing") {
    CHECK(texts("发布说明1.4版本") == std::vector<std::string>{"发布", "布说", "说明", "版本"});
    CHECK(words_of_prompt("发布")[0].is_part);
    CHECK(texts("git 提交") == std::vector<std::string>{"git", "提交"});
  }

  TEST_CASE("bounded whatever it is") {
    std::string text;
    for (int i = 0; i < 10'000; ++i) {
      text += std::string(1, char('a' + i % 26)) + std::string(1, char('a' + i / 26 % 26)) + " ";
    }
    CHECK(words_of_prompt(text).size() == k_most_prompt_words);
    CHECK(texts("ab\xFF\xFE"
                "cd")
          == std::vector<std::string>{"ab", "cd"});
    CHECK(texts("").empty());
    CHECK(texts("``` ` ```` ' . / -").empty());
  }

  TEST_CASE("what says nothing in many languages is common, and what says something is not") {
    for (std::string prompt : {"continue",
                               "Yes, please go ahead!",
                               "fix it",
                               "Hello there",
                               "danke, passt",
                               "weiter",
                               "Oui, vas-y",
                               "sí, continúa",
                               "да, продолжай",
                               "继续",
                               "続けてください",
                               "thanks, looks good"}) {
      CAPTURE(prompt);
      CHECK(std::ranges::all_of(words_of_prompt(prompt), is_common_word));
    }
    for (std::string word : {"release", "notes", "kernel", "миграция", "提交"}) {
      CAPTURE(word);
      CHECK_FALSE(is_common_word(words_of_prompt(word).at(0)));
    }
  }
}

TEST_SUITE("find_topics") {
  TEST_CASE("200 sessions that have nothing in common give nothing") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      CAPTURE(seed);
      std::vector<Topic> topics = unrelated(200, seed).topics();
      for (const Topic& topic : topics) {
        MESSAGE(topic.intent, " | ", topic.fingerprint, " | ", topic.sessions.size());
      }
      CHECK(topics.empty());
    }
    CHECK(find_topics({}, {}).empty());
  }

  TEST_CASE("a few sessions that have nothing in common give nothing either") {
    for (std::size_t count : {1, 2, 3, 5, 10}) {
      CAPTURE(count);
      for (unsigned seed = 1; seed <= 20; ++seed) {
        CHECK(unrelated(count, seed).topics().empty());
      }
    }
  }

  TEST_CASE("what was asked again and again is found among them, in other words too") {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      CAPTURE(seed);
      Sessions sessions = unrelated(200, seed);
      for (std::size_t i = 0; i < k_release_notes.size(); ++i) {
        sessions.say_in(20 + 30 * i, k_release_notes[i]);
      }
      sessions.say_in(50, "Write the release notes for 1.4.1 from the git log since the last tag");
      std::vector<Topic> topics = sessions.topics();
      REQUIRE(topics.size() == 1);
      CHECK(has(topics[0].intent, "elease notes"));
      CHECK(topics[0].sessions
            == std::vector<std::string>{"s1050", "s1140", "s1110", "s1080", "s1020"});
      CHECK(topics[0].prompts == 6);
      CHECK(topics[0].corrections == 0);
      CHECK(has(topics[0].fingerprint, "notes"));
      CHECK(topics[0].newest_ms > k_now);
    }
  }

  TEST_CASE("in whatever language") {
    const std::map<std::string, std::vector<std::string>> planted = {
        {"Versionshinweise",
         {"Schreibe die Versionshinweise für 2.0 aus dem Git-Verlauf seit dem letzten Tag",
          "Bitte die Versionshinweise aus dem Git-Verlauf schreiben, seit Tag v2",
          "Versionshinweise für 2.1: nimm den Verlauf von Git seit dem Tag"}},
        {"миграци",
         {"Подготовь миграцию базы данных с откатом для таблицы заказов",
          "Сделай миграцию базы данных и откат к ней, таблица клиентов",
          "Нужна миграция базы данных с откатом для таблицы счетов"}},
        {"发布说明",
         {"请根据提交记录写一下1.4版本的发布说明",
          "根据上次以来的提交记录写发布说明",
          "写2.0的发布说明，根据提交记录整理"}},
        {"traducciones",
         {"Genera las traducciones que faltan y ordena las claves del catálogo",
          "Faltan traducciones en el catálogo: genera las claves y ordénalas",
          "genera traducciones faltantes del catálogo con las claves ordenadas"}}};
    Sessions sessions = unrelated(60, 7);
    for (const auto& [name, prompts] : planted) {
      for (std::size_t i = 0; i < prompts.size(); ++i) {
        sessions.say_in(10 + 20 * i, prompts[i]);
      }
    }
    std::vector<Topic> topics = sessions.topics();
    CHECK(topics.size() == planted.size());
    for (const auto& [name, prompts] : planted) {
      CAPTURE(name);
      auto found =
          std::ranges::find_if(topics, [&](const Topic& topic) { return has(topic.intent, name); });
      REQUIRE(found != topics.end());
      CHECK(found->sessions.size() == 3);
    }
  }

  TEST_CASE("two sessions are enough where they say the same, and one never is") {
    Sessions sessions;
    sessions.begin({k_release_notes[0], k_release_notes[1], k_release_notes[0]});
    CHECK(sessions.topics().empty());
    sessions.begin({"Add the flaky tokenizer", k_release_notes[1]});
    std::vector<Topic> topics = sessions.topics();
    REQUIRE(topics.size() == 1);
    CHECK(topics[0].prompts == 4);
    CHECK(topics[0].sessions.size() == 2);
  }

  TEST_CASE(
      "what nearly every session says is no topic, in a language that nobody listed as well") {
    Sessions sessions = unrelated(40, 3);
    for (std::size_t i = 0; i < 36; ++i) {
      sessions.say_in(i, "jatka vain samaan malliin");
      sessions.say_in(i, "committed? then push");
      sessions.say_in(i, "Please continue with the next one, and fix everything that is wrong");
    }
    std::vector<Topic> topics = sessions.topics();
    // Three words that nobody else says may be something; two, or common ones, are nothing.
    CHECK(topics.size() <= 1);
    for (const Topic& topic : topics) {
      CHECK(topic.intent == "jatka vain samaan malliin");
    }
  }

  TEST_CASE("a short intent counts where several sessions begin with it, and not within them") {
    Sessions sessions = unrelated(30, 4);
    for (int i = 0; i < 4; ++i) {
      sessions.begin({"release notes"});
    }
    REQUIRE(sessions.topics().size() == 1);
    CHECK(sessions.topics()[0].intent == "release notes");
    Sessions within = unrelated(30, 4);
    for (std::size_t i = 0; i < 4; ++i) {
      within.say_in(i, "release notes");
    }
    CHECK(within.topics().empty());
  }

  TEST_CASE("what a person says again and again to correct the agent is a topic") {
    auto corrected = [](bool corrects) {
      Sessions sessions = unrelated(30, 5);
      for (std::size_t i = 0; i < 3; ++i) {
        sessions.say_in(3 * i, "No, use pnpm for the lockfile").corrects = corrects;
      }
      return sessions.topics();
    };
    std::vector<Topic> topics = corrected(true);
    REQUIRE(topics.size() == 1);
    CHECK(topics[0].corrections == 3);
    CHECK(corrected(false).empty());
  }

  TEST_CASE("more sessions come first, then more corrections, then the newest") {
    Sessions sessions = unrelated(40, 6);
    const std::array<std::string, 6> wishes = {
        "Generate protobuf bindings for the telemetry gateway",
        "Rotate the staging certificates and restart nginx",
        "Draft a postmortem from the pager timeline",
        "Vectorise this loop with neon intrinsics",
        "Squash the fixup commits before rebasing onto upstream",
        "Regenerate golden screenshots of the onboarding wizard"};
    // 3 sessions each but the first, which has 4; the third is corrected; the rest by age.
    for (std::size_t round = 0; round < 4; ++round) {
      for (std::size_t i = 0; i < wishes.size(); ++i) {
        if (round < 3 || i == 0) {
          PromptDigest& said = sessions.say_in(10 * round + i, wishes[i]);
          said.is_corrected = i == 2 && round == 1;
          said.had_error = i == 2;
        }
      }
    }
    std::vector<Topic> topics = sessions.topics();
    REQUIRE(topics.size() == k_most_topics);
    CHECK(topics[0].intent == wishes[0]);
    CHECK(topics[1].intent == wishes[2]);
    CHECK(topics[1].corrections == 1);
    CHECK(topics[1].errors == 3);
    CHECK(topics[2].intent == wishes[5]);
    CHECK(topics[3].intent == wishes[4]);
    CHECK(topics[4].intent == wishes[3]);
    TopicsWanted two;
    two.limit = 2;
    CHECK(sessions.topics(two).size() == 2);
  }

  TEST_CASE("what a skill is there for already is left out") {
    Sessions sessions = unrelated(50, 8);
    for (std::size_t i = 0; i < k_release_notes.size(); ++i) {
      sessions.say_in(7 * i, k_release_notes[i]);
    }
    TopicsWanted wanted;
    wanted.known = {{"kernel-builder", "Builds CUDA kernels for the GPU"},
                    {"git", "Works with git"}};
    CHECK(sessions.topics(wanted).size() == 1);
    wanted.known.push_back({"release-notes", ""});
    CHECK(sessions.topics(wanted).empty());
    wanted.known.back() = {"changelog", "Writes release notes from the git log between two tags."};
    CHECK(sessions.topics(wanted).empty());
  }

  TEST_CASE("what was settled does not come back, and the next one has its place") {
    Sessions sessions = unrelated(50, 9);
    for (std::size_t i = 0; i < 5; ++i) {
      sessions.say_in(7 * i, k_release_notes[i]);
      if (i < 3) {
        sessions.say_in(7 * i, "Rotate the staging certificates and restart nginx");
      }
    }
    TopicsWanted wanted;
    wanted.limit = 1;
    std::string first = sessions.topics(wanted).at(0).fingerprint;
    wanted.is_settled = [&](const Topic& topic) { return topic.fingerprint == first; };
    std::vector<Topic> topics = sessions.topics(wanted);
    REQUIRE(topics.size() == 1);
    CHECK(has(topics[0].intent, "nginx"));
  }

  TEST_CASE("the same whatever order sessions come in") {
    Sessions sessions = unrelated(100, 10);
    for (std::size_t i = 0; i < k_release_notes.size(); ++i) {
      sessions.say_in(7 * i, k_release_notes[i]);
      sessions.say_in(11 * i, "Rotate the staging certificates and restart nginx");
    }
    std::vector<Topic> topics = sessions.topics();
    REQUIRE(topics.size() == 2);
    std::mt19937 random(1);
    for (int turn = 0; turn < 5; ++turn) {
      std::ranges::shuffle(sessions.all, random);
      CHECK(sessions.topics() == topics);
    }
  }

  TEST_CASE("an intent is one line, whatever was said") {
    Sessions sessions;
    std::string text = "Rotate the\n\n staging\tcertificates\x1b[31m and restart nginx \xC3\xA4"
                       + std::string(500, 'x') + "\xFF";
    sessions.begin({text});
    sessions.begin({text});
    std::vector<Topic> topics = sessions.topics();
    REQUIRE(topics.size() == 1);
    CHECK(topics[0].intent.starts_with("Rotate the staging certificates [31m and restart nginx ä"));
    CHECK(topics[0].intent.size() <= k_max_intent);
    CHECK(topics[0].intent.ends_with("…"));
  }

  TEST_CASE("many prompts of the same few words are bounded") {
    std::mt19937 random(11);
    Sessions sessions;
    for (int i = 0; i < 500; ++i) {
      sessions.begin();
      for (int prompt = 0; prompt < 200; ++prompt) {
        std::string text;
        for (int word = 0; word < 20; ++word) {
          text += "word" + std::string(1, char('a' + random() % 20)) + " ";
        }
        sessions.say(text + k_things[random() % k_things.size()]);
      }
    }
    CHECK(sessions.topics().size() <= k_most_topics);
  }
}
