#include "skills/distill/commands.h"
#include "skills/distill/failures.h"
#include "tests/unit/skills_distill_session.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::distill;
using namespace upskill::tests;

namespace {

// Whether the first of two commands fails and the second makes that good.
bool is_recovery(const std::string& failing, const std::string& later) {
  ClaudeSession session;
  session.prompt("go");
  session.runs("t1", failing);
  session.fails("t1", "Exit code 1");
  session.runs("t2", later);
  session.gives("t2", "ok");
  return has(distilled(session).beats.at(0), Label::recovered);
}

} // namespace

TEST_CASE("what a command runs") {
  CHECK(command_signature("make -j4") == "make");
  CHECK(command_signature("cd app && npm test -- -v") == "npm test");
  CHECK(command_signature("A=b CC=clang make test") == "make test");
  CHECK(command_signature("sudo timeout 60 /usr/bin/python3.11 run.py") == "python run.py");
  CHECK(command_signature("python -m pytest tests") == "pytest");
  CHECK(command_signature("make 2>&1 | tail -5") == "make");
  CHECK(command_signature("npm run build --silent") == "npm run build");
  CHECK(command_signature("cd app") == "cd app");
  CHECK(command_signature("") == "");
  CHECK(command_signature(" ; && | ") == "");
  CHECK(is_test_command("ctest --output-on-failure"));
  CHECK(is_test_command("cd x; cargo test"));
  CHECK(is_test_command("npm run test:unit"));
  CHECK(is_test_command("python3 -m pytest"));
  CHECK(!is_test_command("make"));
  CHECK(!is_test_command("cat ctest.log"));
}

TEST_CASE("a command that failed and then went well") {
  CHECK(is_recovery("make -j4", "make"));
  CHECK(is_recovery("cd a && make", "cd b; make -k"));
  CHECK(is_recovery("pytest tests/a.py", "npm test"));
  CHECK(!is_recovery("make", "ls"));
  CHECK(!is_recovery("npm run build", "npm run lint"));
  CHECK(!is_recovery("git push", "git status"));
}

TEST_CASE("another tool is right again with the same argument, or within the beat") {
  ClaudeSession session;
  session.prompt("one");
  session.calls("t1", "Edit", R"({"file_path":"/a","old_string":"x"})");
  session.fails("t1", "not found");
  session.prompt("two");
  session.calls("t2", "Edit", R"({"file_path":"/b"})");
  session.gives("t2", "ok");
  session.calls("t3", "Read", R"({"file_path":"/nowhere"})");
  session.fails("t3", "no such file");
  session.calls("t4", "Read", R"({"file_path":"/somewhere"})");
  session.gives("t4", "text");
  session.prompt("three");
  session.calls("t5", "Edit", R"({"file_path":"/a","old_string":"y"})");
  session.gives("t5", "ok");
  Distilled result = distilled(session);
  REQUIRE(result.beats.size() == 3);
  CHECK(!has(result.beats[0], Label::recovered));
  CHECK(has(result.beats[1], Label::recovered));
  CHECK(has(result.beats[2], Label::recovered));
}

TEST_CASE("the same failure again and again is kept four times at most") {
  ClaudeSession session;
  session.prompt("go");
  for (int i = 0; i < 10; ++i) {
    std::string id = "t" + std::to_string(i);
    session.runs(id, "make");
    session.fails(id, "Exit code 2\nfailure " + std::to_string(i));
  }
  session.runs("t", "make");
  session.gives("t", "at last");
  Distilled result = distilled(session);
  CHECK(left_out(result, LeftOut::repeated) == 12); // six calls and their results
  CHECK(result.text.find("failure 0") != std::string::npos);
  CHECK(result.text.find("failure 1") == std::string::npos);
  CHECK(result.text.find("failure 6") == std::string::npos);
  CHECK(result.text.find("failure 7") != std::string::npos);
  CHECK(result.text.find("failure 9") != std::string::npos);
  CHECK(result.text.find("at last") != std::string::npos);
  CHECK(adds_up(result));
}

TEST_CASE("many failures that nothing makes good") {
  ClaudeSession session;
  session.prompt("go");
  for (int i = 0; i < 200; ++i) {
    std::string id = "t" + std::to_string(i);
    session.runs(id, "program" + std::string(1 + i, 'x'));
    session.fails(id, "Exit code 2");
  }
  Distilled result = distilled(session, {k_unlimited_tokens, {}});
  CHECK(result.kept == 401);
  CHECK(result.kept_by_tier[static_cast<std::size_t>(Tier::failure)] == 400);
}

TEST_CASE("what went well right behind a failure stays with it, whatever command it was") {
  ClaudeSession session;
  session.prompt("install it");
  session.runs("f", "pip install gadget");
  session.fails("f", "Exit code 1\nno such version");
  session.runs("r1", "nix profile install gadget");
  session.gives("r1", "installed");
  session.calls("r2", "Edit", R"({"file_path":"/shell.nix"})");
  session.gives("r2", "ok");
  session.runs("r3", "gadget --version");
  session.gives("r3", "7.1");
  session.runs("late", "echo much later");
  session.gives("late", "later");
  session.prompt("now something else");
  for (int i = 0; i < 300; ++i) {
    std::string id = "t" + std::to_string(i);
    session.runs(id, "step" + std::to_string(i) + " --of something else");
    session.gives(id, "done with it");
  }
  Distilled result = distilled(session, {1500, {}});
  for (const char* there : {"pip install gadget",
                            "no such version",
                            "nix profile install gadget",
                            "shell.nix",
                            "gadget --version"}) {
    CAPTURE(there);
    CHECK(result.text.find(there) != std::string::npos);
  }
  CHECK(result.text.find("much later") == std::string::npos); // three, and no more
  CHECK(adds_up(result));
}

TEST_CASE("the next prompt is no mend of what failed before it") {
  ClaudeSession session;
  session.prompt("one");
  session.runs("f", "make");
  session.fails("f", "Exit code 2");
  session.prompt("two");
  session.runs("t", "ls");
  session.gives("t", "a");
  Distilled result = distilled(session, {k_unlimited_tokens, {}});
  CHECK(result.kept_by_tier[static_cast<std::size_t>(Tier::failure)] == 2);
}
