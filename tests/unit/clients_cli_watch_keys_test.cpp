#include "clients/cli/watch_keys.h"

#include <doctest/doctest.h>

using namespace upskill::cli;

namespace {

std::vector<Key> keys(std::string_view bytes) {
  KeyReader reader;
  return reader.feed(bytes);
}

std::vector<Key> one(KeyKind kind) {
  return {{kind}};
}

} // namespace

TEST_SUITE("watch keys") {
  TEST_CASE("are letters, and names of what has none") {
    CHECK(keys("qY?")
          == std::vector<Key>{
              {KeyKind::letter, 'q'}, {KeyKind::letter, 'Y'}, {KeyKind::letter, '?'}});
    CHECK(keys("\r") == one(KeyKind::enter));
    CHECK(keys("\x7f") == one(KeyKind::erase));
    CHECK(keys("\b") == one(KeyKind::erase)); // what some send for the same key
    CHECK(keys("\x1b[A") == one(KeyKind::up));
    CHECK(keys("\x1bOB") == one(KeyKind::down)); // a keypad in application mode
    CHECK(keys("\x1b[5~") == one(KeyKind::page_up));
    CHECK(keys("\x1b[6~") == one(KeyKind::page_down));
    CHECK(keys("\x1b[H") == one(KeyKind::home));
    CHECK(keys("\x1b[4~") == one(KeyKind::end));
  }

  TEST_CASE("are whole, however they were split") {
    constexpr std::string_view k_bytes = "\x1b[A\x1b[6~k";
    const std::vector<Key> wanted{{KeyKind::up}, {KeyKind::page_down}, {KeyKind::letter, 'k'}};
    for (std::size_t at = 0; at <= k_bytes.size(); ++at) {
      KeyReader reader;
      std::vector<Key> got = reader.feed(k_bytes.substr(0, at));
      for (const Key& key : reader.feed(k_bytes.substr(at))) {
        got.push_back(key);
      }
      CAPTURE(at);
      CHECK(got == wanted);
      CHECK_FALSE(reader.is_waiting());
    }
  }

  TEST_CASE("know Escape from the start of a sequence by what follows") {
    KeyReader reader;
    CHECK(reader.feed("\x1b").empty());
    CHECK(reader.is_waiting());
    CHECK(reader.give_up() == one(KeyKind::escape));
    CHECK_FALSE(reader.is_waiting());
    // Half a sequence that is never finished is no key at all, and the next one is.
    CHECK(reader.feed("\x1b[1").empty());
    CHECK(reader.give_up().empty());
    CHECK(reader.feed("q") == std::vector<Key>{{KeyKind::letter, 'q'}});
  }

  TEST_CASE("swallow what has no meaning, with all of its letters") {
    CHECK(keys("\x1b[1;5C").empty());  // Ctrl and right: its `C` is no `c`
    CHECK(keys("\x1b[15~").empty());   // F5
    CHECK(keys("\x1bq").empty());      // Alt and q
    CHECK(keys("\x1b[?62;c").empty()); // what a terminal says of itself
    CHECK(keys("\x01\x02\xC3\xA9").empty());
    CHECK(keys(std::string("\x1b[") + std::string(1000, '1') + "q") != one(KeyKind::escape));
  }
}
