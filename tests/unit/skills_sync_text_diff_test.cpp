#include "protocol/base/utf8.h"
#include "skills/sync/text_diff.h"
#include "skills/sync/unified_diff.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace upskill;
using namespace upskill::sync;

namespace {

using Lines = std::vector<std::string_view>;

// Longest common subsequence by the textbook table: what the shortest diff is measured against.
std::size_t common_lines(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                         : std::max(table[i - 1][j], table[i][j - 1]);
    }
  }
  return table[a.size()][b.size()];
}

std::size_t edits(const std::vector<LineChange>& changes) {
  std::size_t sum = 0;
  for (const LineChange& change : changes) {
    sum += change.a_end - change.a_begin + change.b_end - change.b_begin;
  }
  return sum;
}

// What a diff promises: in order, apart, and everything between is equal.
void check_valid(const Lines& a, const Lines& b, const std::vector<LineChange>& changes) {
  std::size_t at_a = 0;
  std::size_t at_b = 0;
  bool first = true;
  for (const LineChange& change : changes) {
    REQUIRE(change.a_begin <= change.a_end);
    REQUIRE(change.b_begin <= change.b_end);
    REQUIRE(edits({change}) > 0);
    REQUIRE(change.a_begin >= at_a);
    REQUIRE(change.a_begin - at_a == change.b_begin - at_b);
    REQUIRE((first || change.a_begin > at_a));
    REQUIRE(std::equal(a.begin() + static_cast<std::ptrdiff_t>(at_a),
                       a.begin() + static_cast<std::ptrdiff_t>(change.a_begin),
                       b.begin() + static_cast<std::ptrdiff_t>(at_b)));
    at_a = change.a_end;
    at_b = change.b_end;
    first = false;
  }
  REQUIRE(a.size() - at_a == b.size() - at_b);
  REQUIRE(std::equal(a.begin() + static_cast<std::ptrdiff_t>(at_a),
                     a.end(),
                     b.begin() + static_cast<std::ptrdiff_t>(at_b)));
}

std::string random_text(std::mt19937_64& random, std::size_t lines, std::size_t alphabet) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    text += static_cast<char>('a' + random() % alphabet);
    text += '\n';
  }
  return text;
}

} // namespace

TEST_SUITE("text_diff") {
  TEST_CASE("lines keep their ends, so that nothing is lost") {
    CHECK(split_lines("").empty());
    CHECK(split_lines("a") == Lines{"a"});
    CHECK(split_lines("a\r\n\nb") == Lines{"a\r\n", "\n", "b"});
    CHECK(split_lines("a\rb\n") == Lines{"a\rb\n"});
    CHECK(split_lines("\n\n") == Lines{"\n", "\n"});
  }

  TEST_CASE("equal texts have no changes, and an empty one differs as a whole") {
    Lines three{"a\n", "b\n", "c\n"};
    CHECK(diff_lines(three, three).empty());
    CHECK(diff_lines({}, {}).empty());
    CHECK(diff_lines({}, three) == std::vector<LineChange>{{0, 0, 0, 3}});
    CHECK(diff_lines(three, {}) == std::vector<LineChange>{{0, 3, 0, 0}});
  }

  TEST_CASE("the line end and the final newline are content") {
    CHECK(diff_lines({"a\n", "b\n"}, {"a\r\n", "b\n"}) == std::vector<LineChange>{{0, 1, 0, 1}});
    CHECK(diff_lines({"a\n", "b\n"}, {"a\n", "b"}) == std::vector<LineChange>{{1, 2, 1, 2}});
  }

  TEST_CASE("an insertion or deletion among equal lines lies as late as it can") {
    CHECK(diff_lines({"x\n", "x\n", "y\n"}, {"x\n", "x\n", "x\n", "y\n"})
          == std::vector<LineChange>{{2, 2, 2, 3}});
    CHECK(diff_lines({"x\n", "x\n", "x\n", "y\n"}, {"x\n", "y\n"})
          == std::vector<LineChange>{{1, 3, 1, 1}});
    // A second section was put after the first: the blank line belongs before or after it, and the
    // later choice is made.
    CHECK(diff_lines({"# A\n", "\n", "# C\n"}, {"# A\n", "\n", "# B\n", "\n", "# C\n"})
          == std::vector<LineChange>{{2, 2, 2, 4}});
  }

  TEST_CASE("the diff is right and the shortest there is") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 4000; ++round) {
      std::size_t alphabet = 1 + random() % 6;
      std::string a_text = random_text(random, random() % 30, alphabet);
      std::string b_text = random_text(random, random() % 30, alphabet);
      Lines a = split_lines(a_text);
      Lines b = split_lines(b_text);
      CAPTURE(a_text);
      CAPTURE(b_text);
      std::vector<LineChange> changes = diff_lines(a, b);
      check_valid(a, b, changes);
      REQUIRE(edits(changes) == a.size() + b.size() - 2 * common_lines(a, b));
    }
  }

  TEST_CASE("the diff is right however little work it may do") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 4000; ++round) {
      std::size_t alphabet = 1 + random() % 26;
      std::string a_text = random_text(random, random() % 40, alphabet);
      std::string b_text = random_text(random, random() % 40, alphabet);
      Lines a = split_lines(a_text);
      Lines b = split_lines(b_text);
      CAPTURE(a_text);
      CAPTURE(b_text);
      check_valid(a, b, diff_lines(a, b, random() % 120));
    }
  }

  TEST_CASE("without work left, lines that occur once still hold the texts together") {
    std::string a_text;
    std::string b_text;
    for (int i = 0; i < 100; ++i) {
      a_text += "same " + std::to_string(i) + "\nold\n";
      b_text += "same " + std::to_string(i) + "\nnew\nnew\n";
    }
    Lines a = split_lines(a_text);
    Lines b = split_lines(b_text);
    std::vector<LineChange> changes = diff_lines(a, b, 0);
    check_valid(a, b, changes);
    CHECK(changes.size() == 100);
    CHECK(edits(changes) == 300);
  }

  TEST_CASE("texts with nothing in common stay within the bound") {
    // A quadratic search would need 10^10 steps and not end within the time of a test.
    std::string a_text;
    std::string b_text;
    for (int i = 0; i < 50'000; ++i) {
      a_text += "a" + std::to_string(i) + "\n";
      b_text += "b" + std::to_string(i) + "\n";
    }
    Lines a = split_lines(a_text);
    Lines b = split_lines(b_text);
    CHECK(diff_lines(a, b) == std::vector<LineChange>{{0, 50'000, 0, 50'000}});
    // Hostile: two letters at random, where almost every diagonal is a path.
    std::mt19937_64 random(7);
    a_text = random_text(random, 100'000, 2);
    b_text = random_text(random, 100'000, 2);
    a = split_lines(a_text);
    b = split_lines(b_text);
    check_valid(a, b, diff_lines(a, b));
  }
}

TEST_SUITE("unified_diff") {
  TEST_CASE("equal texts have no difference to show") {
    CHECK(unified_diff("a\n", "a\n", "x", "y").empty());
    CHECK(unified_diff("", "", "x", "y").empty());
  }

  TEST_CASE("one change stands between three lines of context") {
    CHECK(
        unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "old", "new")
        == "--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  }

  TEST_CASE("near changes share a piece, distant ones do not") {
    std::string a = "1\n2\n3\n4\n5\n6\n7\n8\n";
    CHECK(unified_diff(a, "1\nx\n3\n4\n5\n6\ny\n8\n", "a", "b", 2)
          == "--- a\n+++ b\n@@ -1,8 +1,8 @@\n 1\n-2\n+x\n 3\n 4\n 5\n 6\n-7\n+y\n 8\n");
    CHECK(unified_diff(a, "1\nx\n3\n4\n5\n6\ny\n8\n", "a", "b", 1)
          == "--- a\n+++ b\n@@ -1,3 +1,3 @@\n 1\n-2\n+x\n 3\n@@ -6,3 +6,3 @@\n 6\n-7\n+y\n 8\n");
  }

  TEST_CASE("empty ranges and single lines are written as POSIX has it") {
    CHECK(unified_diff("", "a\nb\n", "a", "b") == "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    CHECK(unified_diff("a\n", "", "a", "b") == "--- a\n+++ b\n@@ -1 +0,0 @@\n-a\n");
    CHECK(unified_diff("a\nb\n", "a\nx\nb\n", "a", "b", 0) == "--- a\n+++ b\n@@ -1,0 +2 @@\n+x\n");
  }

  TEST_CASE("a missing final newline is said") {
    CHECK(unified_diff("a\nb", "a\nb\n", "a", "b")
          == "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
    CHECK(unified_diff("x\nb", "y\nb", "a", "b")
          == "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\n+y\n b\n\\ No newline at end of file\n");
  }

  TEST_CASE("what is not text is not shown") {
    CHECK(unified_diff(std::string("a\0b", 3), "x", "a", "b") == "Binary files a and b differ\n");
    CHECK(unified_diff("\xff", "x", "a", "b") == "Binary files a and b differ\n");
    CHECK(unified_diff(std::string(k_max_diff_text + 1, 'x'), "x", "a", "b")
          == "Files a and b differ and are too large to compare\n");
  }

  TEST_CASE("a label cannot break the format") {
    CHECK(unified_diff("a\n", "b\n", "x\n+++ y\x1b[2J\xff", "b", 0)
          == "--- x?+++ y?[2J\xEF\xBF\xBD\n+++ b\n@@ -1 +1 @@\n-a\n+b\n");
  }

  TEST_CASE("it is never longer than asked for, and says when it was cut") {
    std::string a;
    std::string b;
    for (int i = 0; i < 200; ++i) {
      a += "old line " + std::to_string(i) + "\n";
      b += "neue Zeile \xC3\xA4 " + std::to_string(i) + "\n";
    }
    std::string whole = unified_diff(a, b, "a", "b");
    for (std::size_t limit = 0; limit <= whole.size() + 5; ++limit) {
      std::string shown = unified_diff(a, b, "a", "b", 3, limit);
      REQUIRE(shown.size() <= limit);
      REQUIRE(is_utf8(shown));
      if (limit >= whole.size()) {
        REQUIRE(shown == whole);
      } else if (limit >= 100) {
        REQUIRE(shown.ends_with("... the rest of the difference is not shown\n"));
        std::string kept = shown.substr(0, shown.rfind("..."));
        REQUIRE(whole.starts_with(kept));
        REQUIRE(kept.ends_with('\n'));
      }
    }
  }
}
