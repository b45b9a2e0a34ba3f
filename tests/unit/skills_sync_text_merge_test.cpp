#include "skills/sync/text_diff.h"
#include "skills/sync/text_merge.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

using namespace upskill::sync;

namespace {

const std::string k_base = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

// Base lines, and what one side makes of them: replaced, deleted or followed by new lines, each of
// which carries the side's own mark.
struct EditedText {
  std::string text;
  std::vector<std::string> inserted;
  std::vector<bool> touched; // by base line; the last place stands for the end
};

std::string base_text(std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    text += "line " + std::to_string(i) + "\n";
  }
  return text;
}

EditedText edit(std::mt19937_64& random,
                std::size_t lines,
                const std::string& mark,
                const std::vector<bool>* keep_away = nullptr) {
  EditedText edited;
  edited.touched.resize(lines + 1);
  int number = 0;
  // An edit of line i counts from i - 1 to i + 1, so two sides that keep away from each other's
  // places have an unchanged line between them.
  auto free = [&](std::size_t i) {
    for (std::size_t near = i > 2 ? i - 2 : 0; near <= std::min(i + 2, lines); ++near) {
      if (keep_away != nullptr && (*keep_away)[near]) {
        return false;
      }
    }
    return true;
  };
  auto insert = [&] {
    edited.inserted.push_back(mark + std::to_string(number++) + "\n");
    edited.text += edited.inserted.back();
  };
  for (std::size_t i = 0; i <= lines; ++i) {
    std::string line = i < lines ? "line " + std::to_string(i) + "\n" : "";
    std::uint64_t choice = free(i) ? random() % 12 : 11;
    edited.touched[i] = choice < 3;
    if (choice == 0) {
      insert();
      edited.text += line;
    } else if (choice == 1 && i < lines) {
      insert();
    } else if (choice != 2) {
      edited.text += line;
    }
  }
  return edited;
}

std::optional<std::string>
merge_text(std::string_view base, std::string_view ours, std::string_view theirs) {
  return merge_texts(base, {ours, theirs});
}

} // namespace

TEST_SUITE("text_merge") {
  TEST_CASE("changes in different places are joined") {
    CHECK(merge_text(k_base, "one\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
          == "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    CHECK(merge_text(k_base, "2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\nnew\n6\n7\n8\n9\n")
          == "2\n3\n4\n5\nnew\n6\n7\n8\n9\n");
  }

  TEST_CASE("one unchanged line between two changes is enough, none is not") {
    CHECK(merge_text("1\n2\n3\n", "a\n2\n3\n", "1\n2\nb\n") == "a\n2\nb\n");
    CHECK_FALSE(merge_text("1\n2\n3\n", "a\n2\n3\n", "1\nb\n3\n"));
    CHECK_FALSE(merge_text("1\n2\n3\n", "1\n3\n", "1\n2\nb\n"));
    CHECK_FALSE(merge_text("1\n2\n3\n", "1\nnew\n2\n3\n", "1\nb\n3\n"));
    CHECK_FALSE(merge_text("1\n2\n", "1\nx\n2\n", "1\ny\n2\n"));
    // One put `x` in the place of a line, the other beside it: not the same, though both new lines
    // are.
    CHECK_FALSE(merge_text("1\n2\n", "x\n2\n", "1\nx\n2\n"));
    CHECK_FALSE(merge_text("1\n2\n", "1\nx\n", "1\nx\n2\n"));
  }

  TEST_CASE("overlapping changes are a conflict unless they are the same") {
    CHECK_FALSE(merge_text(k_base, "1\nx\n3\n4\n5\n6\n7\n8\n9\n", "1\ny\n3\n4\n5\n6\n7\n8\n9\n"));
    CHECK_FALSE(merge_text(k_base, "1\n4\n5\n6\n7\n8\n9\n", "1\n2\nthree\n4\n5\n6\n7\n8\n9\n"));
    std::string both = "1\nx\n3\n4\n5\n6\n7\n8\n9\n";
    CHECK(merge_text(k_base, both, both) == both);
    CHECK(merge_text(k_base, both, "1\nx\n3\n4\n5\n6\n7\n8\nnine\n")
          == "1\nx\n3\n4\n5\n6\n7\n8\nnine\n");
  }

  TEST_CASE("a side that changed nothing leaves the other as it is") {
    for (std::string_view other : {"", "x", "1\n2\n", "\r\n"}) {
      CHECK(merge_text(k_base, k_base, other) == other);
      CHECK(merge_text(k_base, other, k_base) == other);
      CHECK(merge_text(k_base, other, other) == other);
      CHECK(merge_text(other, other, k_base) == k_base);
    }
  }

  TEST_CASE("line ends and the final newline are kept as they are") {
    CHECK(merge_text("1\r\n2\r\n3\r\n", "a\r\n2\r\n3\r\n", "1\r\n2\r\nb") == "a\r\n2\r\nb");
    // One side changed every line end: that is a change of every line.
    CHECK_FALSE(merge_text("1\n2\n3\n", "1\r\n2\r\n3\r\n", "1\n2\nb\n"));
    CHECK_FALSE(merge_text("1\n2", "1\n2\n", "1\n2\n3\n"));
  }

  TEST_CASE("two files that both are new have no lines in common to hold on to") {
    CHECK_FALSE(merge_text("", "a\n", "b\n"));
    CHECK(merge_text("", "a\n", "a\n") == "a\n");
  }

  TEST_CASE("what is not text of a sensible size is not merged") {
    std::string nul("1\n2\n3\n\0", 7);
    CHECK_FALSE(merge_text(nul, nul, nul));
    CHECK_FALSE(merge_text("1\n2\n3\n", "a\n2\n3\n", "1\n2\n\xff\n"));
    CHECK_FALSE(merge_text("\xff\n2\n3\n", "\xff\n2\nb\n", "\xff\n2\n3\n"));
    std::string large(k_max_merge_text + 1, 'x');
    CHECK_FALSE(merge_text(large, large, large));
    large.pop_back();
    CHECK(merge_text(large, large, "x\n") == "x\n");
  }

  TEST_CASE("many versions are joined at once, in whatever order they come") {
    std::vector<std::string_view> versions{"one\n2\n3\n4\n5\n6\n7\n8\n9\n",
                                           "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
                                           "1\n2\n3\n4\nfive\n6\n7\n8\nnine\n",
                                           k_base};
    std::ranges::sort(versions);
    do {
      CHECK(merge_texts(k_base, versions) == "one\n2\n3\n4\nfive\n6\n7\n8\nnine\n");
    } while (std::ranges::next_permutation(versions).found);
    CHECK(merge_texts(k_base, {}) == k_base);
  }

  TEST_CASE("edits that keep away from each other always join, with every line of both") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 2000; ++round) {
      std::size_t lines = random() % 40;
      std::string base = base_text(lines);
      EditedText ours = edit(random, lines, "ours ");
      EditedText theirs = edit(random, lines, "theirs ", &ours.touched);
      CAPTURE(base);
      CAPTURE(ours.text);
      CAPTURE(theirs.text);
      auto merged = merge_text(base, ours.text, theirs.text);
      REQUIRE(merged);
      REQUIRE(merge_text(base, theirs.text, ours.text) == merged);
      // Line by line: a base line stays where neither side removed it, and new lines are all there.
      std::map<std::string, int> expected;
      for (std::string_view line : split_lines(base)) {
        std::string text(line);
        bool in_ours = ours.text.find(text) != std::string::npos;
        bool in_theirs = theirs.text.find(text) != std::string::npos;
        if (in_ours && in_theirs) {
          ++expected[text];
        }
      }
      for (const EditedText* side : {&ours, &theirs}) {
        for (const std::string& line : side->inserted) {
          ++expected[line];
        }
      }
      std::map<std::string, int> found;
      for (std::string_view line : split_lines(*merged)) {
        ++found[std::string(line)];
      }
      REQUIRE(found == expected);
    }
  }

  TEST_CASE(
      "a join of any two edits keeps the new lines of both and does not depend on the order") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    int clean = 0;
    for (int round = 0; round < 3000; ++round) {
      std::size_t lines = random() % 20;
      std::string base = base_text(lines);
      EditedText ours = edit(random, lines, "ours ");
      EditedText theirs = edit(random, lines, "theirs ");
      CAPTURE(ours.text);
      CAPTURE(theirs.text);
      auto merged = merge_text(base, ours.text, theirs.text);
      REQUIRE(merge_text(base, theirs.text, ours.text) == merged);
      REQUIRE(merge_text(base, ours.text, ours.text) == ours.text);
      if (!merged) {
        continue;
      }
      ++clean;
      for (const EditedText* side : {&ours, &theirs}) {
        std::size_t from = 0;
        for (const std::string& line : side->inserted) {
          from = merged->find(line, from);
          REQUIRE(from != std::string::npos);
        }
      }
    }
    CHECK(clean > 100);
  }

  TEST_CASE("texts of few different lines join symmetrically or not at all") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    auto text = [&] {
      std::string lines;
      for (std::uint64_t i = random() % 12; i > 0; --i) {
        lines += random() % 2 == 0 ? "a\n" : "b\n";
      }
      return lines + (random() % 4 == 0 ? "end" : "");
    };
    for (int round = 0; round < 5000; ++round) {
      std::string base = text();
      std::string ours = text();
      std::string theirs = text();
      CAPTURE(base);
      CAPTURE(ours);
      CAPTURE(theirs);
      auto merged = merge_text(base, ours, theirs);
      REQUIRE(merge_text(base, theirs, ours) == merged);
      REQUIRE(merge_text(base, base, ours) == ours);
      // A line without an end is the last one, never in the middle.
      if (merged) {
        std::size_t end = merged->find("end");
        REQUIRE((end == std::string::npos || end + 3 == merged->size()));
        // The join differs from one side by no more than the other side changed.
        auto distance = [](std::string_view from, std::string_view to) {
          std::size_t sum = 0;
          for (const LineChange& change : diff_lines(split_lines(from), split_lines(to))) {
            sum += change.a_end - change.a_begin + change.b_end - change.b_begin;
          }
          return sum;
        };
        REQUIRE(distance(ours, *merged) <= distance(base, theirs));
        REQUIRE(distance(theirs, *merged) <= distance(base, ours));
      }
    }
  }
}
