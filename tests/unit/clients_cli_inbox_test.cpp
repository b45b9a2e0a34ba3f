#include "clients/cli/exit_code.h"
#include "clients/cli/render.h"
#include "protocol/codec/codec.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::cli;

namespace {

template <class T> std::string shown(std::vector<std::string_view> words, const T& result) {
  Screen screen;
  screen.home = "/home/ann";
  screen.folder = "/home/ann/work";
  Page page(screen);
  auto invocation = parse(words);
  REQUIRE(invocation);
  std::string text = encode(result);
  auto reader = connect::TextReader::open(text, "the result");
  REQUIRE(reader);
  Result<void> done = render(page, *invocation, *reader);
  if (!done) {
    FAIL(done.error().message);
  }
  CHECK(exit_code_of(*invocation, *reader) == k_done);
  return page.text(Stream::out);
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

InboxItem item() {
  InboxItem item{"3f2a91c0", "release-notes"};
  item.description = "Writes release notes of a tag.";
  item.reason = "asked for in 4 sessions, corrected twice";
  item.sessions = {"a1", "b2"};
  item.created_at = "2026-11-21T05:51:14Z";
  item.model = "sonnet";
  item.folder = "/home/ann/.local/share/upskill/inbox/3f2a91c0";
  item.files = {{"SKILL.md", 1520}};
  return item;
}

} // namespace

TEST_SUITE("render inbox") {
  TEST_CASE("a skill that waits tells what it is, why it is there and how to take it") {
    InboxListResult result;
    result.items = {item()};
    result.declined = 1;
    std::string text = shown({"inbox"}, result);
    CHECK(text
          == "release-notes  3f2a91c0, 2026-11-21 05:51, by sonnet\n"
             "  Writes release notes of a tag.\n"
             "  Why: asked for in 4 sessions, corrected twice\n"
             "  Made of a1, b2\n"
             "  SKILL.md  ~1,520 tokens\n"
             "  Lies in ~/.local/share/upskill/inbox/3f2a91c0\n"
             "\n"
             "`upskill inbox accept ID` takes one, `upskill inbox decline ID` throws it out\n"
             "for good, `--verbose` shows SKILL.md\n"
             "1 skill was thrown out before\n");
  }

  TEST_CASE("shows SKILL.md where it came, and what to look at") {
    InboxListResult result;
    result.items = {item()};
    result.items[0].document = "---\nname: release-notes\n";
    result.items[0].warnings = {"it runs a command that it downloads"};
    result.items[0].sessions.assign(7, "s");
    std::string text = shown({"inbox", "list", "--verbose"}, result);
    CHECK(has(text, "  │ ---\n  │ name: release-notes\n"));
    CHECK(has(text, "warning: it runs a command that it downloads\n"));
    CHECK(has(text, "Made of s, s, s, s, s and 2 more\n"));
    CHECK_FALSE(has(text, "`--verbose`"));
  }

  TEST_CASE("an empty inbox says how it fills") {
    CHECK(has(shown({"inbox"}, InboxListResult()), "Nothing waits in the inbox.\n"));
    CHECK(has(shown({"inbox"}, InboxListResult()), "`upskill propose`"));
    CHECK(has(shown({"inbox", "list", "pdf"}, InboxListResult()), "Nothing of that name waits"));
  }

  TEST_CASE("what would be taken or thrown out is no deed") {
    InboxAcceptResult accepted{"3f2a91c0", "release-notes"};
    accepted.saved = "/home/ann/work/skills/release-notes";
    CHECK(shown({"inbox", "accept", "3f2a91c0"}, accepted)
          == "`release-notes` saved to ./skills/release-notes\n");
    accepted.dry_run = true;
    CHECK(shown({"inbox", "accept", "3f2a91c0"}, accepted)
          == "`release-notes` would be saved to ./skills/release-notes\n");
    InboxDeclineResult declined{"3f2a91c0", "release-notes"};
    CHECK(shown({"inbox", "decline", "3f2a91c0"}, declined)
          == "`release-notes` is thrown out for good; it is not proposed again\n");
    declined.dry_run = true;
    CHECK(has(shown({"inbox", "decline", "3f2a91c0"}, declined), "would be thrown out for good"));
  }

  TEST_CASE("nothing that a model wrote acts on a terminal") {
    const std::string evil = "x\x1b[2Jy\r";
    InboxItem bad{evil, evil};
    bad.description = bad.reason = bad.model = bad.folder = bad.document = evil;
    bad.created_at = evil;
    bad.sessions = bad.warnings = {evil};
    bad.files = {{evil, 1}};
    InboxListResult list;
    list.items = {bad};
    ProposeResult proposal;
    proposal.proposed = {bad};
    proposal.config = evil;
    proposal.topics = {{evil, {evil}, 2, 1, evil}};
    proposal.settled = proposal.topics;
    proposal.warnings = {evil};
    for (const std::string& text :
         {shown({"inbox"}, list),
          shown({"propose"}, proposal),
          shown({"inbox", "accept", "x"}, InboxAcceptResult{evil, evil, evil}),
          shown({"inbox", "decline", "x"}, InboxDeclineResult{evil, evil})}) {
      CHECK_FALSE(has(text, "\x1b"));
      CHECK_FALSE(has(text, "\r"));
      CHECK(has(text, "xy"));
    }
  }
}

TEST_SUITE("render propose") {
  TEST_CASE("tells what comes up, what became of it, and how to take it") {
    ProposeResult result;
    result.sessions = 38;
    result.topics = {{"write the release notes", {"a1", "b2", "c3"}, 5, 2, "3f2a91c0"},
                     {"fix the lint", {"a1", "d4"}, 2, 0, "a skill of yours has it"}};
    result.proposed = {item()};
    result.cost = 0.04;
    std::string text = shown({"propose"}, result);
    CHECK(has(text, "38 sessions looked at\nComes up again and again:\n"));
    CHECK(has(text,
              "  write the release notes\n    5 times in 3 sessions, 2 corrections; 3f2a91c0\n"));
    CHECK(has(text, "  fix the lint\n    2 times in 2 sessions; a skill of yours has it\n"));
    CHECK(has(text, "\nrelease-notes  3f2a91c0, "));
    CHECK(has(text, "1 skill waits in the inbox; `upskill inbox accept ID`"));
    CHECK(has(text, "$0.04 spent now\n"));
  }

  TEST_CASE("a dry run drafts nothing, and nothing is told with the next step") {
    ProposeResult result;
    result.topics = {{"write the release notes", {"a1", "b2"}, 3}};
    CHECK(
        has(shown({"propose", "--dry-run"}, result), "No model was asked, and nothing drafted.\n"));
    CHECK(has(shown({"propose"}, result), "Nothing new is in the inbox.\n"));
    result.topics = {};
    CHECK(has(shown({"propose"}, result), "Nothing comes up in several of them.\n"));
    CHECK(has(shown({"propose"}, result), "`upskill trace import`"));
  }

  TEST_CASE("what comes up and is settled is not passed over in silence") {
    ProposeResult result;
    result.settled = {{"write the release notes", {"a1", "b2"}, 3, 0, "declined before: `notes`"}};
    std::string text = shown({"propose"}, result);
    CHECK_FALSE(has(text, "Nothing comes up"));
    CHECK(has(text,
              "Nothing new comes up in several of them.\n"
              "Settled already, or waiting for you:\n"
              "  write the release notes\n"
              "    3 times in 2 sessions; declined before: `notes`\n"
              "`upskill inbox list` shows what waits"));
    result.topics = {{"fix the lint", {"a1", "d4"}, 2}};
    text = shown({"propose"}, result);
    CHECK_FALSE(has(text, "Nothing new comes up"));
    CHECK(has(text, "fix the lint"));
    CHECK(has(text, "write the release notes"));
  }
}
