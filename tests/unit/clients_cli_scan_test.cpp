#include "clients_cli_shown.h"

#include <algorithm>

using namespace upskill;
using namespace upskill::cli;
using clients_test::Shown;
using clients_test::shown;

namespace {

ScannedSkill skill(std::string name, DangerSeverity danger) {
  ScannedSkill skill{std::move(name)};
  skill.path = "/home/ann/work/skills/" + skill.skill;
  skill.hash = "3f9a2c1d77e0b4a85512";
  skill.danger = danger;
  if (danger != DangerSeverity::none) {
    skill.findings = {{"some-rule", danger, "SKILL.md", 12, 3, "what was found", "what it means"}};
  }
  return skill;
}

ScanResult result_of(std::vector<ScannedSkill> skills, DangerSeverity danger) {
  ScanResult result;
  result.skills = std::move(skills);
  result.danger = danger;
  return result;
}

} // namespace

TEST_SUITE("render scan") {
  TEST_CASE("tells what is dangerous and counts the rest") {
    Shown seen = shown({"scan", "skills"},
                       result_of({skill("evil", DangerSeverity::severe),
                                  skill("odd", DangerSeverity::note),
                                  skill("pdf", DangerSeverity::none)},
                                 DangerSeverity::severe));
    CHECK(seen.out
          == "evil  severe  ./skills/evil\n"
             "  severe  SKILL.md:12  some-rule\n"
             "    what it means\n"
             "    │ what was found\n"
             "  Once you have read it and know why, `--allow evil@3f9a2c1d` lets this version\n"
             "  pass, here as in `upskill install`.\n"
             "\n"
             "3 skills: 1 severe, 1 with notes only, 1 clean\n");
    CHECK(seen.code == k_answer_is_no);
  }

  TEST_CASE("shows all of them where that is asked for") {
    Shown seen =
        shown({"scan", "skills", "-v"},
              result_of({skill("odd", DangerSeverity::note), skill("pdf", DangerSeverity::none)},
                        DangerSeverity::note));
    CHECK(seen.has("odd  note  ./skills/odd\n  note  SKILL.md:12"));
    CHECK(seen.has("pdf  clean  ./skills/pdf\n"));
    CHECK(seen.code == k_done);
  }

  TEST_CASE("what a person has allowed does not fail it, and what cannot be read does") {
    ScannedSkill allowed = skill("evil", DangerSeverity::severe);
    allowed.allowed = true;
    Shown seen = shown({"scan", "x", "--allow", "evil@3f9a2c1d"},
                       result_of({allowed}, DangerSeverity::none));
    CHECK(seen.has("evil  severe  allowed  ./skills/evil"));
    CHECK(seen.has("1 skill: 1 severe and allowed"));
    CHECK_FALSE(seen.has("--allow"));
    CHECK(seen.code == k_done);
    ScannedSkill broken = skill("broken", DangerSeverity::none);
    broken.problem = "its archive is damaged";
    seen = shown({"scan", "x"}, result_of({broken}, DangerSeverity::none));
    CHECK(seen.has("broken  could not be read"));
    CHECK(seen.has("1 skill: 1 could not be read"));
    CHECK(seen.code == k_could_not);
  }

  TEST_CASE("SARIF is alone on stdout, and in a file it leaves the text there") {
    ScanResult result = result_of({skill("evil", DangerSeverity::severe)}, DangerSeverity::severe);
    result.sarif = R"({"version":"2.1.0"})";
    result.warnings = {"something"};
    Shown seen = shown({"scan", "x", "--format", "sarif"}, result);
    CHECK(seen.out == "{\"version\":\"2.1.0\"}\n");
    CHECK(seen.err == "1 skill: 1 severe\nwarning: something\n");
    CHECK(seen.code == k_answer_is_no);
    result.sarif.clear();
    result.output = "/home/ann/work/scan.sarif";
    seen = shown({"scan", "x", "--format", "sarif", "-o", "scan.sarif"}, result);
    CHECK(seen.has("evil  severe"));
    CHECK(seen.has("SARIF written to ./scan.sarif\n"));
  }
}

TEST_SUITE("render find") {
  TEST_CASE("each has its line to copy, which a hostile name cannot lengthen") {
    FindResult result;
    FoundOffer here{"pdf", "Works with PDF files."};
    here.installed = true;
    here.agents = {"codex"};
    FoundOffer there{"forms", "Fills in forms.", "owner/repo", "owner/repo --skill forms"};
    there.danger = DangerSeverity::warning;
    FoundOffer evil{"evil", std::string(900, 'x'), "h/x; rm -rf ~", "h/x; rm -rf ~ --skill evil"};
    result.skills = {here, there, evil};
    result.total = 3;
    result.sources = {{"owner/repo", 5}, {"dead.example", 0, "", "it does not answer"}};
    Shown seen = shown({"find", "pdf", "forms"}, result);
    CHECK(seen.has("pdf  here  codex\n  Works with PDF files.\n\n"));
    CHECK(seen.has(
        "forms  warning\n  Fills in forms.\n  upskill install owner/repo --skill forms\n"));
    CHECK(seen.has("  upskill install 'h/x; rm -rf ~' --skill evil\n"));
    CHECK(seen.has("3 skills\n"));
    CHECK(seen.has("warning: `dead.example` could not be read: it does not answer\n"));
    CHECK(std::count(seen.out.begin(), seen.out.end(), 'x') < 300);
    CHECK(seen.code == k_done);
  }

  TEST_CASE("says where it has not looked") {
    Shown seen = shown({"find", "pdf"}, FindResult{});
    CHECK(seen.has("No skill was found for these words.\n"));
    CHECK(seen.has("no source is configured"));
    CHECK_FALSE(shown({"find", "pdf", "--source", "x/y"}, FindResult{}).has("configured"));
  }
}

TEST_SUITE("render pack and init") {
  TEST_CASE("a package has its digest") {
    PackResult result{"pdf", "/home/ann/work/pdf.skill", "sha256:abcd", 3174};
    result.files = {"SKILL.md", "scripts/x.py"};
    result.left_out = {"evals/evals.json"};
    CHECK(shown({"pack", "pdf"}, result).out
          == "pdf packed into ./pdf.skill: 2 files, 3.1 KB\n"
             "  sha256:abcd\n"
             "  Left out: evals/evals.json\n"
             "`upskill install ./pdf.skill` installs it; the same skill packs to the same\n"
             "bytes.\n");
    result.dry_run = true;
    Shown seen = shown({"pack", "pdf", "--dry-run"}, result);
    CHECK(seen.has("pdf would be packed into ./pdf.skill"));
    CHECK(seen.has("  + scripts/x.py\n"));
  }

  TEST_CASE("a start says what to do next") {
    InitResult result{"pdf", "/home/ann/work/pdf", {"SKILL.md", "evals/evals.json"}};
    Shown seen = shown({"init", "pdf", "-o", "pdf"}, result);
    CHECK(seen.has("pdf started in ./pdf\n  + SKILL.md\n  + evals/evals.json\n"));
    CHECK(seen.has("`upskill validate ./pdf`"));
    CHECK(seen.has("`upskill eval ./pdf -m MODEL`"));
  }
}
