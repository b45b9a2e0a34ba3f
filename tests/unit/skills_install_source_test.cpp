#include "skills/install/record.h"
#include "skills/install/source.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::install;
using upskill::tests::put_file;
using upskill::tests::TemporaryFolder;

namespace {

using Kind = SourceKind;

Source read(std::string_view words, const SourceSetting& setting = {}) {
  CAPTURE(words);
  Result<Source> source = parse_source(words, setting);
  REQUIRE_MESSAGE(source.has_value(), (source ? "" : source.error().message));
  return std::move(*source);
}

Error error_of(std::string_view words, const SourceSetting& setting = {}) {
  CAPTURE(words);
  Result<Source> source = parse_source(words, setting);
  REQUIRE_FALSE(source);
  return source.error();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// What the words are of a repository: kind git, and the rest as it is named.
struct GitForm {
  std::string_view words;
  std::string_view name;
  std::string_view type;
  std::string_view address;
  std::string_view ref = {};
  std::string_view folder = {};
  std::string_view skill = {};
};

void check_git(const GitForm& form) {
  CAPTURE(form.words);
  Source source = read(form.words);
  CHECK(source.kind == Kind::git);
  CHECK(source.name == form.name);
  CHECK(source.type == form.type);
  CHECK(source.address == form.address);
  CHECK(source.ref == form.ref);
  CHECK(source.folder == form.folder);
  std::vector<std::string> skills;
  if (!form.skill.empty()) {
    skills.emplace_back(form.skill);
  }
  CHECK(source.skills == skills);
  CHECK(read(words_of(source)) == source);
}

constexpr std::string_view k_at_github = "https://github.com/owner/repo.git";

} // namespace

TEST_SUITE("parse_source") {
  TEST_CASE("what says who asks is asked with, and neither recorded nor said again") {
    for (const std::string& words :
         {std::string("https://example.com/pdf.zip?v=2&token=hidden"),
          std::string("https://example.com/pdf.zip?X-Amz-Signature=hidden&v=2"),
          std::string("https://gitlab.com/g/r/-/raw/main/SKILL.md?private_token=hidden"),
          std::string("mcp:https://example.com/mcp?api_key=hidden"),
          std::string("https://example.com/?key=hidden")}) {
      CAPTURE(words);
      Source source = read(words);
      CHECK(address_of(source).find("=hidden") != std::string::npos);
      CHECK(words_of(source).find("hidden") == std::string::npos);
      InstallRecord record;
      InstallRow row;
      row.skill = "pdf";
      row.source = source;
      record.put(row);
      CHECK(record.text().find("hidden") == std::string::npos);
    }
    CHECK(address_of(read("https://example.com/pdf.zip?token=t&v=2&sig=s"))
          == "https://example.com/pdf.zip?v=2&token=t&sig=s");
    CHECK(address_of(read("https://example.com/pdf.zip?v=2")) == "https://example.com/pdf.zip?v=2");
    for (const char* words : {"https://example.com/x.exe?token=hidden",
                              "https://example.com:0/?token=hidden",
                              "https://github.com/o?token=hidden",
                              "https://github.com/o/r/issues?token=hidden"}) {
      CAPTURE(words);
      Result<Source> source = parse_source(words, {});
      REQUIRE_FALSE((source && source->kind != SourceKind::well_known));
      CHECK((source || source.error().message.find("hidden") == std::string::npos));
    }
  }

  TEST_CASE("GitHub in short") {
    for (const GitForm& form : std::vector<GitForm>{
             {"owner/repo", "owner/repo", "github", k_at_github},
             {"  owner/repo\n", "owner/repo", "github", k_at_github},
             {"owner/repo.git", "owner/repo", "github", k_at_github},
             {"owner/repo/", "owner/repo", "github", k_at_github},
             {"github:owner/repo", "owner/repo", "github", k_at_github},
             {"Owner/Re.po_1", "Owner/Re.po_1", "github", "https://github.com/Owner/Re.po_1.git"},
             {"owner/repo@pdf", "owner/repo", "github", k_at_github, "", "", "pdf"},
             {"owner/repo@a b@c", "owner/repo", "github", k_at_github, "", "", "a b@c"},
             {"owner/repo/skills/pdf", "owner/repo", "github", k_at_github, "", "skills/pdf"},
             {"owner/repo/skills/pdf/SKILL.md",
              "owner/repo",
              "github",
              k_at_github,
              "",
              "skills/pdf"},
             {"owner/repo/./skills//pdf/", "owner/repo", "github", k_at_github, "", "skills/pdf"},
             {"owner/repo/@scope/x", "owner/repo", "github", k_at_github, "", "@scope/x"},
             {"owner/repo/a b", "owner/repo", "github", k_at_github, "", "a b"},
             {"owner/repo/a%23b%25", "owner/repo", "github", k_at_github, "", "a#b%"},
             {"owner/repo#v1.2", "owner/repo", "github", k_at_github, "v1.2"},
             {"owner/repo#feature/x", "owner/repo", "github", k_at_github, "feature/x"},
             {"owner/repo#v1@pdf", "owner/repo", "github", k_at_github, "v1", "", "pdf"},
             {"owner/repo#@pdf", "owner/repo", "github", k_at_github, "", "", "pdf"},
             {"owner/repo#pkg%401.0", "owner/repo", "github", k_at_github, "pkg@1.0"},
             {"owner/repo/skills#v1@pdf",
              "owner/repo",
              "github",
              k_at_github,
              "v1",
              "skills",
              "pdf"}}) {
      check_git(form);
    }
  }

  TEST_CASE("addresses of GitHub") {
    for (const GitForm& form : std::vector<GitForm>{
             {"https://github.com/owner/repo", "owner/repo", "github", k_at_github},
             {"HTTPS://GitHub.com/owner/repo/", "owner/repo", "github", k_at_github},
             {"http://www.github.com/owner/repo.git", "owner/repo", "github", k_at_github},
             {"https://me@github.com/owner/repo", "owner/repo", "github", k_at_github},
             {"https://github.com/owner/repo#v1", "owner/repo", "github", k_at_github, "v1"},
             {"https://github.com/owner/repo?tab=readme", "owner/repo", "github", k_at_github},
             {"https://github.com/owner/repo/tree/main",
              "owner/repo",
              "github",
              k_at_github,
              "main"},
             {"https://github.com/owner/repo/tree/main/skills/pdf",
              "owner/repo",
              "github",
              k_at_github,
              "main",
              "skills/pdf"},
             {"https://github.com/owner/repo/tree/feature%2Fx/a%20b",
              "owner/repo",
              "github",
              k_at_github,
              "feature/x",
              "a b"},
             {"https://github.com/owner/repo/blob/main/skills/pdf/SKILL.md",
              "owner/repo",
              "github",
              k_at_github,
              "main",
              "skills/pdf"},
             {"https://github.com/owner/repo/blob/main/SKILL.md",
              "owner/repo",
              "github",
              k_at_github,
              "main"},
             {"https://github.com/owner/repo.git//skills/pdf#v1@x",
              "owner/repo",
              "github",
              k_at_github,
              "v1",
              "skills/pdf",
              "x"}}) {
      check_git(form);
    }
  }

  TEST_CASE("other hosts of repositories") {
    constexpr std::string_view k_company = "https://github.acme.com/owner/repo.git";
    constexpr std::string_view k_nested = "https://gitlab.com/group/sub/repo.git";
    constexpr std::string_view k_own = "http://git.acme.com:8080/a/b/c.git";
    constexpr std::string_view k_azure = "https://dev.azure.com/org/My%20Project/_git/repo";
    for (const GitForm& form : std::vector<GitForm>{
             {"https://github.acme.com/owner/repo", k_company, "git", k_company},
             {"https://github.acme.com/owner/repo/tree/v1/skills/pdf",
              k_company,
              "git",
              k_company,
              "v1",
              "skills/pdf"},
             {"https://acme.ghe.com/o/r",
              "https://acme.ghe.com/o/r.git",
              "git",
              "https://acme.ghe.com/o/r.git"},
             {"https://code.acme.com/o/r/tree/main/skills",
              "https://code.acme.com/o/r.git",
              "git",
              "https://code.acme.com/o/r.git",
              "main",
              "skills"},
             {"gitlab:group/sub/repo", "group/sub/repo", "gitlab", k_nested},
             {"gitlab:group/sub/repo@pdf", "group/sub/repo", "gitlab", k_nested, "", "", "pdf"},
             {"https://gitlab.com/group/sub/repo", "group/sub/repo", "gitlab", k_nested},
             {"https://gitlab.com/group/sub/repo/-/tree/main",
              "group/sub/repo",
              "gitlab",
              k_nested,
              "main"},
             {"https://gitlab.com/group/sub/repo/-/tree/main/skills/pdf",
              "group/sub/repo",
              "gitlab",
              k_nested,
              "main",
              "skills/pdf"},
             {"https://gitlab.com/group/sub/repo/-/blob/main/skills/pdf/SKILL.md",
              "group/sub/repo",
              "gitlab",
              k_nested,
              "main",
              "skills/pdf"},
             {"http://git.acme.com:8080/a/b/c/-/tree/v1/x", k_own, "git", k_own, "v1", "x"},
             {"bitbucket:owner/repo#v1",
              "https://bitbucket.org/owner/repo.git",
              "git",
              "https://bitbucket.org/owner/repo.git",
              "v1"},
             {"https://bitbucket.org/owner/repo/src/main/skills/pdf/",
              "https://bitbucket.org/owner/repo.git",
              "git",
              "https://bitbucket.org/owner/repo.git",
              "main",
              "skills/pdf"},
             {"https://codeberg.org/o/r/src/branch/main/skills",
              "https://codeberg.org/o/r.git",
              "git",
              "https://codeberg.org/o/r.git",
              "main",
              "skills"},
             {"https://org@dev.azure.com/org/My%20Project/_git/repo", k_azure, "git", k_azure},
             {"https://dev.azure.com/org/My%20Project/_git/repo?version=GBmain",
              k_azure,
              "git",
              k_azure,
              "main"},
             {"https://dev.azure.com/org/My%20Project/_git/repo?path=%2Fskills%2Fa+b&version=GTv1",
              k_azure,
              "git",
              k_azure,
              "v1",
              "skills/a+b"},
             {"https://dev.azure.com/org/My%20Project/_git/repo?path=/skills/pdf/SKILL.md#@pdf",
              k_azure,
              "git",
              k_azure,
              "",
              "skills/pdf",
              "pdf"},
             {"https://EXAMPLE.com/a/b.git#v1@pdf",
              "https://example.com/a/b.git",
              "git",
              "https://example.com/a/b.git",
              "v1",
              "",
              "pdf"},
             {"https://example.com/a/b.git/",
              "https://example.com/a/b.git",
              "git",
              "https://example.com/a/b.git"}}) {
      check_git(form);
    }
  }

  TEST_CASE("addresses that only git takes") {
    for (const GitForm& form : std::vector<GitForm>{
             {"git@github.com:owner/repo.git",
              "git@github.com:owner/repo.git",
              "git",
              "git@github.com:owner/repo.git"},
             {"git@GitHub.com:owner/repo.git//skills#v1@pdf",
              "git@github.com:owner/repo.git",
              "git",
              "git@github.com:owner/repo.git",
              "v1",
              "skills",
              "pdf"},
             {"git@host:o/_git/r.git//skills",
              "git@host:o/_git/r.git",
              "git",
              "git@host:o/_git/r.git",
              "",
              "skills"},
             {"ssh://git@ssh.github.com:443/o/r.git",
              "ssh://git@ssh.github.com:443/o/r.git",
              "git",
              "ssh://git@ssh.github.com:443/o/r.git"},
             {"ssh://HOST:2222/~/r", "ssh://host:2222/~/r", "git", "ssh://host:2222/~/r"},
             {"git://me@host/r.git", "git://host/r.git", "git", "git://host/r.git"},
             {"FILE:///srv/r.git//a/b#v1",
              "file:///srv/r.git",
              "git",
              "file:///srv/r.git",
              "v1",
              "a/b"},
             {"file://localhost/srv/r", "file:///srv/r", "git", "file:///srv/r"}}) {
      check_git(form);
    }
  }

  TEST_CASE("files, hosts and servers") {
    struct Form {
      std::string_view words;
      Kind kind;
      std::string_view name;
      std::string_view type;
      std::string_view address;
      std::string_view skill = {};
    };

    for (const Form& form :
         std::vector<Form>{{"https://example.com/a/pdf.skill",
                            Kind::archive_at,
                            "https://example.com/a/pdf.skill",
                            "archive",
                            "https://example.com/a/pdf.skill"},
                           {"https://example.com/pdf.ZIP?v=2#@pdf",
                            Kind::archive_at,
                            "https://example.com/pdf.ZIP",
                            "archive",
                            "https://example.com/pdf.ZIP?v=2",
                            "pdf"},
                           {"http://localhost:8000/x.tar.gz",
                            Kind::archive_at,
                            "http://localhost:8000/x.tar.gz",
                            "archive",
                            "http://localhost:8000/x.tar.gz"},
                           {"https://github.com/o/r/archive/refs/heads/main.tar.gz",
                            Kind::archive_at,
                            "https://github.com/o/r/archive/refs/heads/main.tar.gz",
                            "archive",
                            "https://github.com/o/r/archive/refs/heads/main.tar.gz"},
                           {"https://github.com/o/r/releases/download/v1/pdf.skill",
                            Kind::archive_at,
                            "https://github.com/o/r/releases/download/v1/pdf.skill",
                            "archive",
                            "https://github.com/o/r/releases/download/v1/pdf.skill"},
                           {"https://github.com/o/r/blob/main/dist/pdf.skill",
                            Kind::archive_at,
                            "https://github.com/o/r/raw/main/dist/pdf.skill",
                            "archive",
                            "https://github.com/o/r/raw/main/dist/pdf.skill"},
                           {"https://codeload.github.com/o/r/zip/refs/heads/main",
                            Kind::archive_at,
                            "https://codeload.github.com/o/r/zip/refs/heads/main",
                            "archive",
                            "https://codeload.github.com/o/r/zip/refs/heads/main"},
                           {"https://gitlab.com/g/r/-/archive/v1/r-v1.zip",
                            Kind::archive_at,
                            "https://gitlab.com/g/r/-/archive/v1/r-v1.zip",
                            "archive",
                            "https://gitlab.com/g/r/-/archive/v1/r-v1.zip"},
                           {"https://raw.githubusercontent.com/o/r/main/pdf/SKILL.md",
                            Kind::document_at,
                            "https://raw.githubusercontent.com/o/r/main/pdf/SKILL.md",
                            "document",
                            "https://raw.githubusercontent.com/o/r/main/pdf/SKILL.md"},
                           {"https://docs.example.com/skill.md",
                            Kind::document_at,
                            "https://docs.example.com/skill.md",
                            "document",
                            "https://docs.example.com/skill.md"},
                           {"https://github.com/o/r/raw/main/pdf/SKILL.md",
                            Kind::document_at,
                            "https://github.com/o/r/raw/main/pdf/SKILL.md",
                            "document",
                            "https://github.com/o/r/raw/main/pdf/SKILL.md"},
                           {"https://gitlab.com/g/r/-/raw/main/SKILL.md",
                            Kind::document_at,
                            "https://gitlab.com/g/r/-/raw/main/SKILL.md",
                            "document",
                            "https://gitlab.com/g/r/-/raw/main/SKILL.md"},
                           {"https://www.Example.com/docs/#intro",
                            Kind::well_known,
                            "example.com",
                            "well-known",
                            "https://www.example.com/docs"},
                           {"https://example.com#@pdf",
                            Kind::well_known,
                            "example.com",
                            "well-known",
                            "https://example.com/",
                            "pdf"},
                           {"https://example.com/.well-known/agent-skills/index.json",
                            Kind::well_known,
                            "example.com",
                            "well-known",
                            "https://example.com/.well-known/agent-skills/index.json"},
                           {"mcp:https://Example.com/mcp",
                            Kind::mcp,
                            "https://example.com/mcp",
                            "mcp",
                            "https://example.com/mcp"},
                           {"mcp:http://127.0.0.1:9/mcp#skill://pdf/SKILL.md",
                            Kind::mcp,
                            "http://127.0.0.1:9/mcp",
                            "mcp",
                            "http://127.0.0.1:9/mcp",
                            "skill://pdf/SKILL.md"}}) {
      CAPTURE(form.words);
      Source source = read(form.words);
      CHECK(source.kind == form.kind);
      CHECK(source.name == form.name);
      CHECK(source.type == form.type);
      CHECK(source.address == form.address);
      CHECK(source.ref.empty());
      CHECK(source.folder.empty());
      REQUIRE(source.skills.size() == (form.skill.empty() ? 0u : 1u));
      if (!form.skill.empty()) {
        CHECK(source.skills.front() == form.skill);
      }
      CHECK(read(words_of(source)) == source);
    }
  }

  TEST_CASE("what lies on this machine") {
    TemporaryFolder home;
    std::filesystem::create_directories(home / "desk/skills");
    put_file(home / "desk/pdf.skill", "PK");
    put_file(home / "desk/x.tar.gz", "x");
    put_file(home / "desk/SKILL.md", "---\n---\n");
    put_file(home / "desk/notes.txt", "x");
    SourceSetting setting{.cwd = home / "desk", .home = home.path()};

    struct Form {
      std::string words;
      Kind kind;
      std::string address;
    };

    for (const Form& form :
         std::vector<Form>{{".", Kind::folder, home / "desk"},
                           {"..", Kind::folder, home.path()},
                           {"./skills", Kind::folder, home / "desk/skills"},
                           {"./skills/", Kind::folder, home / "desk/skills"},
                           {"../desk/./skills", Kind::folder, home / "desk/skills"},
                           {"~/desk", Kind::folder, home / "desk"},
                           {"~", Kind::folder, home.path()},
                           {home / "desk/skills", Kind::folder, home / "desk/skills"},
                           {"./pdf.skill", Kind::archive, home / "desk/pdf.skill"},
                           {"./x.tar.gz", Kind::archive, home / "desk/x.tar.gz"},
                           {"./SKILL.md", Kind::document, home / "desk/SKILL.md"}}) {
      CAPTURE(form.words);
      Source source = read(form.words, setting);
      CHECK(source.kind == form.kind);
      CHECK(source.address == form.address);
      CHECK(source.name == form.address);
      CHECK(source.type == "local");
      CHECK(read(words_of(source)) == source); // whoever reads it has no folder
    }
    CHECK(error_of("./nothing", setting).code == ErrorCode::not_found);
    CHECK(error_of("./notes.txt", setting).code == ErrorCode::invalid_argument);
    REQUIRE(::mkfifo((home / "desk/pipe.zip").c_str(), 0600) == 0);
    CHECK(error_of("./pipe.zip", setting).code == ErrorCode::invalid_argument);
    CHECK(has(error_of("./skills").message, "relative"));
    CHECK(has(error_of("~/desk").message, "home"));
  }

  TEST_CASE("a word is no folder, and is told how to be one") {
    TemporaryFolder here;
    std::filesystem::create_directories(here / "skills");
    SourceSetting setting{.cwd = here.path(), .home = here.path()};
    CHECK(has(error_of("skills", setting).hint, "`./skills`"));
    CHECK_FALSE(has(error_of("other", setting).hint, "./other"));
    CHECK(has(error_of("other", setting).hint, "owner/repo"));
    std::filesystem::create_directories(here / "owner/repo");
    CHECK(read("owner/repo", setting).kind == Kind::git);
  }

  TEST_CASE("what is no source is refused") {
    for (std::string_view words : {"",
                                   "   ",
                                   "word",
                                   "owner/",
                                   "owner//repo/x",
                                   "-x/repo",
                                   "owner/-repo",
                                   "owner/..",
                                   "~user/repo",
                                   "ow ner/repo",
                                   "owner/repo/../x",
                                   "owner/repo/%2e%2e/x",
                                   "owner/repo/a%0Ab",
                                   "owner/repo#-upload",
                                   "owner/repo#a..b",
                                   "owner/repo#a b",
                                   "owner/repo#a%00",
                                   "owner/repo@a#b@c",
                                   "own\xffr/repo",
                                   "owner/re\x1bpo",
                                   "owner/repo\x7f",
                                   "C:\\skills",
                                   "C:/skills",
                                   "ext::sh -c id",
                                   "fd::17",
                                   "ftp://example.com/x.zip",
                                   "svn+ssh://example.com/x",
                                   "https://",
                                   "https://github.com",
                                   "https://github.com/owner",
                                   "https://github.com/owner/repo/issues/1",
                                   "https://github.com/owner/repo/blob/main/README.md",
                                   "https://github.com/o/r/tree/main/%2e%2e/x",
                                   "https://github.com/o/r/tree/-x",
                                   "https://gitlab.com/group",
                                   "https://exa mple.com/x.git",
                                   "https://example.com:99999/x.git",
                                   "https://me:pw@example.com/x.git",
                                   "ssh://me:pw@example.com/x.git",
                                   "ssh://-oProxyCommand=id/x",
                                   "ssh://host?x/y",
                                   "ssh://host",
                                   "-oProxyCommand=id@host:x",
                                   "git@-host:x",
                                   "git@host:-x",
                                   "git@host:",
                                   "git@host::x",
                                   "file://server/srv/r",
                                   "mcp:example.com",
                                   "mcp:",
                                   "mcp:https://example.com/mcp#pdf"}) {
      Error error = error_of(words, {.cwd = "/", .home = "/"});
      CHECK(error.code == ErrorCode::invalid_argument);
      CHECK_FALSE(has(error.message, "\x1b"));
    }
    CHECK(error_of(std::string(5000, 'a') + "/b").code == ErrorCode::invalid_argument);
  }

  TEST_CASE("no message has a password in it") {
    for (std::string_view words : {"https://me:hunter2@example.com/x.git",
                                   "https://hunter2@example.com:x/x.git",
                                   "https://hunter2@github.com/owner",
                                   "ssh://me:hunter2@example.com/x",
                                   "ssh://hunter2@host",
                                   "me:hunter2@example.com/x",
                                   "me:hunter2@example.com:x/y",
                                   "ftp://me:hunter2@example.com/x"}) {
      Error error = error_of(words);
      CHECK_FALSE(has(error.message + error.hint, "hunter2"));
    }
    Source source = read("https://hunter2@example.com/x.git");
    CHECK_FALSE(has(source.name + source.address + words_of(source), "hunter2"));
  }

  TEST_CASE("whatever is a source says itself again") {
    const std::vector<std::string> pieces{
        "owner",       "repo",       "@",          "#",
        "https://",    "github.com", ".git",       "tree",
        "main",        "-",          "?",          "path=",
        ":",           "git@host",   "gitlab:",    "//",
        "%2F",         "%40",        "%",          "SKILL.md",
        ".zip",        "a b",        "\xC3\xA9",   "gitlab.com",
        "_git",        "&",          "version=GB", "..",
        "blob",        "ssh://",     "file:///",   "mcp:",
        "skill://",    "github:",    "src",        "bitbucket.org",
        "example.com", "raw",        "www.",       "h:22",
        "[::1]",       "~",          "'"};
    std::mt19937 random(8);
    int sources = 0;
    for (int round = 0; round < 200'000; ++round) {
      std::string words = pieces[random() % pieces.size()];
      for (unsigned more = random() % 12; more > 0; --more) {
        words += pieces[random() % pieces.size()];
      }
      if (words.starts_with('.') || words.starts_with('/') || words.starts_with('~')) {
        continue; // of this machine
      }
      Result<Source> source = parse_source(words, {});
      if (source) {
        ++sources;
        std::string again = words_of(*source);
        CAPTURE(words);
        CAPTURE(again);
        Result<Source> second = parse_source(again, {});
        REQUIRE(second.has_value());
        REQUIRE(*second == *source);
        REQUIRE_FALSE(("/" + source->folder + "/").find("/../") != std::string::npos);
      }
    }
    CHECK(sources > 1000);
  }
}
