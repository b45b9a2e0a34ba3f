#include "clients/cli/diff_view.h"
#include "clients/cli/render.h"
#include "protocol/codec/codec.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::cli;

namespace {

Screen screen_of(std::size_t columns) {
  Screen screen;
  screen.columns = columns;
  screen.unicode = false;
  screen.home = "/home/ann";
  return screen;
}

std::string shown(const EvalHistoryResult& result, std::size_t columns = 90) {
  Page page(screen_of(columns));
  auto invocation = parse(std::vector<std::string_view>{"runs", "--history"});
  REQUIRE(invocation);
  std::string text = encode(result);
  auto reader = connect::TextReader::open(text, "the result");
  REQUIRE(reader);
  Result<void> done = render(page, *invocation, *reader);
  if (!done) {
    FAIL(done.error().message);
  }
  return page.text(Stream::out);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

HistorySubject subject_of(HistorySource source, double rate) {
  HistorySubject subject;
  subject.source = source;
  subject.model = "haiku";
  subject.student = "chat";
  subject.rate = EvalShare{rate, rate - 0.1, rate + 0.1};
  subject.samples = 20;
  return subject;
}

HistoryVersion version_of(char digit, std::vector<HistorySubject> subjects = {}) {
  HistoryVersion version;
  version.skill = "pdf";
  version.hash = std::string(64, digit);
  version.first_seen = "2026-11-21T05:51:00.000Z";
  version.subjects = std::move(subjects);
  return version;
}

EvalHistoryResult three_versions() {
  HistoryVersion good = version_of('c', {subject_of(HistorySource::watch, 0.5)});
  good.verdict = WatchVerdict::ok;
  HistoryVersion worse = version_of('b', {subject_of(HistorySource::watch, 0.25)});
  worse.verdict = WatchVerdict::regressed;
  worse.why = "it fell";
  worse.subjects[0].change = -0.25;
  worse.subjects[0].tokens = 12'345;
  worse.subjects[0].cost = 0.5;
  HistorySubject measured = subject_of(HistorySource::eval, 0.75);
  measured.lift = EvalLift{0.25, 0.1, 0.4};
  HistoryVersion first = version_of('a', {subject_of(HistorySource::accept, 0.5), measured});
  first.is_accepted = true;
  return {.skill = "pdf", .versions = {good, worse, first}};
}

constexpr std::string_view k_diff =
    "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -1,3 +1,4 @@\n same\n-old\n"
    "--- gone\n+new\n+newer\n+    newest\n\\ No newline at end of file\n";

} // namespace

TEST_SUITE("history") {
  TEST_CASE("a version is a row, the newest first, with what is known of it") {
    CHECK(shown(three_versions())
          == "pdf  haiku, helps when read\n"
             "Version   First Seen  Verdict    Pass Rate     Change  Lift  Samples  Tokens   Cost\n"
             "cccccccc  2026-11-21  OK         ####.... 50%                     20\n"
             "bbbbbbbb  2026-11-21  REGRESSED  ##...... 25%    -25%             20  12,345  $0.50\n"
             "aaaaaaaa  2026-11-21  accepted   ####.... 50%          +25%       20\n"
             "bbbbbbbb: it fell\n");
  }

  TEST_CASE("versions of several skills and by several models say which") {
    EvalHistoryResult result = three_versions();
    result.versions[1].skill = "xls";
    result.versions[1].project = "/home/ann/work";
    result.versions[0].subjects.push_back(subject_of(HistorySource::watch, 1));
    result.versions[0].subjects[1].model = "opus";
    result.more = 7;
    std::string text = shown(result, 200);
    CHECK(has(text, "xls in ~/work"));
    CHECK(has(text, "opus, helps when read"));
    CHECK(has(text, "7 older versions"));
  }

  TEST_CASE("a version without any result is there too") {
    HistoryVersion seen = version_of('d');
    CHECK(has(shown({.skill = "pdf", .versions = {seen}}), "dddddddd  2026-11-21  not tested"));
    seen.accepted_at = seen.first_seen;
    CHECK(has(shown({.skill = "pdf", .versions = {seen}}), "was accepted"));
    CHECK(has(shown({.skill = "pdf"}), "pdf has no history."));
  }

  TEST_CASE("two versions with their results next to each other") {
    EvalHistoryResult result = three_versions();
    HistoryDiff diff;
    diff.from = result.versions[2];
    diff.to = result.versions[1];
    diff.files.push_back({"SKILL.md", "changed", std::string(k_diff)});
    diff.more = 2;
    result.diff = diff;
    std::string text = shown(result);
    CHECK(has(text, "pdf  aaaaaaaa -> bbbbbbbb"));
    CHECK(has(text, "Verdict                 accepted          REGRESSED"));
    CHECK(has(text, "haiku, helps when read  50% (40% to 60%)  25% (15% to 35%)"));
    CHECK(has(text, "  against the accepted                    -25%"));
    CHECK(has(text, "  lift                  +25%"));
    CHECK(has(text, "SKILL.md  changed\n  --- a/SKILL.md\n"));
    CHECK(has(text, "\n  -old\n  --- gone\n  +new\n"));
    CHECK(has(text, "and 2 more files"));
    CHECK(has(shown(result, 100), "old"));
    CHECK_FALSE(has(shown(result, 100), "--- a/SKILL.md"));
    result.diff->files.clear();
    result.diff->more = 0;
    CHECK(has(shown(result), "No file is different."));
  }

  TEST_CASE("side by side, what was taken away is left, what came is right") {
    Page page(screen_of(40)); // two of 15 columns after an indent of 2
    print_side_by_side(page, k_diff, 2, 99);
    CHECK(page.text(Stream::out)
          == "  @@ -1,3 +1,4 @@\n"
             "    same            |   same\n"
             "  - old             | + new\n"
             "  - -- gone         | + newer\n"
             "                    | +     newest\n"
             "  \\ No newline at end of file\n");
  }

  TEST_CASE("side by side, a long line is broken and nothing of it is lost") {
    Page page(screen_of(40));
    print_side_by_side(page, "@@ -1 +1 @@\n-abcdefghijklmnopqrst\n+x\n", 2, 99);
    CHECK(page.text(Stream::out)
          == "  @@ -1 +1 @@\n"
             "  - abcdefghijklmno | + x\n"
             "  - pqrst           |\n");
  }

  TEST_CASE("a sentence instead of lines, and what is cut") {
    for (std::size_t columns : {80, 120}) {
      Page page(screen_of(columns));
      print_side_by_side(page, "Binary files a/x and b/x differ\n", 2, 99);
      CHECK(page.text(Stream::out) == "  Binary files a/x and b/x differ\n");
    }
    Page page(screen_of(80));
    print_diff(page, "@@ -1 +1 @@\n-a\n+b\n", 0, 2);
    CHECK(page.text(Stream::out) == "@@ -1 +1 @@\n-a\nand more; --json has it whole\n");
  }

  TEST_CASE("what others wrote cannot move the cursor") {
    EvalHistoryResult result = three_versions();
    for (HistoryVersion& version : result.versions) {
      version.skill = "p\x1b[2Jdf";
      version.hash = "\x1b[31m" + version.hash;
      version.why = "it \x1b[1mfell";
      version.project = "/tmp/\x07x";
      version.subjects[0].model = "hai\x1b[0mku";
    }
    std::string list = shown(result, 120);
    result.diff = HistoryDiff{result.versions[0], result.versions[1]};
    result.diff->files.push_back({"a\x1b[2Jb", "chan\x1bged", "@@ -1 +1 @@\n-\x1b[2J\n+\x9b\n"});
    result.diff->problems.push_back("no \x1b[2J");
    for (const std::string& text : {list, shown(result, 80), shown(result, 120)}) {
      CHECK_FALSE(has(text, "\x1b"));
      CHECK_FALSE(has(text, "\x07"));
    }
  }

  TEST_CASE("the flag turns runs into its history, and runs alone stays what it is") {
    auto flagged = parse(std::vector<std::string_view>{"runs", "--history", "--skill", "pdf"});
    REQUIRE(flagged);
    CHECK(flagged->command.words == "runs history");
    CHECK(flagged->value("skill") == "pdf");
    auto bare = parse(std::vector<std::string_view>{"runs", "history", "pdf"});
    REQUIRE(bare);
    CHECK(bare->value("skill") == "pdf");
    auto runs = parse(std::vector<std::string_view>{"runs", "--skill", "pdf"});
    REQUIRE(runs);
    CHECK(runs->command.words == "runs");
    auto help = parse(std::vector<std::string_view>{"runs", "--help"});
    REQUIRE(help);
    CHECK(help->command.method != nullptr);
  }
}
