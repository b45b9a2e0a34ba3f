#include "clients/cli/diff_view.h"
#include "clients_cli_shown.h"

using namespace upskill;
using namespace upskill::cli;
using clients_test::Shown;
using clients_test::shown;

namespace {

constexpr std::string_view k_diff = "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -1,2 +1,2 @@\n Do it.\n"
                                    "-Use a pen.\n+Use a pencil.\n";

UpdatedSkill skill(std::string name, UpdateState state) {
  UpdatedSkill skill{std::move(name), "user", state};
  skill.source = "github.com/owner/repo";
  skill.ref = "main";
  skill.before = "1111111111111111";
  skill.after = "2222222222222222";
  return skill;
}

UpdateResult result_of(std::vector<UpdatedSkill> skills) {
  UpdateResult result;
  result.skills = std::move(skills);
  result.current = 12;
  result.any_new = true;
  return result;
}

} // namespace

TEST_SUITE("render update") {
  TEST_CASE("what a new version may do besides comes before its diff") {
    UpdatedSkill pdf = skill("pdf", UpdateState::available);
    pdf.diff = k_diff;
    pdf.gains = {{"host", "x.example", "SKILL.md", 9},
                 {"hook", "PostToolUse", "SKILL.md", 4, true}};
    UpdateResult plan = result_of({pdf});
    plan.dry_run = true;
    Shown seen = shown({"update", "--dry-run"}, plan);
    CHECK(seen.has("\npdf  new version\n"
                   "  It may do what the version before did not:\n"
                   "    + a hook `PostToolUse` (SKILL.md:4), without anybody being asked\n"
                   "    + the address `x.example` (SKILL.md:9)\n"
                   "  --- a/SKILL.md\n"
                   "  +++ b/SKILL.md\n"
                   "  @@ -1,2 +1,2 @@\n"
                   "   Do it.\n"
                   "  -Use a pen.\n"
                   "  +Use a pencil.\n"));
    CHECK(seen.has("12 skills have nothing new."));
    CHECK(seen.code == k_done);
    CHECK(shown({"update", "--dry-run"}, plan, 120).has("- Use a pen."));
  }

  TEST_CASE("what is outdated is a table") {
    UpdatedSkill edited = skill("docx", UpdateState::available);
    edited.edited = true;
    edited.diff = k_diff;
    Shown seen = shown({"outdated"}, result_of({edited, skill("pdf", UpdateState::current)}), 100);
    CHECK(seen.has("  SKILL  HERE      THERE                               SOURCE\n"
                   "  docx   11111111  22222222  new version, edited here  github.com/owner/repo, "
                   "main\n"
                   "  pdf    11111111  22222222  current "));
    CHECK_FALSE(seen.has("Use a pen."));
    CHECK(seen.has("`upskill update` shows what changed"));
    CHECK(seen.code == k_done); // it was only asked
  }

  TEST_CASE("--check says no where something is new, and does not take a dead source for none") {
    UpdateResult fresh = result_of({});
    fresh.any_new = false;
    CHECK(shown({"update", "--check"}, fresh).code == k_done);
    CHECK(shown({"update", "--check"}, fresh).has("None of 12 installed skills has anything new."));
    UpdateResult stale = result_of({skill("pdf", UpdateState::available)});
    CHECK(shown({"update", "--check"}, stale).code == k_answer_is_no);
    UpdateResult dead = result_of({skill("pdf", UpdateState::failed)});
    dead.any_new = false;
    CHECK(shown({"update", "--check"}, dead).code == k_could_not);
  }

  TEST_CASE("an update ends with what it could do") {
    auto code = [](std::vector<std::string_view> words, UpdateState state) {
      return shown(std::move(words), result_of({skill("pdf", state)})).code;
    };
    CHECK(code({"update", "--yes"}, UpdateState::updated) == 0);
    CHECK(code({"update", "--yes"}, UpdateState::conflict) == 0);
    CHECK(code({"update", "--yes"}, UpdateState::gone) == 0);
    CHECK(code({"update", "--yes"}, UpdateState::missing) == 0);
    CHECK(code({"update", "pdf", "--yes"}, UpdateState::missing) == 3);
    CHECK(code({"update", "--yes"}, UpdateState::dangerous) == 1);
    CHECK(code({"update", "--yes"}, UpdateState::failed) == 3);
  }

  TEST_CASE("what needs a hand names the next command") {
    UpdatedSkill conflict = skill("pdf", UpdateState::conflict);
    conflict.conflict = 7;
    UpdatedSkill evil = skill("evil", UpdateState::dangerous);
    evil.findings = {{"x", DangerSeverity::severe, "SKILL.md", 3}};
    UpdatedSkill gone = skill("old", UpdateState::gone);
    Shown seen = shown({"update", "--yes"}, result_of({conflict, evil, gone}), 100);
    CHECK(seen.has("you and the source changed the same; it is conflict 7"));
    CHECK(seen.has("`upskill sync conflicts pdf`"));
    CHECK(seen.has("`upskill sync resolve pdf loser`"));
    CHECK(seen.has("    upskill update evil --allow evil@22222222\n"));
    CHECK(seen.has("`upskill remove old`"));
    CHECK(seen.has("`upskill sync undo` takes it back"));
  }

  TEST_CASE("what a new version may do besides is told also to who saw no plan") {
    UpdatedSkill wider = skill("pdf", UpdateState::updated);
    wider.gains = {{"host", "evil.example.com", "SKILL.md", 9}};
    wider.diff = "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -1 +1 @@\n-old\n+new\n";
    Shown seen = shown({"update", "--yes"}, result_of({wider}), 100);
    CHECK(seen.has("evil.example.com"));
    CHECK_FALSE(seen.has("+new")); // that is for the plan
  }

  TEST_CASE("a project's skills are told apart, and their commands say so") {
    UpdatedSkill evil = skill("evil", UpdateState::dangerous);
    evil.scope = "/home/ann/p";
    Shown seen = shown({"update", "--project", "/home/ann/p"}, result_of({evil}), 100);
    CHECK(seen.has("~/p"));
    CHECK(seen.has("    upskill update evil --project ~/p --allow evil@22222222\n"));
  }

  TEST_CASE("where nothing was installed, it says how") {
    Shown seen = shown({"update"}, UpdateResult{});
    CHECK(seen.has("Nothing was installed from a source."));
    CHECK(seen.has("`upskill install SOURCE`"));
  }
}

TEST_SUITE("diff of several files") {
  TEST_CASE("is told apart by its hunks, not by lines that look like its heads") {
    std::string diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/no\n+++ b/no\n same\n"
                       "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n"
                       "\\ No newline at end of file\n"
                       "--- /dev/null\n+++ b/z\n@@ -0,0 +1 @@\n+z\n";
    std::vector<std::string_view> parts = parts_of_diff(diff);
    REQUIRE(parts.size() == 3);
    CHECK(parts[0].starts_with("--- a/x"));
    CHECK(parts[0].ends_with(" same\n"));
    CHECK(parts[1].starts_with("--- a/y"));
    CHECK(parts[2].starts_with("--- /dev/null"));
    CHECK(parts_of_diff("").empty());
    CHECK(parts_of_diff("one sentence").size() == 1);
    // What is cut off, or lies about its length, is still shown whole.
    CHECK(parts_of_diff("@@ -1,9 +1,9 @@\n-a\n").size() == 1);
    CHECK(parts_of_diff("@@ -1,99999999999999999999 +1 @@\n-a\n").size() == 1);
  }
}

TEST_SUITE("render remove") {
  TEST_CASE("says what goes, what stays, and how it comes back") {
    RemovedSkill pdf{"pdf", "user", "3f9a2c1d77e0"};
    pdf.paths = {"/home/ann/.agents/skills/pdf"};
    pdf.written = {"/home/ann/.codex/skills/pdf"};
    pdf.kept = {"/home/ann/.claude/skills/pdf"};
    RemoveResult result;
    result.skills = {pdf};
    Shown seen = shown({"rm", "pdf", "-a", "cursor"}, result);
    CHECK(seen.out
          == "Removed\n"
             "\n"
             "pdf\n"
             "  -  ~/.agents/skills/pdf  in the trash\n"
             "  +  ~/.codex/skills/pdf  for the other agents\n"
             "  =  ~/.claude/skills/pdf  stays\n"
             "\n"
             "Nothing is lost: `upskill sync undo` brings it back, and later\n"
             "`upskill rollback pdf 3f9a2c1d`.\n");
    CHECK(seen.code == k_done);
    result.dry_run = true;
    CHECK(shown({"remove", "pdf"}, result).has("What would be removed"));
    result.skills.front().paths.clear();
    CHECK(shown({"remove", "pdf"}, result).has("  Nothing of it goes.\n"));
    CHECK_FALSE(shown({"remove", "pdf"}, result).has("Nothing is lost"));
  }
}

TEST_SUITE("render rollback") {
  TEST_CASE("its versions are a table") {
    RollbackResult result{"pdf"};
    result.versions = {{2, "2222222222", "2026-11-21T05:51:14Z", "edited", true},
                       {1, "1111111111", "2026-11-20T05:51:14Z", "install", false, true}};
    Shown seen = shown({"rollback", "pdf", "--list"}, result);
    CHECK(seen.out
          == "pdf  2 versions are known\n"
             "  VERSION  HASH      SINCE\n"
             "        2  22222222  2026-11-21 05:51  in place              edited\n"
             "        1  11111111  2026-11-20 05:51  as its source had it  install\n"
             "\n"
             "`upskill rollback pdf VERSION` puts one in place, by its number or its hash.\n");
  }

  TEST_CASE("shows what changes, and how that is taken back") {
    RollbackResult result{"pdf", "user", "2222222222", "1111111111"};
    result.diff = k_diff;
    result.paths = {"/home/ann/.claude/skills/pdf"};
    Shown seen = shown({"rollback", "pdf"}, result);
    CHECK(seen.has("pdf  22222222 → 11111111\n"));
    CHECK(seen.has("  -Use a pen.\n"));
    CHECK(seen.has("  ~  ~/.claude/skills/pdf  written\n"));
    CHECK(seen.has("`upskill rollback pdf 22222222`"));
    result.after = result.before;
    CHECK(shown({"rollback", "pdf"}, result).out
          == "`pdf` is in that version already, 22222222.\n");
  }
}
