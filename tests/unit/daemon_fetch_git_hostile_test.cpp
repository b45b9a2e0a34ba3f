#include "daemon/await.h"
#include "daemon/fetch/git_remote.h"
#include "tests/unit/daemon_fetch_git_world.h"

#include <sys/stat.h>

using namespace fetch_git_test;

namespace {

bool is_there(const std::string& path) {
  return std::filesystem::exists(std::filesystem::symlink_status(path));
}

} // namespace

TEST_SUITE("look_at_git and who means badly") {
  TEST_CASE("an option is neither an address nor a ref") {
    World world;
    world.two_skills();
    const std::string touch = "touch " + (world.folder / "touched");
    for (const std::string& address : {"--upload-pack=" + touch,
                                       std::string("-x"),
                                       "ext::sh -c '" + touch + "'",
                                       "ext::" + touch,
                                       std::string("ssh://-oProxyCommand=touch/x"),
                                       std::string("-oProxyCommand=touch:x"),
                                       std::string("ftp://example.test/x"),
                                       std::string("file://relative"),
                                       std::string("https://ada:secret@example.test/x"),
                                       std::string("/etc"),
                                       std::string()}) {
      CAPTURE(address);
      CHECK(world.look(address).error().code == ErrorCode::invalid_argument);
    }
    for (const std::string& ref : {"--upload-pack=" + touch,
                                   std::string("-b"),
                                   std::string("a b"),
                                   std::string("a:b"),
                                   std::string("+a"),
                                   std::string("refs/heads/*"),
                                   std::string("a..b"),
                                   std::string("a\nb")}) {
      CAPTURE(ref);
      Result<Offer> offer = world.look(world.file_url("two.git"), ref);
      CHECK(offer.error().code
            == (ref == "+a" ? ErrorCode::not_found : ErrorCode::invalid_argument));
    }
    CHECK_FALSE(is_there(world.folder / "touched"));
  }

  TEST_CASE("others than a person name no file, no ssh host and no git host") {
    World world;
    world.two_skills();
    FileServer server(world.folder.path());
    world.asked_with.by = NamedBy::other;
    CHECK(world.look(world.file_url("two.git")).error().code == ErrorCode::refused);
    CHECK(world.look("git@example.test:o/r.git").error().code == ErrorCode::refused);
    CHECK(world.look(server.git_url("/two.git")).error().code == ErrorCode::refused);
    world.asked_with.private_hosts = {"127.0.0.1:" + server.git_port};
    Result<Offer> offer = world.look(server.git_url("/two.git"));
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    REQUIRE(offer->warnings.size() == 1);
    CHECK(offer->warnings[0].find("anyone on the way can change it") != std::string::npos);
  }

  TEST_CASE("what git may take, and what a server may send it to") {
    World world;
    world.two_skills();
    tests::put_file(world.folder / "home/.gitconfig",
                    "[transfer]\nbundleURI = true\n[fetch]\nuriProtocols = https\n"
                    "[alias]\nlimit = !ulimit -d\n");
    std::vector<std::string> told;
    world.run([](World* asking, std::vector<std::string>* into) -> asio::awaitable<void> {
      AWAIT(Result<GitRemote> remote,
            GitRemote::reach(asking->http,
                             asking->file_url("two.git"),
                             "two",
                             asking->folder / "scratch",
                             asking->setting()));
      REQUIRE(remote);
      for (const char* words :
           {"limit", "config --get transfer.bundleURI", "config --get fetch.uriProtocols"}) {
        std::vector<std::string> arguments;
        for (std::string_view rest = words; !rest.empty();) {
          std::string_view word = rest.substr(0, rest.find(' '));
          arguments.emplace_back(word);
          rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        }
        AWAIT(Result<std::string> said, remote->tell(std::move(arguments)));
        into->push_back(said ? *said : said.error().message);
      }
    }(&world, &told));
    CHECK(told == std::vector<std::string>{"2097152\n", "false\n", "\n"});
  }

  TEST_CASE("no hook and no filter runs, and the files are those of the commit") {
    World world;
    world.shell(
        "git init -q -b main evil.git; cd evil.git; skill . evil\n"
        "printf '* filter=evil text eol=crlf ident\\n' >.gitattributes; printf '$Id$\\n' >id\n"
        "git add -A; git commit -qm first");
    const std::string touch = "touch " + (world.folder / "touched");
    const std::string hooks = world.folder / "home/template/hooks";
    std::filesystem::create_directories(hooks);
    for (const char* hook : {"post-checkout", "post-merge", "reference-transaction"}) {
      tests::put_file(hooks + "/" + hook, "#!/bin/sh\n" + touch + "\n");
      ::chmod((hooks + "/" + hook).c_str(), 0755);
    }
    tests::put_file(world.folder / "home/.gitconfig",
                    "[init]\ntemplateDir = " + (world.folder / "home/template")
                        + "\n[core]\nhooksPath = " + hooks
                        + "\nautocrlf = true\n[filter \"evil\"]\nsmudge = \"" + touch
                        + "; cat\"\nrequired = true\n");
    Result<Offer> offer = world.look(world.file_url("evil.git"));
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(tests::file_text(offer->skills[0].folder + "/id") == "$Id$\n");
    CHECK_FALSE(is_there(world.folder / "touched"));
  }

  TEST_CASE("links are kept as links, and none is followed out") {
    World world;
    std::filesystem::create_directories(world.folder / "files/secret");
    tests::put_file(world.folder / "files/secret/SKILL.md",
                    "---\nname: secret\ndescription: d\n---\n");
    world.shell("git init -q -b main links.git; cd links.git; skill skills/one one\n"
                "ln -s "
                + (world.folder / "files/secret")
                + " skills/secret; ln -s /etc/passwd skills/one/passwd\n"
                  "git add -A; git commit -qm first");
    Result<Offer> offer = world.look(world.file_url("links.git"));
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(names_of(*offer) == std::vector<std::string>{"one"});
    CHECK(std::filesystem::is_symlink(offer->skills[0].folder + "/passwd"));
  }

  TEST_CASE("a link in place of the folder that was named is not followed") {
    World world;
    tests::put_file(world.folder / "files/SKILL.md", "---\nname: secret\ndescription: d\n---\n");
    world.shell("git init -q -b main out.git; cd out.git; skill skills/one one\n"
                "ln -s "
                + (world.folder / "files") + " out; git add -A; git commit -qm first");
    CHECK_FALSE(world.look(world.file_url("out.git"), {}, "out"));
  }

  TEST_CASE("what was not fetched is told: a submodule, and files of LFS") {
    World world;
    world.two_skills();
    world.shell(
        "git init -q -b main parts.git; cd parts.git; skill skills/one one\n"
        "git -c protocol.file.allow=always submodule --quiet add ../two.git skills/one/two\n"
        "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 9\\n' 0 "
        ">skills/one/model.bin\n"
        "git add -A; git commit -qm first");
    Result<Offer> offer = world.look(world.file_url("parts.git"));
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(names_of(*offer) == std::vector<std::string>{"one"});
    CHECK(std::filesystem::is_empty(offer->skills[0].folder + "/two"));
    REQUIRE(offer->warnings.size() == 2);
    CHECK(offer->warnings[0] == "`skills/one/two` is a submodule: it was not fetched");
    CHECK(offer->warnings[1]
          == "`skills/one/model.bin` is kept in git LFS: only the pointer to it was fetched");
  }

  TEST_CASE("a small pack that would be thousands of megabytes is not checked out") {
    World world;
    world.shell(
        "git init -q -b main bomb.git; cd bomb.git; skill . bomb; git add -A\n"
        "blob=$(head -c 1048576 /dev/zero | git hash-object -w --stdin)\n"
        "for i in {1..1100}; do echo \"100644 $blob\tf$i\"; done | git update-index --index-info\n"
        "git commit -qm first");
    Result<Offer> offer = world.look(world.file_url("bomb.git"));
    REQUIRE_FALSE(offer);
    CHECK(offer.error().code == ErrorCode::too_large);
    CHECK(offer.error().message.find("1101 files with 1100 MiB") != std::string::npos);
    CHECK(world.is_clean());
  }

  TEST_CASE("trees with names that lead out are refused") {
    World world;
    for (const char* name : {"..", ".git", "."}) {
      CAPTURE(name);
      world.shell(
          "git init -q -b main " + std::string("'odd") + name + "'; cd 'odd" + name
          + "'; skill . odd; git add -A; git commit -qm first\n"
            "tree=$(git rev-parse HEAD^{tree})\n"
            "inner=$(printf '100644 blob %s\\tx\\n' $(git rev-parse HEAD:SKILL.md) | git mktree)\n"
            "printf '40000 "
          + name
          + "\\0' >tree; printf \"$(echo $inner | sed 's/../\\\\x&/g')\" >>tree\n"
            "bad=$(git hash-object -t tree -w --literally tree)\n"
            "git update-ref refs/heads/main $(git commit-tree -m bad $bad)");
      Result<Offer> offer = world.look(world.file_url("odd" + std::string(name)));
      CHECK_FALSE(offer);
      CHECK(world.is_clean());
    }
  }
}
