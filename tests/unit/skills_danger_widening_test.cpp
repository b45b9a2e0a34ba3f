#include "skills/danger/widening.h"
#include "tests/unit/skills_danger_skills.h"

using namespace upskill;
using namespace upskill::danger;
using namespace upskill::tests;
using enum upskill::danger::CapabilityKind;
using enum upskill::danger::Severity;

namespace {

// From the files of the older version, which says the same as what was kept of them.
Widening between(const std::string& before, const std::string& after) {
  auto widened = widening({{"SKILL.md", before}}, {{"SKILL.md", after}});
  REQUIRE(widened);
  auto held = held_capabilities({{"SKILL.md", before}});
  REQUIRE(held);
  auto by_held = widening_of(*held, {{"SKILL.md", after}});
  REQUIRE(by_held);
  CHECK(by_held->gains == widened->gains);
  CHECK(by_held->left_out == widened->left_out);
  return *widened;
}

std::string hosts_from(int first) {
  std::string body;
  for (int i = first; i < first + 900; ++i) {
    body += "https://h" + std::to_string(i) + ".example.org\n";
  }
  return body;
}

std::vector<std::string> words(const Widening& widened) {
  std::vector<std::string> out;
  for (const Gain& one : widened.gains) {
    out.push_back(std::string(enum_name(one.kind)) + " " + one.what);
  }
  return out;
}

} // namespace

TEST_CASE("the same skill gains nothing, and neither does one with other words") {
  std::string skill =
      document("```sh\ngit log | head\n```\nSee https://a.dev/x.\n", "allowed-tools: Read\n");
  CHECK(between(skill, skill).is_empty());
  CHECK(between(skill,
                document("```sh\nhead x | git log\n```\nGo to https://a.dev/y!\n",
                         "allowed-tools: Read\n"))
            .is_empty());
  CHECK(between(skill, document("Less.\n")).is_empty());
}

TEST_CASE("what a newer version may do besides") {
  std::string before = document("```sh\ngit log\n```\n", "allowed-tools: Read, Bash(git:*)\n");
  std::string after = document(
      "State: !`git status`\n\n```sh\ngit log\n$ sudo curl https://c.example.net/x\n```\n",
      "allowed-tools: Read, Bash(git:log), Bash(*)\nhooks:\n  Stop:\n    - command: ./a.sh\n");
  Widening widened = between(before, after);
  CHECK(words(widened)
        == std::vector<std::string>{"hook ./a.sh",
                                    "load_command git status",
                                    "tool Bash(*)",
                                    "host c.example.net",
                                    "command curl"});
  CHECK(widened.gains[0] == Gain{hook, warning, "./a.sh", "SKILL.md", 7});
  CHECK(widened.gains[2] == Gain{tool, warning, "Bash(*)", "SKILL.md", 4});
  CHECK(widened.gains[4] == Gain{command, note, "curl", "SKILL.md", 13});
}

TEST_CASE("new programs, and what they start") {
  std::string skill = document("Body.\n");
  auto widened = widening(
      {{"SKILL.md", skill}},
      {{"SKILL.md", skill}, {"scripts/a.sh", "#!/bin/sh\nA=1 make -j2 && ./b\n# rm x\n", true}});
  REQUIRE(widened);
  CHECK(words(*widened)
        == std::vector<std::string>{"script scripts/a.sh", "command ./b", "command make"});
}

TEST_CASE("a tool that an older leave covers is no gain") {
  struct Sample {
    const char* before;
    const char* after;
    bool is_gain;
  };

  for (const Sample& one : {Sample{"Bash", "Bash(git:*)", false},
                            Sample{"Bash(git:*)", "Bash(git:log)", false},
                            Sample{"Bash(git:*)", "Bash(git log)", false},
                            Sample{"Bash(git:*)", "Bash(gitleaks:*)", true},
                            Sample{"Bash(git log)", "Bash(git:*)", true},
                            Sample{"Read", "Write", true},
                            Sample{"\"*\"", "Write", false}}) {
    INFO(one.before << " -> " << one.after);
    Widening widened = between(document("x\n", std::string("allowed-tools: ") + one.before + "\n"),
                               document("x\n", std::string("allowed-tools: ") + one.after + "\n"));
    CHECK(widened.is_empty() != one.is_gain);
  }
}

TEST_CASE("gains are bounded, and hold no secret") {
  std::string body;
  for (int i = 0; i < 300; ++i) {
    body += "https://h" + std::to_string(i) + ".example.org\n";
  }
  Widening widened = between(document("x\n"), document(body));
  CHECK(widened.gains.size() == k_most_gains);
  CHECK(widened.left_out == 100);
  std::string key = "AK"
                    "IAQ3EGRV7ZLMN5TYPK";
  for (const Gain& one : between(document("x\n"), document("!`K=" + key + " make`\n")).gains) {
    CHECK(one.what.find(key) == std::string::npos);
  }
}

TEST_CASE("what a skill holds is each thing once, sorted, and bounded") {
  auto held = held_capabilities({{"SKILL.md",
                                  document("```sh\ngit log\ngit show\n```\nhttps://b.dev/x "
                                           "https://b.dev/y\n",
                                           "allowed-tools: Read\n")}});
  REQUIRE(held);
  CHECK(*held == std::vector<HeldCapability>{{tool, "Read"}, {host, "b.dev"}, {command, "git"}});
  std::string body;
  for (std::size_t i = 0; i <= k_most_held; ++i) {
    body += "https://h" + std::to_string(i % 900) + ".example.org\n";
  }
  auto most = held_capabilities({{"SKILL.md", document(body)}});
  REQUIRE(most);
  CHECK(most->size() == 900);
  auto more = held_capabilities(
      {{"SKILL.md", document(body)}, {"a.md", hosts_from(900)}, {"b.md", hosts_from(1800)}});
  REQUIRE_FALSE(more);
  CHECK(more.error().code == ErrorCode::too_large);
}
