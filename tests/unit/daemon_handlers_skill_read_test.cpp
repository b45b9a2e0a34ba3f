#include "daemon/handlers/skill_files.h"
#include "protocol/base/utf8.h"
#include "tests/support/skills_world.h"

#include <fcntl.h>
#include <sys/stat.h>

using namespace upskill;
using tests::SkillsWorld;

namespace {

SkillReadParams reading(std::string skill, std::string file = {}) {
  SkillReadParams params;
  params.skill = std::move(skill);
  params.file = std::move(file);
  return params;
}

daemon::RequestContext in_folder(std::string cwd) {
  daemon::RequestContext context;
  context.caller.cwd = std::move(cwd);
  return context;
}

} // namespace

TEST_SUITE("skill_read") {
  TEST_CASE("SKILL.md comes with the folder and the files of the skill") {
    SkillsWorld world;
    world.skill(".agents/skills/a", "reads well");
    world.file(".agents/skills/a/scripts/run.sh", "echo\n");
    world.file(".agents/skills/a/.git/config", "secret\n");
    std::filesystem::permissions(world / ".agents/skills/a/scripts/run.sh",
                                 std::filesystem::perms::owner_all);
    auto result = world.call(k_skill_read, reading("a"));
    REQUIRE(result);
    CHECK(result->skill == "a");
    CHECK(result->file == "SKILL.md");
    CHECK(result->text.find("reads well") != std::string::npos);
    CHECK(result->size == static_cast<std::int64_t>(result->text.size()));
    CHECK_FALSE(result->next_offset);
    CHECK(result->folder == (world / ".agents/skills/a"));
    REQUIRE(result->files.size() == 2);
    CHECK(result->files[1].path == "scripts/run.sh");
    CHECK(result->files[1].executable);
    CHECK(world.call(k_skill_read, reading("a", "scripts/run.sh"))->text == "echo\n");
    CHECK(world.call(k_skill_read, reading(world / ".agents/skills/a"))->skill == "a");
    CHECK(world.call(k_skill_read, reading(world / ".agents/skills/a/SKILL.md"))->skill == "a");
    CHECK(world.call(k_skill_read, reading("./a/"), in_folder(world / ".agents/skills"))->skill
          == "a");
  }

  TEST_CASE("long files come in parts that never cut a letter") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    std::string text = "aé漢😀";
    for (int i = 0; i < 6; ++i) {
      text += text;
    }
    world.file(".agents/skills/a/long.md", text);
    for (std::int64_t limit : {1, 2, 3, 5, 7, 64}) {
      SkillReadParams params = reading("a", "long.md");
      params.limit = limit;
      std::string whole;
      for (int calls = 0; calls < 2000; ++calls) {
        auto part = world.call(k_skill_read, params);
        REQUIRE(part);
        CHECK(is_utf8(part->text));
        CHECK(part->text.find("\xEF\xBF\xBD") == std::string::npos);
        whole += part->text;
        if (!part->next_offset) {
          break;
        }
        REQUIRE(*part->next_offset > params.offset);
        params.offset = *part->next_offset;
      }
      CHECK(whole == text);
    }
    SkillReadParams inside = reading("a", "long.md");
    inside.offset = 2; // the second byte of é
    inside.limit = 5;
    CHECK(world.call(k_skill_read, inside)->text == "é漢");
    inside.offset = 1'000'000;
    CHECK(world.call(k_skill_read, inside)->text.empty());
    CHECK_FALSE(world.call(k_skill_read, inside)->next_offset);
  }

  TEST_CASE("a path leads to files of the skill and nowhere else") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    world.file("secret", "s3cret");
    world.file(".agents/skills/a/inside.md", "inside\n");
    world.file(".agents/skills/a/.git/config", "s3cret");
    world.file(".agents/skills/ab/x", "s3cret"); // a name that begins like the skill's
    world.link(".agents/skills/a/good", "inside.md");
    world.link(".agents/skills/a/out", "../../../secret");
    world.link(".agents/skills/a/absolute", world / "secret");
    world.link(".agents/skills/a/folder", "../../..");
    world.link(".agents/skills/a/proc", "/proc/self/root");
    world.link(".agents/skills/a/loop", "loop");
    REQUIRE(::mkfifo((world / ".agents/skills/a/pipe").c_str(), 0600) == 0);
    CHECK(world.call(k_skill_read, reading("a", "good"))->text == "inside\n");
    for (std::string file : {"../../../secret",
                             "../ab/x",
                             "scripts/../../../../secret",
                             "/etc/passwd",
                             "//etc/passwd",
                             "./inside.md",
                             "inside.md/",
                             "a//b",
                             ".git/config",
                             ".",
                             "..",
                             "out",
                             "absolute",
                             "folder/secret",
                             "proc/etc/passwd",
                             "loop",
                             "pipe",
                             "inside.md/x",
                             "..\\..\\secret"}) {
      CAPTURE(file);
      auto result = world.call(k_skill_read, reading("a", file));
      REQUIRE_FALSE(result);
      CHECK((result.error().code == ErrorCode::not_found
             || result.error().code == ErrorCode::refused));
      CHECK(result.error().message.find("s3cret") == std::string::npos);
    }
    auto zero = world.call(k_skill_read, reading("a", std::string("inside.md\0x", 11)));
    REQUIRE_FALSE(zero);
    CHECK(zero.error().code == ErrorCode::not_found);
  }

  TEST_CASE("a skill outside the known folders is none, also behind a link") {
    SkillsWorld world;
    world.skill("elsewhere/hidden", "s3cret");
    world.skill(".agents/skills/real", "real text");
    world.link(".agents/skills/out", world / "elsewhere/hidden");
    world.link(".claude/skills/other-name", "../../.agents/skills/real");
    auto code = [&](std::string skill) {
      auto result = world.call(k_skill_read, reading(std::move(skill)));
      return result ? ErrorCode::internal : result.error().code;
    };
    CHECK(code(world / "elsewhere/hidden") == ErrorCode::not_found);
    CHECK(code("out") == ErrorCode::refused);
    CHECK(code(world / ".agents/skills/out") == ErrorCode::refused);
    CHECK(code(world / ".agents/skills/../../elsewhere/hidden") == ErrorCode::not_found);
    CHECK(code("../../elsewhere/hidden") == ErrorCode::not_found);
    CHECK(code("..") == ErrorCode::not_found);
    CHECK(code("") == ErrorCode::not_found);
    CHECK(code(std::string("a\0b", 3)) == ErrorCode::not_found);
    CHECK(code(std::string(100'000, '/')) == ErrorCode::not_found);
    CHECK(world.call(k_skill_read, reading("other-name"))->text.find("real text")
          != std::string::npos);
  }

  TEST_CASE("names that are nearly right are suggested") {
    SkillsWorld world;
    world.skill(".agents/skills/pdf-forms");
    world.file(".agents/skills/pdf-forms/references/fields.md", "x");
    auto skill = world.call(k_skill_read, reading("pdf-from"));
    REQUIRE_FALSE(skill);
    CHECK(skill.error().message == "`pdf-from` is no skill that is known here");
    CHECK(skill.error().hint == "did you mean `pdf-forms`?");
    CHECK(world.call(k_skill_read, reading("FORMS")).error().hint == "did you mean `pdf-forms`?");
    CHECK(world.call(k_skill_read, reading("zzzzzz")).error().hint
          == "`skill_list` finds skills by words");
    auto file = world.call(k_skill_read, reading("pdf-forms", "reference/fields.md"));
    REQUIRE_FALSE(file);
    CHECK(file.error().message == "skill `pdf-forms` has no file `reference/fields.md`");
    CHECK(file.error().hint == "did you mean `references/fields.md`?");
  }

  TEST_CASE("what is no text is told where it lies, and bad bytes of text become U+FFFD") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    world.file(".agents/skills/a/x.png", std::string("\x89PNG\0\0", 6));
    world.file(".agents/skills/a/latin.txt", "caf\xE9 au lait");
    auto binary = world.call(k_skill_read, reading("a", "x.png"));
    REQUIRE_FALSE(binary);
    CHECK(binary.error().message == "`x.png` of skill `a` is not text");
    CHECK(binary.error().hint == "it lies in `" + (world / ".agents/skills/a/x.png") + "`");
    CHECK(world.call(k_skill_read, reading("a", "latin.txt"))->text == "caf\xEF\xBF\xBD au lait");
  }

  TEST_CASE("the user's skill comes before a project's, unless the caller is in the project") {
    SkillsWorld world;
    world.skill(".agents/skills/both", "of the user");
    world.skill("work/.agents/skills/both", "of the project");
    world.skill("work/.agents/skills/own", "only here");
    SyncEnableParams enable;
    enable.project = world / "work";
    REQUIRE(world.call(k_sync_enable, enable));
    auto text = [&](const char* name, const std::string& cwd) {
      return world.call(k_skill_read, reading(name), in_folder(cwd))->text;
    };
    CHECK(text("both", "").find("of the user") != std::string::npos);
    CHECK(text("both", world / "work/sub").find("of the project") != std::string::npos);
    CHECK(text("both", world / "workshop").find("of the user") != std::string::npos);
    CHECK(text("own", "").find("only here") != std::string::npos);
  }

  TEST_CASE("bounds of parameters are kept, and a skill in small letters is read") {
    SkillsWorld world;
    world.file(".agents/skills/low/skill.md", "---\nname: low\ndescription: d\n---\n");
    CHECK(world.call(k_skill_read, reading("low"))->file == "skill.md");
    SkillReadParams params = reading("low");
    for (std::int64_t wrong : {0, -5, (1 << 20) + 1}) {
      params.limit = wrong;
      CHECK(world.call(k_skill_read, params).error().message
            == "params.limit: must be from 1 to 1048576");
    }
    params.limit = 1;
    params.offset = -1;
    CHECK(world.call(k_skill_read, params).error().message == "params.offset: is negative");
    params.offset = INT64_MAX;
    CHECK(world.call(k_skill_read, params)->text.empty());
  }
}
