#include "skills/trace/document_splitter.h"
#include "skills/trace/excerpt.h"
#include "skills/trace/line_splitter.h"
#include "skills/trace/long_record.h"
#include "skills/trace/reader.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace upskill;
using trace::Piece;

namespace {

struct Found {
  std::string record;
  std::uint64_t offset;
  std::uint64_t length;

  friend bool operator==(const Found&, const Found&) = default;
};

// As a parser does: `step` bytes more at a time, followed by bytes that mean nothing.
std::vector<Found> split(trace::Splitter& splitter, std::string_view bytes, std::size_t step) {
  std::vector<Found> found;
  std::size_t begin = 0;
  for (std::size_t end = 0; end < bytes.size() + step; end += step) {
    end = std::min(end, bytes.size());
    bool at_end = end == bytes.size();
    while (true) {
      std::string buffer(bytes.substr(begin, end - begin));
      std::size_t size = buffer.size();
      buffer.resize(size + trace::k_record_padding, '"');
      Piece piece = splitter.next(std::string_view(buffer).substr(0, size), at_end);
      if (piece.consumed == 0 && piece.record.empty()) {
        break;
      }
      begin += piece.consumed;
      if (!piece.record.empty()) {
        found.push_back({std::string(piece.record), piece.offset, piece.length});
      }
    }
  }
  CHECK(begin == bytes.size());
  return found;
}

std::vector<Found> documents(std::string_view bytes) {
  trace::DocumentSplitter whole;
  std::vector<Found> found = split(whole, bytes, bytes.size() + 1);
  for (std::size_t step : {1, 2, 5, 17}) {
    CAPTURE(step);
    trace::DocumentSplitter splitter;
    CHECK(split(splitter, bytes, step) == found);
  }
  return found;
}

} // namespace

TEST_CASE("the elements of a document's list are its records, and the rest comes last") {
  std::string text = R"({ "id" : "s1", "messages": [ {"a":"]}"}, 7 ,"x\"y"],)"
                     "\n"
                     R"( "info": {"messages":[1]}, "n": -1.5e3 })";
  std::vector<Found> found = documents(text);
  REQUIRE(found.size() == 4);
  CHECK(found[0].record == R"({"a":"]}"})");
  CHECK(found[0].offset == text.find(R"({"a")"));
  CHECK(found[0].length == found[0].record.size());
  CHECK(found[1].record == "7");
  CHECK(found[2].record == R"("x\"y")");
  CHECK(found[3].record == R"({"id":"s1","messages":[],"info":{"messages":[1]},"n":-1.5e3})");
  CHECK(found[3].offset == 0);
  CHECK(found[3].length == text.size());
}

TEST_CASE("a document that is a list, and one after the other") {
  std::vector<Found> found = documents(" [{\"a\":1},{\"b\":[2]}]\n{\"steps\":[3]}");
  REQUIRE(found.size() == 4);
  CHECK(found[0].record == "{\"a\":1}");
  CHECK(found[1].record == "{\"b\":[2]}");
  CHECK(found[2].record == "3");
  CHECK(found[3].record == "{\"steps\":[]}");
}

TEST_CASE("a document that is cut off gives what there is of it") {
  std::vector<Found> found = documents(R"({"id":"s1","messages":[{"a":1},{"b)");
  REQUIRE(found.size() == 3);
  CHECK(found[0].record == R"({"a":1})");
  CHECK(found[1].record == R"({"b)");
  CHECK(found[2].record == R"({"id":"s1","messages":[]})");
}

TEST_CASE("nothing is settled before a document's end") {
  trace::DocumentSplitter splitter;
  CHECK(splitter.may_resume());
  split(splitter, R"({"messages":[{"a":1})", 100);
  trace::DocumentSplitter running;
  std::string padded = R"({"messages":[{"a":1},)" + std::string(trace::k_record_padding, ' ');
  running.next(std::string_view(padded).substr(0, 21), false);
  CHECK(!running.may_resume());
}

TEST_CASE("an element of 20 MB keeps its structure") {
  std::string image(20u << 20, 'A');
  std::string element = R"({"data":")" + image + R"(","text":"yes"})";
  trace::DocumentSplitter splitter;
  std::vector<Found> found = split(splitter, "{\"messages\":[1," + element + ",2]}", 3u << 20);
  REQUIRE(found.size() == 4);
  std::string kept(trace::k_kept_of_string - trace::k_cut_margin, 'A');
  CHECK(found[1].record == R"({"data":")" + kept + R"(","text":"yes"})");
  CHECK(found[1].length == element.size());
  CHECK(found[1].offset == 15);
  CHECK(found[2].record == "2");
}

TEST_CASE("a long string is cut before a word, and no escape is torn") {
  auto kept_of = [](const std::string& text) {
    trace::LongRecord record;
    record.begin();
    record.take(R"({"text":")" + text);
    record.take(R"(","end":1})");
    std::string kept(record.finish());
    return kept.substr(9, kept.size() - 9 - 10); // between the quotes
  };
  for (std::size_t before = 0; before < 40; ++before) {
    CAPTURE(before);
    std::string words(trace::k_kept_of_string - 20 - before, 'w');
    words[words.size() - 1] = ' ';
    std::string token(60, 't');
    CHECK(kept_of(words + token + " behind") == words.substr(0, words.size() - 1));
    std::string escapes(before, 'x');
    for (std::size_t i = 0; i < 20'000; ++i) {
      escapes += R"(\u0041)";
    }
    CHECK((kept_of(escapes).size() - before) % 6 == 0);
    std::string quotes(before, 'x');
    for (std::size_t i = 0; i < 60'000; ++i) {
      quotes += R"(\")";
    }
    CHECK((kept_of(quotes).size() - before) % 2 == 0);
  }
  std::string whole(trace::k_kept_of_string, 't');
  CHECK(kept_of(whole) == whole);
  CHECK(kept_of(whole + "t").size() == trace::k_kept_of_string - trace::k_cut_margin);
}

TEST_CASE("a record whose structure alone is too long ends before a word, too") {
  trace::LongRecord record;
  record.begin();
  std::string text = "[";
  while (text.size() < trace::k_max_record - 30) {
    text += R"("a b",)";
  }
  std::string token(60, 't');
  record.take(text + "\"x " + token + "\",");
  record.take(text);
  std::string kept(record.finish());
  CHECK(kept == text + "\"x");
}

TEST_CASE("any bytes are split, whatever the pieces") {
  std::uint32_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  constexpr std::string_view k_letters = "{}[],:\"\\ \n1amessages\"messages\":[";
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (std::size_t size = random() % 60; text.size() < size;) {
      text += random() % 9 == 0 ? std::string("{\"steps\":[")
                                : std::string(1, k_letters[random() % k_letters.size()]);
    }
    CAPTURE(text);
    documents(text);
  }
}
