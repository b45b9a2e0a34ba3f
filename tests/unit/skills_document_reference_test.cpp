#include "skills/document/reference.h"
#include "skills/document/reference_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

// The 40 cases of the reference validator (skills facts, section 4: 15 + 4 + 21), written anew.
// Each begins with the name of its suite there, so that they can be counted.

using namespace upskill;
using namespace upskill::document;
namespace fs = std::filesystem;

namespace {

// A fresh folder for one test case; kept, and named, when the case fails.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "upskill-reference-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    m_path = pattern;
  }

  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  ~TemporaryFolder() {
    if (m_passed) {
      std::error_code ignored;
      fs::remove_all(m_path, ignored);
    } else {
      MESSAGE("the folder is kept: " << m_path);
    }
  }

  // Makes a skill's folder with that file and returns its path.
  std::string skill(const std::string& folder,
                    const std::string& text,
                    const std::string& file = "SKILL.md") const {
    fs::create_directories(fs::path(m_path) / folder);
    write(folder + "/" + file, text);
    return m_path + "/" + folder;
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(fs::path(m_path) / name, std::ios::binary) << text;
  }

  const std::string& path() const { return m_path; }

  // The last line of a case; a CHECK that failed before keeps the folder.
  void passed_if(bool condition) {
    CHECK(condition);
    m_passed = condition;
  }

private:
  std::string m_path;
  bool m_passed = false;
};

std::string skill_text(const std::string& name,
                       const std::string& description = "A test skill",
                       const std::string& more = "") {
  return "---\nname: " + name + "\ndescription: " + description + "\n" + more + "---\nBody\n";
}

std::vector<std::string> validate(const std::string& folder, const std::string& text) {
  return validate_as_reference(text, folder);
}

std::vector<std::string> validate_name(const std::string& name) {
  return validate(name, skill_text(name));
}

bool any_contains(const std::vector<std::string>& messages, std::string_view part) {
  return std::ranges::any_of(
      messages, [&](const std::string& m) { return m.find(part) != std::string::npos; });
}

bool fails_with(const std::string& text, std::string_view part) {
  auto document = parse_as_reference(text);
  return !document && document.error().message.find(part) != std::string::npos;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

} // namespace

TEST_SUITE_BEGIN("Reference");

TEST_CASE("test_parser: valid_frontmatter") {
  auto document = parse_as_reference(
      "---\nname: my-skill\ndescription: A test skill\n---\n# My Skill\n\nDo it.\n");
  REQUIRE(document);
  CHECK(document->front_matter.find("name")->text == "my-skill");
  CHECK(document->front_matter.find("description")->text == "A test skill");
  CHECK(document->body == "# My Skill\n\nDo it.");
}

TEST_CASE("test_parser: missing_frontmatter") {
  CHECK(fails_with("# Only a heading\n", "must start with YAML frontmatter"));
}

TEST_CASE("test_parser: unclosed_frontmatter") {
  CHECK(fails_with("---\nname: my-skill\n", "not properly closed"));
}

TEST_CASE("test_parser: invalid_yaml") {
  CHECK(fails_with("---\nname: [invalid\ndescription: x\n---\nBody\n", "Invalid YAML"));
}

TEST_CASE("test_parser: non_dict_frontmatter") {
  CHECK(fails_with("---\n- one\n- two\n---\nBody\n", "must be a YAML mapping"));
}

TEST_CASE("test_parser: read_valid_skill") {
  TemporaryFolder folder;
  auto read = read_folder_properties(
      folder.skill("my-skill", skill_text("my-skill", "A test skill", "license: MIT\n")));
  REQUIRE(read);
  CHECK(read->name == "my-skill");
  CHECK(read->description == "A test skill");
  folder.passed_if(read->license == "MIT");
}

TEST_CASE("test_parser: read_with_metadata") {
  TemporaryFolder folder;
  auto read = read_folder_properties(folder.skill(
      "my-skill",
      skill_text("my-skill", "A test skill", "metadata:\n  author: Someone\n  version: 1.0\n")));
  REQUIRE(read);
  REQUIRE(read->metadata.size() == 2);
  CHECK(read->metadata[0] == std::pair<std::string, std::string>{"author", "Someone"});
  folder.passed_if(read->metadata[1] == std::pair<std::string, std::string>{"version", "1.0"});
}

TEST_CASE("test_parser: missing_skill_md") {
  TemporaryFolder folder;
  auto read = read_folder_properties(folder.path());
  REQUIRE_FALSE(read);
  folder.passed_if(read.error().message == "SKILL.md not found in " + folder.path());
}

TEST_CASE("test_parser: missing_name") {
  auto read = read_properties("---\ndescription: A test skill\n---\nBody\n");
  REQUIRE_FALSE(read);
  CHECK(read.error().message == "Missing required field in frontmatter: name");
}

TEST_CASE("test_parser: missing_description") {
  auto read = read_properties("---\nname: my-skill\n---\nBody\n");
  REQUIRE_FALSE(read);
  CHECK(read.error().message == "Missing required field in frontmatter: description");
}

TEST_CASE("test_parser: find_skill_md_prefers_uppercase") {
  TemporaryFolder folder;
  folder.write("skill.md", "lower");
  folder.write("SKILL.md", "upper");
  auto file = find_skill_file(folder.path());
  REQUIRE(file);
  folder.passed_if(*file == folder.path() + "/SKILL.md");
}

TEST_CASE("test_parser: find_skill_md_accepts_lowercase") {
  TemporaryFolder folder;
  folder.write("skill.md", "lower");
  auto file = find_skill_file(folder.path());
  REQUIRE(file);
  std::string name = fs::path(*file).filename().string();
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  folder.passed_if(name == "skill.md");
}

TEST_CASE("test_parser: find_skill_md_returns_none_when_missing") {
  TemporaryFolder folder;
  folder.passed_if(!find_skill_file(folder.path()));
}

TEST_CASE("test_parser: read_properties_with_lowercase_skill_md") {
  TemporaryFolder folder;
  auto read = read_folder_properties(folder.skill("my-skill", skill_text("my-skill"), "skill.md"));
  REQUIRE(read);
  CHECK(read->name == "my-skill");
  folder.passed_if(read->description == "A test skill");
}

TEST_CASE("test_parser: read_with_allowed_tools") {
  auto read = read_properties(
      skill_text("my-skill", "A test skill", "allowed-tools: Bash(jq:*) Bash(git:*)\n"));
  REQUIRE(read);
  CHECK(read->allowed_tools == "Bash(jq:*) Bash(git:*)");
  CHECK(to_json(*read)
        == R"j({"name": "my-skill", "description": "A test skill", )j"
           R"j("allowed-tools": "Bash(jq:*) Bash(git:*)"})j");
}

TEST_CASE("test_prompt: empty_list") {
  CHECK(to_prompt({}) == "<available_skills>\n</available_skills>");
}

TEST_CASE("test_prompt: single_skill") {
  TemporaryFolder folder;
  auto prompt = folders_to_prompt({folder.skill("my-skill", skill_text("my-skill"))});
  REQUIRE(prompt);
  CHECK(prompt->starts_with("<available_skills>\n<skill>\n<name>\nmy-skill\n</name>\n"
                            "<description>\nA test skill\n</description>\n<location>\n/"));
  folder.passed_if(
      prompt->ends_with("/my-skill/SKILL.md\n</location>\n</skill>\n</available_skills>"));
}

TEST_CASE("test_prompt: multiple_skills") {
  TemporaryFolder folder;
  auto prompt = folders_to_prompt({folder.skill("skill-a", skill_text("skill-a")),
                                   folder.skill("skill-b", skill_text("skill-b"))});
  REQUIRE(prompt);
  CHECK(count(*prompt, "<skill>") == 2);
  CHECK(count(*prompt, "</skill>") == 2);
  CHECK(count(*prompt, "<name>\nskill-a\n") == 1);
  folder.passed_if(count(*prompt, "<name>\nskill-b\n") == 1);
}

TEST_CASE("test_prompt: special_characters_escaped") {
  std::string prompt =
      to_prompt({{"my-skill", "Use <foo> & <bar> tags, \"so\" 'so'", "/a<b/SKILL.md"}});
  CHECK(prompt.find("Use &lt;foo&gt; &amp; &lt;bar&gt; tags, &quot;so&quot; &#x27;so&#x27;\n")
        != std::string::npos);
  CHECK(prompt.find("<foo>") == std::string::npos);
  CHECK(prompt.find("<bar>") == std::string::npos);
  CHECK(prompt.find("\n/a<b/SKILL.md\n") != std::string::npos);
}

TEST_CASE("test_validator: valid_skill") {
  TemporaryFolder folder;
  folder.passed_if(validate_folder(folder.skill("my-skill", skill_text("my-skill"))).empty());
}

TEST_CASE("test_validator: nonexistent_path") {
  TemporaryFolder folder;
  std::string path = folder.path() + "/nothing";
  folder.passed_if(validate_folder(path) == std::vector{"Path does not exist: " + path});
}

TEST_CASE("test_validator: not_a_directory") {
  TemporaryFolder folder;
  folder.write("file.txt", "x");
  std::string path = folder.path() + "/file.txt";
  folder.passed_if(validate_folder(path) == std::vector{"Not a directory: " + path});
}

TEST_CASE("test_validator: missing_skill_md") {
  TemporaryFolder folder;
  folder.passed_if(validate_folder(folder.path())
                   == std::vector<std::string>{"Missing required file: SKILL.md"});
}

TEST_CASE("test_validator: invalid_name_uppercase") {
  CHECK(validate_name("MySkill")
        == std::vector<std::string>{"Skill name 'MySkill' must be lowercase"});
}

TEST_CASE("test_validator: name_too_long") {
  std::string name(70, 'a');
  CHECK(validate_name(name)
        == std::vector{"Skill name '" + name + "' exceeds 64 character limit (70 chars)"});
}

TEST_CASE("test_validator: name_leading_hyphen") {
  CHECK(validate_name("-my-skill")
        == std::vector<std::string>{"Skill name cannot start or end with a hyphen"});
}

TEST_CASE("test_validator: name_consecutive_hyphens") {
  CHECK(validate_name("my--skill")
        == std::vector<std::string>{"Skill name cannot contain consecutive hyphens"});
}

TEST_CASE("test_validator: name_invalid_characters") {
  CHECK(validate_name("my_skill")
        == std::vector<std::string>{"Skill name 'my_skill' contains invalid characters. Only "
                                    "letters, digits, and hyphens are allowed."});
}

TEST_CASE("test_validator: name_directory_mismatch") {
  CHECK(validate("wrong-name", skill_text("correct-name"))
        == std::vector<std::string>{
            "Directory name 'wrong-name' must match skill name 'correct-name'"});
}

TEST_CASE("test_validator: unexpected_fields") {
  CHECK(validate("my-skill", skill_text("my-skill", "A", "unknown_field: x\nauthor: y\n"))
        == std::vector<std::string>{
            "Unexpected fields in frontmatter: author, unknown_field. Only ['allowed-tools', "
            "'compatibility', 'description', 'license', 'metadata', 'name'] are allowed."});
}

TEST_CASE("test_validator: valid_with_all_fields") {
  CHECK(validate("my-skill",
                 skill_text("my-skill", "A", "license: MIT\nmetadata:\n  author: Someone\n"))
            .empty());
}

TEST_CASE("test_validator: allowed_tools_accepted") {
  CHECK(validate("my-skill", skill_text("my-skill", "A", "allowed-tools: Bash(git:*) Read\n"))
            .empty());
}

TEST_CASE("test_validator: i18n_chinese_name") {
  CHECK(validate_name("技能").empty());
}

TEST_CASE("test_validator: i18n_russian_name_with_hyphens") {
  CHECK(validate_name("мой-навык").empty());
}

TEST_CASE("test_validator: i18n_russian_lowercase_valid") {
  CHECK(validate_name("навык").empty());
}

TEST_CASE("test_validator: i18n_russian_uppercase_rejected") {
  CHECK(validate_name("НАВЫК") == std::vector<std::string>{"Skill name 'НАВЫК' must be lowercase"});
}

TEST_CASE("test_validator: description_too_long") {
  CHECK(validate("my-skill", skill_text("my-skill", std::string(1100, 'x')))
        == std::vector<std::string>{"Description exceeds 1024 character limit (1100 chars)"});
}

TEST_CASE("test_validator: valid_compatibility") {
  CHECK(validate("my-skill", skill_text("my-skill", "A", "compatibility: Requires Python 3.11+\n"))
            .empty());
}

TEST_CASE("test_validator: compatibility_too_long") {
  CHECK(validate("my-skill",
                 skill_text("my-skill", "A", "compatibility: " + std::string(550, 'x') + "\n"))
        == std::vector<std::string>{"Compatibility exceeds 500 character limit (550 chars)"});
}

TEST_CASE("test_validator: nfkc_normalization") {
  CHECK(validate("caf\xC3\xA9", skill_text("cafe\xCC\x81")).empty());
}

TEST_CASE("messages come in the reference's order") {
  std::string name = "-My__" + std::string(70, 'a') + "--";
  auto messages = validate("x", "---\nextra: 1\nname: " + name + "\ncompatibility:\n  - a\n---\n");
  REQUIRE(messages.size() == 9);
  CHECK(messages[0].starts_with("Unexpected fields in frontmatter: extra. "));
  CHECK(messages[1].find("exceeds 64 character limit (77 chars)") != std::string::npos);
  CHECK(messages[2].find("must be lowercase") != std::string::npos);
  CHECK(messages[3] == "Skill name cannot start or end with a hyphen");
  CHECK(messages[4] == "Skill name cannot contain consecutive hyphens");
  CHECK(messages[5].find("contains invalid characters") != std::string::npos);
  CHECK(messages[6].starts_with("Directory name 'x' must match"));
  CHECK(messages[7] == "Missing required field in frontmatter: description");
  CHECK(messages[8] == "Field 'compatibility' must be a string");
}

TEST_CASE("lengths count characters and not bytes") {
  CHECK(validate("my-skill", skill_text("my-skill", std::string("é") + std::string(1023, 'x')))
            .empty());
  std::string name;
  for (int i = 0; i < 64; ++i) {
    name += "技";
  }
  CHECK(validate_name(name).empty());
  CHECK(any_contains(validate_name(name + "技"), "(65 chars)"));
}

TEST_CASE("an empty value is a string that is empty") {
  CHECK(validate("a", "---\nname:\ndescription: ' '\ncompatibility:\n---\n")
        == std::vector<std::string>{"Field 'name' must be a non-empty string",
                                    "Field 'description' must be a non-empty string"});
  auto read = read_properties("---\nname: a\ndescription:\n---\n");
  REQUIRE_FALSE(read);
  CHECK(read.error().message == "Field 'description' must be a non-empty string");
}

TEST_CASE("flow style and tags and anchors and repeated keys are no strict YAML") {
  CHECK(fails_with("---\nname: a\nmetadata: {a: b}\n---\n", "Invalid YAML in frontmatter: line 3"));
  CHECK(fails_with("---\nname: !!str a\n---\n", "Invalid YAML in frontmatter: line 2: a tag"));
  CHECK(fails_with("---\nname: &x a\n---\n", "Invalid YAML in frontmatter: line 2: an anchor"));
  CHECK(fails_with("---\nname: a\nname: b\n---\n", "Duplicate key 'name' found"));
  CHECK(fails_with("---\na:\n  x: 1\nb:\n   y: 2\n---\n", "indented unlike"));
}

TEST_CASE("a fence inside a value closes as it does in the reference") {
  CHECK(validate("a", "---\nname: a\ndescription: x --- y\n---\n").empty());
  CHECK(fails_with("---\nname: \"a --- b\"\n---\n", "Invalid YAML in frontmatter: "));
}

TEST_CASE("CRLF passes and a byte order mark does not") {
  CHECK(validate("a", "---\r\nname: a\r\ndescription: b\r\n---\r\nBody\r\n").empty());
  CHECK(validate("a", "\xEF\xBB\xBF---\nname: a\ndescription: b\n---\n")
        == std::vector<std::string>{"SKILL.md must start with YAML frontmatter (---)"});
}

TEST_CASE("bytes that are not UTF-8 are one error") {
  auto messages = validate("a", "---\nname: a\ndescription: b\n---\n\xFF\n");
  REQUIRE(messages.size() == 1);
  CHECK(messages[0] == "SKILL.md is not UTF-8 text (line 5)");
}

TEST_CASE("marks that survive normalization are no letters and digits of any script are") {
  CHECK(any_contains(validate_name("नमस्ते"), "contains invalid characters"));
  CHECK(validate_name("क३-²").empty()); // in both names the superscript becomes 2
  CHECK(validate_name("abc٣").empty());
}

TEST_CASE("a final slash does not change the folder's name") {
  TemporaryFolder folder;
  folder.passed_if(validate_folder(folder.skill("my-skill", skill_text("my-skill")) + "/").empty());
}

TEST_SUITE_END();
