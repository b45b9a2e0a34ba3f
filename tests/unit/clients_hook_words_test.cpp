#include "clients/hook/words.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill::hook;

namespace {

// Keeps the arguments alive that the words are views of.
class Arguments {
public:
  explicit Arguments(std::vector<std::string> texts)
      : m_texts(std::move(texts)) {
    for (std::string& text : m_texts) {
      m_pointers.push_back(text.data());
    }
  }

  HookWords read() const { return read_words(m_pointers); }

private:
  std::vector<std::string> m_texts;
  std::vector<char*> m_pointers;
};

} // namespace

TEST_SUITE("read_words") {
  TEST_CASE("event, agent and payload in any order") {
    for (const std::vector<std::string>& texts :
         {std::vector<std::string>{"Stop", "--agent", "codex", "{\"a\":1}"},
          {"--agent=codex", "Stop", "{\"a\":1}"},
          {"{\"a\":1}", "--agent", "codex", "Stop"}}) {
      Arguments arguments(texts);
      HookWords words = arguments.read();
      CHECK(words.event == "Stop");
      CHECK(words.agent == "codex");
      CHECK(words.payload == "{\"a\":1}");
      CHECK(words.unknown.empty());
      CHECK_FALSE(words.wants_help);
    }
  }

  TEST_CASE("nothing at all") {
    Arguments arguments({});
    CHECK(arguments.read().event.empty());
    CHECK(arguments.read().unknown.empty());
  }

  TEST_CASE("the first word that means nothing is named") {
    for (const auto& [texts, wrong] :
         {std::pair<std::vector<std::string>, std::string>{{"Stop", "again", "more"}, "again"},
          {{"--quiet", "Stop"}, "--quiet"},
          {{"Stop", "--agent"}, "--agent"},
          {{"Stop", "--agent", "Claude Code"}, "Claude Code"}}) {
      Arguments arguments(texts);
      CHECK(arguments.read().unknown == wrong);
      CHECK(arguments.read().event == "Stop");
    }
  }

  TEST_CASE("help") {
    CHECK(Arguments({"--help"}).read().wants_help);
    CHECK(Arguments({"Stop", "-h"}).read().wants_help);
  }
}
