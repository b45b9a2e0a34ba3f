#include "skills/install/json_tree.h"
#include "skills/install/json_writer.h"
#include "skills/install/skills_lock.h"
#include "tests/unit/skills_install_node.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::install;

namespace {

SkillsLock read(LockKind kind, std::string_view text) {
  Result<SkillsLock> lock = SkillsLock::parse(kind, text);
  CAPTURE(text);
  REQUIRE_MESSAGE(lock.has_value(), (lock ? "" : lock.error().message));
  return std::move(*lock);
}

Error error_of(LockKind kind, std::string_view text) {
  Result<SkillsLock> lock = SkillsLock::parse(kind, text);
  CAPTURE(text.substr(0, 100));
  REQUIRE_FALSE(lock);
  return lock.error();
}

constexpr std::string_view k_project = R"({
  "version": 1,
  "skills": {
    "docx": {
      "source": "owner/repo",
      "ref": "v1",
      "sourceType": "github",
      "skillPath": "skills/docx/SKILL.md",
      "computedHash": "00",
      "via": "repo",
      "subagents": [
        "a",
        "b"
      ]
    },
    "pdf": {
      "source": "example.com",
      "sourceUrl": "https://example.com",
      "sourceType": "well-known",
      "computedHash": "11",
      "wellKnownDigest": "sha256:22"
    }
  },
  "more": null
}
)";

constexpr std::string_view k_global = R"({
  "version": 3,
  "skills": {
    "pdf": {
      "source": "owner/repo",
      "sourceType": "github",
      "sourceUrl": "https://github.com/owner/repo.git",
      "ref": "main",
      "skillPath": "skills/pdf/SKILL.md",
      "skillFolderHash": "aa",
      "pluginName": "office",
      "installedAt": "2026-01-02T03:04:05.678Z",
      "updatedAt": "2026-01-02T03:04:05.679Z",
      "sourceBaseUrl": "https://x",
      "wellKnownDigest": "sha256:33"
    }
  },
  "dismissed": {
    "findSkillsPrompt": true
  },
  "lastSelectedAgents": [
    "codex"
  ]
}
)";

} // namespace

TEST_SUITE("SkillsLock") {
  TEST_CASE("what `skills` wrote is written again as it was") {
    CHECK(read(LockKind::project, k_project).text() == k_project);
    CHECK(read(LockKind::global, k_global).text() == k_global);
  }

  TEST_CASE("entries are read") {
    std::map<std::string, LockEntry> project = read(LockKind::project, k_project).entries();
    CHECK(project
          == std::map<std::string, LockEntry>{{"docx",
                                               {.source = "owner/repo",
                                                .source_type = "github",
                                                .ref = "v1",
                                                .skill_path = "skills/docx/SKILL.md",
                                                .computed_hash = "00"}},
                                              {"pdf",
                                               {.source = "example.com",
                                                .source_type = "well-known",
                                                .source_url = "https://example.com",
                                                .computed_hash = "11",
                                                .well_known_digest = "sha256:22"}}});
    LockEntry global = read(LockKind::global, k_global).entries().at("pdf");
    CHECK(global
          == LockEntry{.source = "owner/repo",
                       .source_type = "github",
                       .source_url = "https://github.com/owner/repo.git",
                       .ref = "main",
                       .skill_path = "skills/pdf/SKILL.md",
                       .skill_folder_hash = "aa",
                       .well_known_digest = "sha256:33",
                       .source_base_url = "https://x",
                       .installed_at = "2026-01-02T03:04:05.678Z",
                       .updated_at = "2026-01-02T03:04:05.679Z"});
  }

  TEST_CASE("a new lock is the one that `skills` makes") {
    SkillsLock project = read(LockKind::project, "");
    CHECK(project.entries().empty());
    CHECK(project.text() == "{\n  \"version\": 1,\n  \"skills\": {}\n}\n");
    project.put("pdf", {.source = "./skills/pdf", .source_type = "local", .computed_hash = "00"});
    CHECK(project.text() == R"({
  "version": 1,
  "skills": {
    "pdf": {
      "source": "./skills/pdf",
      "sourceType": "local",
      "computedHash": "00"
    }
  }
}
)");
    SkillsLock global = read(LockKind::global, "");
    global.put("pdf", {.source = "a/b", .source_type = "github", .installed_at = "t"});
    CHECK(global.text() == R"({
  "version": 3,
  "skills": {
    "pdf": {
      "source": "a/b",
      "sourceType": "github",
      "sourceUrl": "",
      "skillFolderHash": "",
      "installedAt": "t",
      "updatedAt": ""
    }
  },
  "dismissed": {}
}
)");
  }

  TEST_CASE("an entry changes where it stands, and keeps what it has besides") {
    SkillsLock lock = read(LockKind::project, k_project);
    LockEntry entry = lock.entries().at("docx");
    entry.computed_hash = "99";
    entry.ref = "";
    lock.put("docx", entry);
    std::string expected(k_project);
    expected.replace(expected.find("\"00\""), 4, "\"99\"");
    std::string ref = "      \"ref\": \"v1\",\n";
    expected.erase(expected.find(ref), ref.size());
    CHECK(lock.text() == expected);
    CHECK(lock.entries().at("docx") == entry);
    CHECK(lock.remove("pdf"));
    CHECK_FALSE(lock.remove("pdf"));
    CHECK(lock.entries().size() == 1);
  }

  TEST_CASE("what says the same again is no change") {
    SkillsLock lock = read(LockKind::project, k_project);
    CHECK_FALSE(lock.is_changed());
    LockEntry pdf = lock.entries().at("pdf");
    lock.put("pdf", pdf);
    lock.put("docx", lock.entries().at("docx"));
    lock.rename("none", "other");
    lock.rename("pdf", "pdf");
    CHECK_FALSE(lock.remove("none"));
    lock.put_text("pdf", "{}"); // it has an entry
    CHECK_FALSE(lock.is_changed());

    auto changed = [](auto change) {
      SkillsLock one = read(LockKind::project, k_project);
      change(one);
      return one.is_changed();
    };
    pdf.computed_hash = "12";
    CHECK(changed([&](SkillsLock& one) { one.put("pdf", pdf); }));
    CHECK(changed([&](SkillsLock& one) { one.put("new", pdf); }));
    CHECK(changed([](SkillsLock& one) { one.remove("pdf"); }));
    CHECK(changed([](SkillsLock& one) { one.rename("pdf", "pdf-2"); }));
    CHECK(changed([](SkillsLock& one) { one.rename("pdf", "docx"); })); // it is gone
    CHECK(changed([](SkillsLock& one) { one.put_text("new", "{}"); }));
  }

  TEST_CASE("names are sorted as JavaScript has the keys of an object") {
    SkillsLock lock = read(LockKind::project, "");
    const std::vector<std::string> sorted{"0",
                                          "7",
                                          "10",
                                          "4294967294",
                                          "",
                                          "-1",
                                          "007",
                                          "4294967295",
                                          "Z",
                                          "a",
                                          "a/b",
                                          "\xC3\xA9",
                                          "\xED\x9F\xBF",
                                          "\xF0\x9F\x98\x80", // U+1F600
                                          "\xEF\xBF\xBD"};    // U+FFFD
    for (auto name = sorted.rbegin(); name != sorted.rend(); ++name) {
      lock.put(*name, {.source = "x"});
    }
    std::string text = lock.text();
    std::size_t at = 0;
    for (const std::string& name : sorted) {
      CAPTURE(name);
      std::size_t next = text.find("    \"" + name + "\": {", at);
      REQUIRE(next != std::string::npos);
      at = next;
    }
    std::optional<std::string> answer = install_test::ask_node(
        "const lock = JSON.parse(input);"
        "const skills = {};"
        "for (const key of Object.keys(lock.skills).sort()) skills[key] = lock.skills[key];"
        "return JSON.stringify({version: lock.version, skills}, null, 2) + '\\n';",
        text);
    if (answer) {
      CHECK(*answer == text);
    }
  }

  TEST_CASE("whatever JSON.stringify writes stays as it is") {
    std::string input = R"({"version": 3, "skills": {
      "b": {"source": "\u0000\u001f\"\\\/\b\f\n\r\t\u007f\u2028\ud83d\ude00é", "n": [1e21, 1e-7, 0.1,
            123456789012345678, 18446744073709551616, -5, 1.5e300, 5e-324, 100000000000000000000],
            "o": {}, "a": [], "t": [true, false, null, [[]], {"x": {"y": 1}}]},
      "a": null, "c": 5, "d": "text"}, "dismissed": {"2": 1, "1": 2}})";
    std::optional<std::string> written =
        install_test::ask_node("const lock = JSON.parse(input);"
                               "const skills = {};"
                               "for (const key of Object.keys(lock.skills).sort())"
                               "  skills[key] = lock.skills[key];"
                               "lock.skills = skills;"
                               "return JSON.stringify(lock, null, 2) + '\\n';",
                               input);
    if (!written) {
      return;
    }
    SkillsLock lock = read(LockKind::global, *written);
    CHECK(lock.text() == *written);
    CHECK(lock.entries().size() == 1);
    lock.put("a", {.source = "x"}); // in the place of what is no entry
    CHECK(lock.entries().at("a").source == "x");
  }

  TEST_CASE("a lock that cannot be read is never an empty one") {
    for (std::string_view text : {"{",
                                  " ",
                                  "null",
                                  "[]",
                                  "{}",
                                  R"({"version": 1})",
                                  R"({"skills": {}})",
                                  R"({"version": 1, "skills": []})",
                                  R"({"version": 1, "skills": null})",
                                  R"({"version": "1", "skills": {}})",
                                  R"({"version": 1.5, "skills": {}})",
                                  R"({"version": 2, "skills": {}})",
                                  R"({"version": 0, "skills": {}})",
                                  "{\"version\": 1, \"skills\": {\"\xff\": {}}}"}) {
      Error error = error_of(LockKind::project, text);
      CHECK(error.code == ErrorCode::corrupt);
      CHECK(error.message.find("`skills-lock.json`") == 0);
      CHECK_FALSE(error.hint.empty());
    }
    Error odd = error_of(LockKind::project, R"({"version": "\u001b[31m", "skills": {}})");
    CHECK(odd.message.find('\x1b') == std::string::npos);
    CHECK(error_of(LockKind::project, k_global).code == ErrorCode::corrupt);
    Error merge = error_of(LockKind::project, "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n");
    CHECK(merge.hint.find("merge") != std::string::npos);
    CHECK(error_of(LockKind::project, std::string(17u << 20, ' ')).code == ErrorCode::too_large);
    CHECK(error_of(LockKind::project, std::string(1u << 20, '[')).code == ErrorCode::corrupt);
  }

  TEST_CASE("a lock of an older version has no entries and stays as it is") {
    for (const char* version : {"1", "2"}) {
      std::string text =
          std::string("{\n  \"version\": ") + version
          + ",\n  \"skills\": {\n    \"pdf\": {\n      \"source\": \"a/b\"\n    }\n  }\n}\n";
      SkillsLock lock = read(LockKind::global, text);
      CHECK(lock.is_older());
      CHECK(lock.entries().empty());
      CHECK(lock.text() == text);
    }
    CHECK_FALSE(read(LockKind::global, k_global).is_older());
    CHECK_FALSE(read(LockKind::global, "").is_older());
    for (const char* version : {"0", "4", "-1", "2.0", "\"2\"", "31"}) {
      CHECK(
          error_of(LockKind::global, std::string("{\"version\": ") + version + ", \"skills\": {}}")
              .code
          == ErrorCode::corrupt);
    }
  }

  TEST_CASE("many entries take the time that they are long") {
    std::string text = "{\"version\": 1, \"skills\": {";
    for (int i = 0; i < 200'000; ++i) {
      text += (i == 0 ? "\"s" : ",\"s") + std::to_string(i) + "\": {\"source\": \"x\"}";
    }
    text += "}}";
    SkillsLock lock = read(LockKind::project, text);
    CHECK(lock.entries().size() == 200'000);
    lock.put("new", {.source = "x"});
    CHECK(lock.text().size() > text.size());
  }
}

TEST_SUITE("json_tree") {
  TEST_CASE("of a key that is given twice the last value counts, where the first stood") {
    Result<JsonTree> tree = read_json(R"({"a": 1, "b": 2, "a": 3})", "it", 100);
    REQUIRE(tree);
    CHECK(json_text(*tree) == "{\n  \"a\": 3,\n  \"b\": 2\n}");
  }

  TEST_CASE("what nests deeper than any message is damage") {
    std::string deepest = std::string(64, '[') + std::string(64, ']');
    CHECK(read_json(deepest, "it", 1000).has_value());
    Result<JsonTree> deeper = read_json("[" + deepest + "]", "it", 1000);
    REQUIRE_FALSE(deeper);
    CHECK(deeper.error().code == ErrorCode::corrupt);
  }

  TEST_CASE("a text that is written without a tree is the same") {
    JsonWriter out;
    out.begin_object();
    out.key("a \"b\"\n");
    out.string("\x01\\ and \"more\"\t");
    out.key("none");
    out.begin_array();
    out.end_array();
    out.key("empty");
    out.begin_object();
    out.end_object();
    out.key("list");
    out.begin_array();
    out.literal("1.50");
    out.begin_object();
    out.key("deep");
    out.tree(*read_json(R"({"x": [1, {"y": null}], "z": {}})", "it", 100));
    out.end_object();
    out.string("");
    out.end_array();
    out.end_object();
    const std::string text = out.take();
    Result<JsonTree> tree = read_json(text, "it", 1000);
    REQUIRE_MESSAGE(tree, text);
    CHECK(json_text(*tree) == text);
    CHECK(tree->members.size() == 4);
    CHECK(tree->members[0].value.text == "\x01\\ and \"more\"\t");
  }

  TEST_CASE("of a key of many that is given twice the last value counts, too") {
    std::string text = "{";
    for (int i = 0; i < 100; ++i) {
      text += "\"" + std::to_string(i % 70) + "\": " + std::to_string(i) + ",";
    }
    Result<JsonTree> tree = read_json(text + "\"x\": 1}", "it", 10'000);
    REQUIRE(tree);
    REQUIRE(tree->members.size() == 71);
    for (int i = 0; i < 70; ++i) {
      CHECK(tree->members[static_cast<std::size_t>(i)].value.text
            == std::to_string(i < 30 ? i + 70 : i));
    }
  }

  TEST_CASE("numbers keep their letters") {
    Result<JsonTree> tree = read_json("[1.50, 1E5, 0.1e-7, 9007199254740993]", "it", 100);
    REQUIRE(tree);
    CHECK(json_text(*tree) == "[\n  1.50,\n  1E5,\n  0.1e-7,\n  9007199254740993\n]");
  }
}
