#include "protocol/base/utf8.h"
#include "skills/trace/excerpt.h"
#include "skills/trace/injected_text.h"
#include "skills/trace/recent_ids.h"
#include "skills/trace/tool_input.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::trace;

namespace {

std::string stripped(std::string text) {
  strip_injected(text);
  return text;
}

Text json(std::string_view value) {
  return {value, {}, Encoding::json_value};
}

} // namespace

TEST_CASE("an excerpt is the whole, or head and tail with what is missing") {
  CHECK(excerpt(Text{"  short \n"}, {10, 10}, nullptr) == "short");
  CHECK(excerpt(Text{"0123456789abcdef"}, {4, 3}, nullptr) == "0123[\u2026 9 bytes \u2026]def");
  CHECK(excerpt(Text{"0123456789abcdef"}, {4, 0}, nullptr) == "0123[\u2026 12 bytes \u2026]");
  std::string text = std::string(20000, 'a') + std::string(20000, 'z');
  CHECK(excerpt(Text{text}, {4, 3}, nullptr) == "aaaa[\u2026 39,993 bytes \u2026]zzz");
  CHECK(excerpt(text, {4, 3}, nullptr) == "aaaa[\u2026 39,993 bytes \u2026]zzz");
  // Never through a code point.
  std::string umlauts;
  for (int i = 0; i < 20000; ++i) {
    umlauts += "\u00fc";
  }
  CHECK(excerpt(Text{umlauts}, {5, 3}, nullptr)
        == "\u00fc\u00fc[\u2026 39,994 bytes \u2026]\u00fc");
}

TEST_CASE("what is escaped is shorter than it looks") {
  std::string raw;
  for (int i = 0; i < 5000; ++i) {
    raw += "\\u0041";
  }
  std::string text = excerpt(Text{raw, {}, Encoding::json_string}, {3000, 3000}, nullptr);
  CHECK(text == std::string(5000, 'A'));
}

TEST_CASE("a reminder far behind the cut takes what belongs to it with it") {
  std::string text = "begin " + std::string(20000, 'a') + "<system-reminder>"
                     + std::string(20000, 'b') + "</system-reminder>end";
  CHECK(excerpt(Text{text}, {8, 5}, nullptr) == "begin aa[\u2026 19,996 bytes \u2026]aaend");
}

TEST_CASE("what programs put in is stripped") {
  CHECK(stripped("a<system-reminder>x</system-reminder>b<system-reminder>y</system-reminder>c")
        == "abc");
  CHECK(stripped("a<system-reminder>x<system-reminder>y</system-reminder>z</system-reminder>b")
        == "ab");
  CHECK(stripped("a<system-reminder>never closed") == "a");
  // What is stripped may bring another tag to light.
  CHECK(stripped("a<ide_sel<system-reminder>x</system-reminder>ection>b</ide_selection>c") == "ac");
  CHECK(stripped("begun before</system-reminder>b") == "b");
  CHECK(stripped("<environment_context>x</environment_context> go") == " go");
  CHECK(stripped("<user-prompt-submit-hook>x</user-prompt-submit-hook>go") == "go");
  CHECK(stripped("the system-reminder of <system-reminders> and <")
        == "the system-reminder of <system-reminders> and <");
  CHECK(stripped("<system-reminder") == "<system-reminder");
}

TEST_CASE("the argument that says most") {
  CHECK(key_argument(json(R"({"description":"d","command":"make \"x\"","timeout":5})"), 100)
        == "make \"x\"");
  CHECK(key_argument(json(R"({"content":"{\"command\":1}","file_path":"/a/b"})"), 100) == "/a/b");
  CHECK(key_argument(json(R"({"command":["bash","-lc","make all"]})"), 100) == "make all");
  CHECK(key_argument(json(R"({"command":["git","status"]})"), 100) == "git status");
  CHECK(key_argument(json(R"({"x":{"command":"inner"},"n":1})"), 100)
        == R"({"x":{"command":"inner"},"n":1})");
  CHECK(key_argument(json(R"({"command":"cut off)"), 100) == "cut off");
  CHECK(key_argument(json(R"({"command":"long text"})"), 4) == "long");
  CHECK(key_argument(json("{"), 100) == "{");
  CHECK(key_argument(json("\"{\\\"cmd\\\":\\\"ls\\\"}\""), 100) == "ls");
  CHECK(key_argument({R"({\"cmd\":\"ls -l\"})", {}, Encoding::json_string}, 100) == "ls -l");
  CHECK(key_argument({"*** Begin Patch", {}, Encoding::plain}, 100) == "*** Begin Patch");
  CHECK(key_argument({}, 100) == "");
}

TEST_CASE("which skill a call reads") {
  auto read = [](std::string_view tool, std::string_view input) {
    return std::string(skill_read_by(tool, json(input)));
  };
  CHECK(read("Read", R"({"file_path":"/home/ada/.claude/skills/pdf-forms/SKILL.md"})")
        == "pdf-forms");
  CHECK(read("Bash", R"({"command":"cat skills/pdf/SKILL.md | head"})") == "pdf");
  CHECK(read("Read", R"({"path":"C:\\skills\\pdf\\SKILL.md"})") == "pdf");
  CHECK(read("Write", R"({"file_path":"/skills/pdf/SKILL.md"})").empty());
  CHECK(read("Bash", R"({"command":"echo x > skills/pdf/SKILL.md"})").empty());
  CHECK(read("Bash", R"({"command":"ls skills/pdf"})").empty());
  CHECK(read("Grep", R"({"pattern":"MY_SKILL.md"})").empty());
  CHECK(read("Read", R"({"path":"SKILL.md"})").empty());
  CHECK(reads_instructions("Read", json(R"({"path":"SKILL.md"})")));
  CHECK(reads_instructions("Bash", json(R"({"command":"cat AGENTS.md"})")));
  CHECK(!reads_instructions("Edit", json(R"({"file_path":"/a/AGENTS.md"})")));
  CHECK(!reads_instructions("Read", json(R"({"path":"/a/README.md"})")));
}

TEST_CASE("tools that run commands") {
  for (const char* name : {"Bash",
                           "exec_command",
                           "run_shell_command",
                           "shell",
                           "local_shell",
                           "run_in_terminal",
                           "sh"}) {
    CAPTURE(name);
    CHECK(is_shell_tool(name));
  }
  for (const char* name : {"Read", "Edit", "refresh", "push", "dashboard", ""}) {
    CAPTURE(name);
    CHECK(!is_shell_tool(name));
  }
}

TEST_CASE("ids are remembered for a while, in bounded memory") {
  RecentIds ids;
  CHECK(ids.insert("a"));
  CHECK(!ids.insert("a"));
  for (int i = 0; i < 200000; ++i) {
    REQUIRE(ids.insert("id-" + std::to_string(i)));
  }
  CHECK(!ids.insert("id-199999"));
  CHECK(!ids.insert("id-170000"));
  CHECK(ids.insert("a")); // long forgotten
}
