#include "daemon/capture/capture_rules.h"

#include <doctest/doctest.h>

#include <vector>

using namespace upskill::capture;
using upskill::store::Capture;
using upskill::store::CaptureRule;

TEST_CASE("nothing is captured before a person says so") {
  CHECK(!is_captured({}, "claude-code", "/home/ada/p"));
  CHECK(!may_be_captured({}, "claude-code"));
}

TEST_CASE("the most exact word holds, a folder before an agent") {
  std::vector<CaptureRule> rules{{"", "", Capture::on},
                                 {"codex", "", Capture::off},
                                 {"", "/home/ada/secret", Capture::off},
                                 {"codex", "/home/ada/secret/open", Capture::on}};
  CHECK(is_captured(rules, "claude-code", "/home/ada/p"));
  CHECK(!is_captured(rules, "codex", "/home/ada/p"));
  CHECK(!is_captured(rules, "claude-code", "/home/ada/secret"));
  CHECK(!is_captured(rules, "claude-code", "/home/ada/secret/deep"));
  CHECK(is_captured(rules, "claude-code", "/home/ada/secretary"));
  CHECK(is_captured(rules, "codex", "/home/ada/secret/open"));
  CHECK(!is_captured(rules, "claude-code", "/home/ada/secret/open"));
  CHECK(may_be_captured(rules, "codex"));
}

TEST_CASE("a session whose folder is not known obeys no rule of a folder") {
  std::vector<CaptureRule> rules{{"", "/home/ada/p", Capture::on}};
  CHECK(!is_captured(rules, "cursor", ""));
  CHECK(is_captured(rules, "cursor", "/home/ada/p"));
  CHECK(may_be_captured(rules, "cursor"));
}
