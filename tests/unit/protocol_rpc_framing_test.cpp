#include "protocol/rpc/framing.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using upskill::rpc::Framing;

namespace {

// Every line that comes out, an oversized one as "<oversized>".
std::vector<std::string> lines_of(Framing& framing) {
  std::vector<std::string> lines;
  while (auto line = framing.next()) {
    lines.push_back(line->oversized ? "<oversized>" : std::string(line->text));
  }
  return lines;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_SUITE("Framing") {
  TEST_CASE("a line comes out once its newline is there") {
    Framing framing;
    framing.feed("one");
    CHECK(lines_of(framing).empty());
    CHECK(framing.rest() == "one");
    framing.feed("\ntwo\nthr");
    CHECK(lines_of(framing) == Lines{"one", "two"});
    CHECK(framing.rest() == "thr");
  }

  TEST_CASE("carriage returns and empty lines are tolerated") {
    Framing framing;
    framing.feed("one\r\n\r\n\n\ntwo\n");
    CHECK(lines_of(framing) == Lines{"one", "two"});
  }

  TEST_CASE("a whole line is not copied") {
    Framing framing;
    framing.feed("one\ntwo\n");
    auto first = framing.next();
    auto second = framing.next();
    REQUIRE(first);
    REQUIRE(second);
    CHECK(second->text.data() == first->text.data() + 4);
  }

  TEST_CASE("a line of exactly the limit passes, one more byte does not") {
    Framing framing(8);
    framing.feed("12345678\n123456789\nok\n");
    CHECK(lines_of(framing) == Lines{"12345678", "<oversized>", "ok"});
  }

  TEST_CASE("an endless line is reported once and never held") {
    Framing framing(1000);
    std::size_t reports = 0;
    for (int i = 0; i < 1000; ++i) {
      framing.feed(std::string(500, 'x'));
      for (const std::string& line : lines_of(framing)) {
        CHECK(line == "<oversized>");
        ++reports;
      }
      CHECK(framing.capacity() < 5000);
    }
    CHECK(reports == 1);
    CHECK(framing.is_dropping());
    CHECK(framing.rest().empty());
    framing.feed("tail\nnext\n");
    CHECK(lines_of(framing) == Lines{"next"});
  }

  TEST_CASE("the memory of one long line is given back") {
    Framing framing;
    framing.feed(std::string(4u << 20, 'x') + "\n");
    CHECK(lines_of(framing).size() == 1);
    framing.feed("short\n");
    CHECK(framing.capacity() < (1u << 20));
    CHECK(lines_of(framing) == Lines{"short"});
  }

  TEST_CASE("how the bytes are cut into pieces changes nothing") {
    std::string stream;
    for (int i = 0; i < 200; ++i) {
      stream += std::string(static_cast<std::size_t>(i * 7 % 50), static_cast<char>('a' + i % 26));
      stream += i % 3 == 0 ? "\r\n" : "\n";
    }
    Framing whole(40);
    whole.feed(stream);
    Lines expected = lines_of(whole);
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      Framing framing(40);
      Lines got;
      for (std::size_t at = 0; at < stream.size();) {
        std::size_t size = std::min<std::size_t>(1 + random() % 60, stream.size() - at);
        framing.feed(std::string_view(stream).substr(at, size));
        at += size;
        for (std::string& line : lines_of(framing)) {
          got.push_back(std::move(line));
        }
      }
      CHECK(got == expected);
    }
  }
}
