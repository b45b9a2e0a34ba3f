#include "skills/eval/random.h"
#include "skills/generate/draft.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::generate;

namespace {

const std::string k_front =
    "---\nname: yaml-files\ndescription: Parses YAML. Use it for .yaml files.\n---\n";
const std::string k_body =
    "# YAML\n\n1. Quote `no`.\n\n```bash\nyq . a.yaml\n```\n\nThen check it.\n";
const std::string k_good = k_front + "\n" + k_body;

DraftReply reply_of(const std::string& text, const DraftWanted& wanted = {}) {
  Result<DraftReply> reply = read_draft(text, wanted);
  INFO("reply: ", text);
  INFO("error: ", reply ? "" : reply.error().message);
  REQUIRE(reply);
  return *reply;
}

Draft draft_of(const std::string& text, const DraftWanted& wanted = {}) {
  DraftReply reply = reply_of(text, wanted);
  INFO("reply: ", text);
  REQUIRE(std::holds_alternative<Draft>(reply));
  return std::get<Draft>(reply);
}

std::string reason_of(const std::string& text) {
  DraftReply reply = reply_of(text);
  return std::holds_alternative<NotWarranted>(reply) ? std::get<NotWarranted>(reply).reason
                                                     : "a draft";
}

Error error_of(const std::string& text, const DraftWanted& wanted = {}) {
  Result<DraftReply> reply = read_draft(text, wanted);
  INFO("reply: ", text);
  REQUIRE_FALSE(reply);
  return reply.error();
}

bool warns_of(const Draft& draft, const std::string& part) {
  return std::ranges::any_of(draft.warnings, [&](const std::string& line) {
    return line.find(part) != std::string::npos;
  });
}

std::string described(const std::string& description) {
  return "---\nname: a\ndescription: " + description + "\n---\nDo it.\n";
}

} // namespace

TEST_SUITE("draft") {
  TEST_CASE("a skill as it was asked for is read without a word") {
    Draft draft = draft_of(k_good);
    CHECK(draft == Draft{"yaml-files", "Parses YAML. Use it for .yaml files.", k_body, {}, {}});
  }

  TEST_CASE("words, fences and blocks around it do no harm") {
    for (const std::string& text :
         {"Here is the skill:\n\n" + k_good,
          "\xEF\xBB\xBF" + k_good,
          "```markdown\n" + k_good + "```\n",
          "```markdown\n" + k_good + "```",
          "```md\n\n" + k_good + "```\n\nI hope it helps.\n",
          "Sure!\n\n````markdown\n" + k_good + "````\n\nTo try it:\n\n```bash\nls\n```\n",
          "~~~markdown\n" + k_good + "~~~\n\nThat is all.",
          "```\n" + k_good + "```\nThat is all.",
          "```yaml\n" + k_front + "```\n\n" + k_body,
          "First a list:\n\n---\n\n- a\n- b\n\n---\n\n" + k_good}) {
      Draft draft = draft_of(text);
      INFO("reply: ", text);
      CHECK(draft.name == "yaml-files");
      CHECK(draft.description == "Parses YAML. Use it for .yaml files.");
      CHECK(draft.body == k_body);
      CHECK(draft.warnings.empty());
    }
  }

  TEST_CASE("what a model thinks in front of its answer is not the answer") {
    std::string thoughts =
        "<think>\nSay this:\n\n" + described("Something else") + "NO SKILL: or not\n</think>\n\n";
    CHECK(draft_of(thoughts + k_good).name == "yaml-files");
    CHECK(draft_of(thoughts + k_good).body == k_body);
    CHECK(reason_of(thoughts + "NO SKILL: it is known") == "it is known");
    // In the text of a skill the words are words.
    CHECK(draft_of(k_front + "Look for </think>.\n").body == "Look for </think>.\n");
  }

  TEST_CASE("a block without a language within the fence is a part of it") {
    std::string body =
        "# Blocks\n\nType:\n```\nmake\n```\n\nThen:\n\n```\nmake check\n```\n\nDone.\n";
    CHECK(draft_of("```markdown\n" + k_front + body + "```\n").body == body);
    CHECK(draft_of("~~~\n" + k_front + body + "~~~\n").body == body);
  }

  TEST_CASE("line ends of other systems are line feeds") {
    std::string text;
    for (char c : k_good) {
      text += c == '\n' ? "\r\n" : std::string(1, c);
    }
    CHECK(draft_of(text).body == k_body);
    CHECK(draft_of(text).warnings.empty());
  }

  TEST_CASE("a fence without an end is told") {
    Draft draft = draft_of("```markdown\n" + k_front + "Do it.\n");
    CHECK(draft.body == "Do it.\n");
    CHECK(warns_of(draft, "has no end"));
  }

  TEST_CASE("a front matter that is no YAML is repaired") {
    Draft draft = draft_of(described("Fixes errors: all of them. Use: always"));
    CHECK(draft.description == "Fixes errors: all of them. Use: always");
    CHECK(draft.warnings.size() == 2);
    CHECK(warns_of(draft, "the value of `description` is read as if it were quoted"));
    Draft lines = draft_of("---\nname: a\ndescription: Does it.\n\t[broken: {yaml\n---\nDo it.\n");
    CHECK(lines.name == "a");
    CHECK(lines.description.starts_with("Does it."));
  }

  TEST_CASE("a front matter that nobody closed ends before the text") {
    for (const char* text : {"---\nname: a\ndescription: Does it.\n\n# Title\n\nDo it.\n",
                             "---\nname: a\ndescription: Does it.\n# Title\n\nDo it.\n"}) {
      Draft draft = draft_of(text);
      CHECK(draft.name == "a");
      CHECK(draft.description == "Does it.");
      CHECK(draft.body == "# Title\n\nDo it.\n");
      CHECK(warns_of(draft, "not closed"));
    }
  }

  TEST_CASE("without front matter the first lines may say it") {
    for (const char* text :
         {"# YAML files\n\n**Description:** Parses `YAML`.\n\nDo it.\n",
          "Here:\n\nName: yaml-files\nDescription: Parses `YAML`.\n\n# YAML files\n\nDo it.\n",
          "```markdown\n# YAML files\n\nDescription: \"Parses `YAML`.\"\n\nDo it.\n```\n"}) {
      Draft draft = draft_of(text);
      CHECK(draft.name == "yaml-files");
      CHECK(draft.description == "Parses `YAML`.");
      CHECK(draft.body == "# YAML files\n\nDo it.\n");
      CHECK(warns_of(draft, "no front matter"));
    }
    CHECK(error_of("# YAML files\n\nParse them.\n").message
          == "the front matter has no `description`");
  }

  TEST_CASE("what can be no skill is told in words to mend it by") {
    CHECK(error_of("").message == "the reply has no SKILL.md");
    CHECK(error_of("I am sorry, but I cannot do that.").code == ErrorCode::invalid_argument);
    CHECK(error_of("```bash\n# a comment\nls\n```\n").message == "the reply has no SKILL.md");
    CHECK(error_of("---\nname: a\n---\nDo it.\n").message
          == "the front matter has no `description`");
    CHECK(error_of("---\nname: a\ndescription: [a]\n---\nDo it.\n").message
          == "the front matter has no `description`");
    CHECK(error_of(described("\"  \"")).message == "the front matter has no `description`");
    CHECK(error_of(k_front).message == "SKILL.md has no text after its front matter");
    CHECK(error_of(k_front + "\n \t\n\n").message == "SKILL.md has no text after its front matter");
    Error large = error_of(std::string(k_max_draft + 1, 'x'));
    CHECK(large.code == ErrorCode::too_large);
    for (const char* text : {"", "prose", "---\nname: a\n---\nDo it.\n"}) {
      CHECK_FALSE(error_of(text).hint.empty());
    }
  }

  TEST_CASE("a teacher is told what to mend") {
    CHECK(draft_correction(error_of(k_front))
          == "Your reply could not be used: SKILL.md has no text after its front matter (write the "
             "text of the skill there). Reply again with the whole SKILL.md, and its further files "
             "if there are any.");
  }

  TEST_CASE("a description has one line of at most 1,024 characters") {
    CHECK(draft_of(described(">\n  Does it.\n  Use it\n\n  always.")).description
          == "Does it. Use it always.");
    CHECK(draft_of(described("\"Does   it.\\n\\tUse it.\"")).description == "Does it. Use it.");
    std::string longest;
    for (int i = 0; i < 1024; ++i) {
      longest += "\xC3\xA9";
    }
    CHECK(draft_of(described(longest)).description == longest);
    CHECK(error_of(described(longest + "x")).message
          == "the `description` has 1025 characters, 1024 are allowed");
    CHECK(warns_of(draft_of(described("Reads <svg> files.")), "`<` or `>`"));
  }

  TEST_CASE("a body that is too large is asked for again") {
    std::string words;
    for (int i = 0; i < 5200; ++i) {
      words += "word ";
    }
    Error error = error_of(k_front + words);
    CHECK(error.code == ErrorCode::too_large);
    CHECK(error.message.find("5000 are allowed") != std::string::npos);
    CHECK(error.hint.find("`references/`") != std::string::npos);
    CHECK_NOTHROW(draft_of(k_front + words.substr(0, 4800 * 5)));
  }

  TEST_CASE("a name that breaks the rules is repaired") {
    auto named = [](const std::string& name) {
      return "---\nname: " + name + "\ndescription: Does it.\n---\n# The heading\n\nDo it.\n";
    };
    Draft repaired = draft_of(named("\"Parse YAML files!\""));
    CHECK(repaired.name == "parse-yaml-files");
    CHECK(warns_of(repaired, "the name `Parse YAML files!` breaks the rules"));
    CHECK(draft_of(named("../../etc")).name == "etc");
    CHECK(draft_of(named("\"\"")).name == "the-heading");
    CHECK(draft_of(named("\"!!\"")).name == "the-heading");
    CHECK(draft_of("---\ndescription: Does it.\n---\nDo it.\n", {"", "Parse YAML", "", {}}).name
          == "parse-yaml");
    CHECK(draft_of("---\ndescription: Does it.\n---\nDo it.\n").name == "skill");
    Draft kept = draft_of(named("other"), {"mine", "", "", {}});
    CHECK(kept.name == "mine");
    CHECK(warns_of(kept, "the name stays `mine`, the reply has `other`"));
  }

  TEST_CASE("names of texts") {
    CHECK(name_from("Parse YAML files!") == "parse-yaml-files");
    CHECK(name_from("  --A__b--  ") == "a-b");
    CHECK(name_from("don't") == "dont");
    CHECK(name_from("\xEF\xBC\xA1\xEF\xBC\xA2") == "ab"); // full width
    CHECK(name_from("\xE5\xAD\x97") == "skill");
    CHECK(name_from("") == "skill");
    CHECK(name_from(std::string(100, 'a')) == std::string(64, 'a'));
    CHECK(name_from(std::string(40, 'a') + " " + std::string(40, 'b')) == std::string(40, 'a'));
    CHECK(name_from(std::string(64, 'a') + " b") == std::string(64, 'a'));
  }

  TEST_CASE("other fields of the front matter are left out") {
    Draft draft =
        draft_of("---\nname: a\ndescription: Does it.\nallowed-tools: Bash\n---\nDo it.\n");
    CHECK(draft.warnings
          == std::vector<std::string>{"the field `allowed-tools` of the front matter is left out"});
  }

  TEST_CASE("control and invisible characters do not get in") {
    Draft draft =
        draft_of("---\nname: a\ndescription: Does \xE2\x80\xAEit.\n---\nDo\x1B[2J it.\xE2\x80\x8B "
                 "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB\xF3\xA0\x81\x81\n");
    CHECK(draft.description == "Does it.");
    CHECK(draft.body
          == "Do[2J it. \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB\n"); // a joiner stays
    CHECK(
        draft.warnings
        == std::vector<std::string>{"4 control or invisible characters of the reply are left out"});
    CHECK(draft_of(k_front + "Do \xFF it.\n").body == "Do \xEF\xBF\xBD it.\n");
    CHECK(draft_of(k_front + std::string("Do\0 it.\n", 9)).body == "Do it.\n");
  }

  TEST_CASE("that no skill is warranted is an answer") {
    for (const char* text : {"NO SKILL: it is known",
                             "\n\n  NO SKILL: it is known\n",
                             "```\nNO SKILL: it is known\n```\n",
                             "```markdown\n\nNO SKILL: it is known\n```",
                             "After some thought:\n\n```\nNO SKILL: it is known\n```\n",
                             "**NO SKILL:** it is known",
                             "NO SKILL - it is known",
                             "NO SKILL\n\nit is known\n",
                             "NO SKILL:  it \xE2\x80\x8B is\tknown\n\nThat is all.\n"}) {
      CAPTURE(text);
      CHECK(reason_of(text) == "it is known");
    }
    CHECK(reason_of("NO SKILL") == "no reason was given");
    CHECK(reason_of("NO SKILL: " + std::string(5000, 'x')).size() == 500);
  }

  TEST_CASE("a skill that speaks of it is a skill") {
    CHECK(reason_of(k_good + "\nNO SKILL: else\n") == "a draft");
    CHECK(reason_of(k_front + "```\nNO SKILL: else\n```\n") == "a draft");
    CHECK(error_of("NO SKILLS are needed here").message == "the reply has no SKILL.md");
    CHECK(error_of("There is NO SKILL: none").message == "the reply has no SKILL.md");
  }

  TEST_CASE("no reply does harm, and what is read can be a skill") {
    const std::vector<std::string> pieces{"---\n",
                                          "name: a\n",
                                          "description: b\n",
                                          "```\n",
                                          "```markdown\n",
                                          "````\n",
                                          "~~~\n",
                                          "# A\n",
                                          "\n",
                                          "text\n",
                                          "NO SKILL",
                                          ": ",
                                          "FILE 0123456789abcdef references/a.md\n",
                                          "FILE 0123456789abcdef ../a\n",
                                          "\xFF",
                                          "\xE2\x80\xAE",
                                          "\r",
                                          "name",
                                          ":",
                                          "x: [\n",
                                          "  "};
    eval::Random random(7);
    std::size_t drafts = 0;
    for (int round = 0; round < 20'000; ++round) {
      std::string text;
      for (std::uint64_t i = random.below(16); i > 0; --i) {
        text += pieces[random.below(pieces.size())];
      }
      Result<DraftReply> reply = read_draft(text, {});
      if (!reply || !std::holds_alternative<Draft>(*reply)) {
        continue;
      }
      ++drafts;
      const Draft& draft = std::get<Draft>(*reply);
      CHECK(name_from(draft.name) == draft.name);
      CHECK_FALSE(draft.description.empty());
      CHECK(draft.description.find('\n') == std::string::npos);
      CHECK(draft.body.ends_with('\n'));
      CHECK(draft.body.find("\xE2\x80\xAE") == std::string::npos);
      for (const auto& [path, file] : draft.files) {
        CHECK(path == "references/a.md");
      }
    }
    CHECK(drafts > 500);
  }
}
