#include "clients/cli/pick_list.h"
#include "clients/cli/text.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::cli;

namespace {

Screen screen(std::size_t columns = 80) {
  Screen screen;
  screen.columns = columns;
  return screen;
}

PickList list() {
  return PickList("Skills of owner/repo",
                  {{"docx", {"clean"}, "Works with Word files."},
                   {"evil", {"severe"}, "Sends them away."},
                   {"pdf", {"clean"}, "Works with PDF files."},
                   {"broken", {"invalid"}, "it has no description", true}});
}

// Bytes as a terminal sends them, until one ends it.
PickEnd press(PickList& list, std::string_view bytes) {
  KeyReader reader;
  PickEnd end = PickEnd::none;
  for (const Key& key : reader.feed(bytes)) {
    if (end == PickEnd::none) {
      end = list.press(key);
    }
  }
  for (const Key& key : reader.give_up()) {
    end = list.press(key);
  }
  return end;
}

using Chosen = std::vector<std::size_t>;

bool has(const std::vector<std::string>& lines, std::string_view text) {
  return std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

} // namespace

TEST_SUITE("pick list") {
  TEST_CASE("space chooses, arrows and letters move, enter takes what was chosen") {
    PickList one = list();
    CHECK(press(one, " jj ") == PickEnd::none);
    CHECK(one.chosen() == Chosen{0, 2});
    CHECK(press(one, "k \x1b[A ") == PickEnd::none); // docx no more, evil too
    CHECK(one.chosen() == Chosen{1, 2});
    CHECK(press(one, "\r") == PickEnd::chosen);
  }

  TEST_CASE("is left by q and escape") {
    PickList one = list();
    CHECK(press(one, " q") == PickEnd::given_up);
    PickList other = list();
    CHECK(press(other, " \x1b") == PickEnd::given_up);
  }

  TEST_CASE("enter with nothing chosen takes nothing and says what chooses") {
    PickList one = list();
    CHECK(press(one, "\r") == PickEnd::none);
    CHECK(has(one.draw(screen(), 10), "Nothing is chosen yet"));
    press(one, "j");
    CHECK_FALSE(has(one.draw(screen(), 10), "Nothing is chosen yet"));
  }

  TEST_CASE("what cannot be installed cannot be chosen") {
    PickList one = list();
    press(one, "\x1b[F ");
    CHECK(one.chosen().empty());
    CHECK(has(one.draw(screen(), 10), "cannot be installed"));
    press(one, "a");
    CHECK(one.chosen() == Chosen{0, 1, 2});
    press(one, "a");
    CHECK(one.chosen().empty());
  }

  TEST_CASE("a filter narrows what is shown and what `a` chooses, and keeps what was chosen") {
    PickList one = list();
    press(one, "j /WORKS");
    std::vector<std::string> lines = one.draw(screen(), 10);
    CHECK(has(lines, "docx"));
    CHECK(has(lines, "pdf"));
    CHECK_FALSE(has(lines, "evil"));
    CHECK(has(lines, "/WORKS_"));
    press(one, " word");
    CHECK_FALSE(has(one.draw(screen(), 10), "pdf"));
    press(one, "\x7f\x7f\x7f\x7f\x7f\ra");
    CHECK(one.chosen() == Chosen{0, 1, 2});
    press(one, "\x1b"); // the filter goes first, then the list
    CHECK(has(one.draw(screen(), 10), "broken"));
    CHECK(one.chosen() == Chosen{0, 1, 2});
    CHECK(press(one, "\x1b") == PickEnd::given_up);
  }

  TEST_CASE("in a filter, q and a are letters") {
    PickList one = list();
    CHECK(press(one, "/qa") == PickEnd::none);
    CHECK(one.chosen().empty());
    CHECK(has(one.draw(screen(), 10), "Nothing matches."));
    CHECK(press(one, "\r ") == PickEnd::none); // there is none to choose
    CHECK(one.chosen().empty());
  }

  TEST_CASE("draws a box, the name, what is dangerous and what it is") {
    PickList one = list();
    press(one, " ");
    std::vector<std::string> lines = one.draw(screen(), 8);
    REQUIRE(lines.size() == 8);
    CHECK(lines[0] == "Skills of owner/repo  1 of 4 chosen");
    CHECK(lines[1] == "> [x] docx    clean    Works with Word files.");
    CHECK(lines[2] == "  [ ] evil    severe   Sends them away.");
    CHECK(lines[4] == "  [-] broken  invalid  it has no description");
    CHECK(lines[7] == "space chooses, a all, / filters, enter installs, q leaves");
  }

  TEST_CASE("scrolls, so that the cursor is always seen, in a window of any size") {
    std::vector<PickItem> items;
    for (int i = 0; i < 10'000; ++i) {
      items.push_back({"skill-" + std::to_string(i), {"clean"}, std::string(300, 'x')});
    }
    PickList one("Skills of a source with a rather long name", items);
    for (std::string_view keys : {"", "\x1b[6~", "j", "\x1b[F", "\x1b[5~", "\x1b[H"}) {
      press(one, keys);
      for (std::size_t lines : {0, 1, 4, 5, 11, 12, 50}) {
        for (std::size_t columns : {1, 23, 24, 40, 200}) {
          std::vector<std::string> drawn = one.draw(screen(columns), lines);
          CHECK(drawn.size() == lines);
          bool is_shown = lines >= 5 && columns >= 24;
          CHECK(has(drawn, "> [ ]") == is_shown);
          for (const std::string& line : drawn) {
            CHECK(display_width(line) <= columns);
          }
        }
      }
    }
    press(one, "\x1b[F");
    CHECK(has(one.draw(screen(), 24), "> [ ] skill-9999"));
    CHECK(has(one.draw(screen(), 50), "skill-9960")); // a window that has grown is filled
    press(one, "\x1b[H");
    CHECK(has(one.draw(screen(), 24), "more"));
  }

  TEST_CASE("nothing of a stranger acts on the terminal") {
    PickList one("a\x1b[2J", {{"b\x1b[31m", {"c\x1b]0;x\x07"}, "d\xE2\x80\xAE"}});
    for (const std::string& line : one.draw(screen(), 20)) {
      CHECK(line.find('\x1b') == std::string::npos);
      CHECK(line.find("\xE2\x80\xAE") == std::string::npos);
    }
  }
}

TEST_SUITE("choice in words") {
  TEST_CASE("is numbers, ranges, names and all") {
    std::vector<PickItem> items = {{"docx"}, {"2"}, {"pdf"}, {"broken", {}, "", true}, {"xlsx"}};
    auto chosen = [&](std::string_view answer) { return read_choice(answer, items).value(); };
    CHECK(chosen("1") == Chosen{0});
    CHECK(chosen("3, pdf 1") == Chosen{0, 2});
    CHECK(chosen("2") == Chosen{1}); // by its name, which is its number as well
    CHECK(chosen("1-3") == Chosen{0, 1, 2});
    CHECK(chosen("3-5") == Chosen{2, 4}); // without what cannot be
    CHECK(chosen("all") == Chosen{0, 1, 2, 4});
    CHECK(chosen("").empty());
    CHECK(chosen(" \r").empty());
  }

  TEST_CASE("says what is wrong with it") {
    std::vector<PickItem> items = {{"docx"}, {"pdf"}, {"broken", {}, "", true}};
    auto problem = [&](std::string_view answer) {
      auto read = read_choice(answer, items);
      REQUIRE_FALSE(read);
      return read.error().message;
    };
    CHECK(problem("9") == "`9` is not in the list");
    CHECK(problem("0") == "`0` is not in the list");
    CHECK(problem("2-1") == "`2-1` is not in the list");
    CHECK(problem("1 x\x1b[2Jlsx") == "`xlsx` is neither a number nor a name of the list");
    CHECK(problem("broken") == "`broken` cannot be installed");
    CHECK(problem("3") == "`3` cannot be installed");
    CHECK(problem("99999999999999999999")
          == "`99999999999999999999` is neither a number nor a "
             "name of the list");
  }
}
