#include "daemon/await.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/timers.h"
#include "tests/unit/daemon_fetch_git_world.h"

#include <sys/stat.h>

#include <future>

using namespace fetch_git_test;
using namespace std::chrono_literals;

namespace {

using Names = std::vector<std::string>;

// A stand-in for ssh that runs the command here; notes its words in HOME/ssh-words.
void put_ssh(World& world, const std::string& command = "exec sh -c \"$last\"") {
  const std::string file = world.folder / "ssh";
  tests::put_file(file,
                  "#!/bin/bash\n[[ $1 = -G ]] && exit 1\necho \"$@\" >>$HOME/ssh-words\n"
                  "last=${@: -1}\n"
                      + command + "\n");
  ::chmod(file.c_str(), 0755);
  tests::put_file(world.folder / "home/.gitconfig", "[core]\nsshCommand = " + file + "\n");
}

bool is_there(const std::string& path) {
  return std::filesystem::exists(std::filesystem::symlink_status(path));
}

} // namespace

TEST_SUITE("look_at_git") {
  TEST_CASE("skills, files, hashes, branch and commit of a repository") {
    World world;
    world.two_skills();
    Result<Offer> offer = world.look(world.file_url("two.git"));
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(names_of(*offer) == Names{"pdf", "xlsx"});
    CHECK(offer->ref == "main");
    CHECK(offer->source.ref.empty()); // the default branch stays the default branch
    CHECK(offer->commit == world.told("git -C two.git rev-parse HEAD"));
    const Offered& pdf = offer->skills[0];
    CHECK(pdf.from == "skills/pdf");
    CHECK(pdf.description == "What pdf does.");
    CHECK(pdf.tree == world.told("git -C two.git rev-parse HEAD:skills/pdf"));
    CHECK(tests::file_text(pdf.folder + "/data") == "data\n");
    CHECK(offer->warnings.empty());
    // Of the clone only the files are left.
    CHECK(world.told("find " + offer->fetched->path() + " -name '*.pack' -o -name HEAD").empty());
  }

  TEST_CASE("what was fetched goes with the offer") {
    World world;
    world.two_skills();
    {
      Result<Offer> offer = world.look(world.file_url("two.git"));
      REQUIRE(offer);
      CHECK_FALSE(world.is_clean());
    }
    CHECK(world.is_clean());
    CHECK_FALSE(world.look(world.file_url("two.git"), "none"));
    CHECK(world.is_clean());
  }

  TEST_CASE("a skill at the root is called like the repository") {
    World world;
    world.shell(
        "git init -q lone.git; cd lone.git; printf -- '---\\ndescription: d\\n---\\n' >SKILL.md\n"
        "git add -A; git commit -qm first");
    Result<Offer> offer = world.look(world.file_url("lone.git"));
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    REQUIRE(offer->skills.size() == 1);
    CHECK(offer->skills[0].name == "the-source");
    CHECK(offer->skills[0].from.empty());
    CHECK(offer->skills[0].tree == world.told("git -C lone.git rev-parse HEAD^{tree}"));
  }

  TEST_CASE("branches, tags and commits") {
    World world;
    world.two_skills();
    world.shell(
        "cd two.git; git tag v1; git tag -a v2 -m x; git checkout -qb other; skill skills/new new\n"
        "git add -A; git commit -qm more; git checkout -q main");
    const std::string first = world.told("git -C two.git rev-parse main");
    const std::string second = world.told("git -C two.git rev-parse other");
    for (const std::string& ref :
         {std::string("main"), std::string("v1"), std::string("v2"), first, first.substr(0, 9)}) {
      CAPTURE(ref);
      Result<Offer> offer = world.look(world.file_url("two.git"), ref);
      REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
      CHECK(offer->commit == first);
      CHECK(offer->ref == ref);
      CHECK(offer->skills.size() == 2);
    }
    Result<Offer> other = world.look(world.file_url("two.git"), "other");
    REQUIRE(other);
    CHECK(other->commit == second);
    CHECK(other->skills.size() == 3);
  }

  TEST_CASE("a commit that no ref names, of a server that gives out nothing else alone") {
    World world;
    world.two_skills();
    world.shell("cd two.git; skill skills/new new; git add -A; git commit -qm more");
    const std::string first = world.told("git -C two.git rev-parse main~1");
    tests::put_file(world.folder / "home/.gitconfig", "[protocol]\nversion = 0\n");
    Result<Offer> offer = world.look(world.file_url("two.git"), first);
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(offer->commit == first);
    CHECK(offer->skills.size() == 2);
  }

  TEST_CASE("a branch with slashes, whose rest is the folder") {
    World world;
    world.two_skills();
    world.shell("cd two.git; git branch feature/x/y");
    Result<Offer> offer = world.look(world.file_url("two.git"), "feature", "x/y/skills/pdf");
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(offer->source.ref == "feature/x/y");
    CHECK(offer->source.folder == "skills/pdf");
    CHECK(names_of(*offer) == Names{"pdf"});
    CHECK(offer->skills[0].from == "skills/pdf");
  }

  TEST_CASE("what is not there is told, with what is") {
    World world;
    world.two_skills();
    world.shell("cd two.git; git branch release-2; git init -q ../empty.git\n"
                "git init -q ../bare.git; cd ../bare.git; echo x >x; git add x; git commit -qm x");
    Result<Offer> ref = world.look(world.file_url("two.git"), "release");
    CHECK(ref.error().code == ErrorCode::not_found);
    CHECK(ref.error().message.find("`release`") != std::string::npos);
    CHECK(ref.error().hint == "there is `release-2`");
    Result<Offer> commit = world.look(world.file_url("two.git"), std::string(40, 'a'));
    CHECK(commit.error().code == ErrorCode::not_found);
    Result<Offer> folder = world.look(world.file_url("two.git"), {}, "skills/none");
    CHECK(folder.error().code == ErrorCode::not_found);
    CHECK(folder.error().message.find("skills/none") != std::string::npos);
    Result<Offer> repository = world.look(world.file_url("none.git"));
    CHECK(repository.error().code == ErrorCode::not_found);
    CHECK(repository.error().message == "there is no git repository at `the-source`");
    CHECK(world.look(world.file_url("empty.git")).error().code == ErrorCode::not_found);
    CHECK(world.look(world.file_url("bare.git")).error().message == "`the-source` has no skills");
  }

  TEST_CASE("git's own protocol, and ssh by the person's own command") {
    World world;
    world.two_skills();
    put_ssh(world);
    FileServer server(world.folder.path());
    Result<Offer> by_git = world.look(server.git_url("/two.git"));
    REQUIRE_MESSAGE(by_git.has_value(), message_of(by_git));
    CHECK(by_git->skills.size() == 2);
    CHECK(world.look(server.git_url("/none.git")).error().code == ErrorCode::not_found);
    const std::string place = "example.test:" + world.folder.path() + "/repositories/two.git";
    Result<Offer> by_ssh = world.look("git@" + place, "main");
    REQUIRE_MESSAGE(by_ssh.has_value(), message_of(by_ssh));
    CHECK(by_ssh->skills.size() == 2);
    const std::string words = tests::file_text(world.folder / "home/ssh-words");
    CHECK(words.find("BatchMode=yes") != std::string::npos);
    CHECK(words.find("git@example.test git-upload-pack ") != std::string::npos);
  }

  TEST_CASE("what ssh complains about is told as what to do") {
    World world;
    put_ssh(world, "echo 'Host key verification failed.' >&2; exit 255");
    Result<Offer> key = world.look("git@example.test:o/r.git");
    CHECK(key.error().code == ErrorCode::permission);
    CHECK(key.error().message == "the host key of `example.test` is not known, or has changed");
    put_ssh(world, "echo 'git@example.test: Permission denied (publickey).' >&2; exit 255");
    CHECK(world.look("git@example.test:o/r.git").error().message
          == "`the-source` needs a login, or is not there");
  }

  TEST_CASE("a person's settings of git say where an address leads") {
    World world;
    world.two_skills();
    tests::put_file(world.folder / "home/.gitconfig",
                    "[url \"file://" + world.folder.path()
                        + "/repositories/\"]\ninsteadOf = https://example.test/\n");
    Result<Offer> offer = world.look("https://example.test/two.git");
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(offer->skills.size() == 2);
    CHECK(offer->source.address == "https://example.test/two.git");
    // It is a person's word for where an address leads, and no way for others to a file.
    world.asked_with.by = NamedBy::other;
    CHECK(world.look("https://example.test/two.git").error().code == ErrorCode::refused);
  }

  TEST_CASE("an address is changed once by a setting, as git itself does") {
    World world;
    world.two_skills();
    const std::string here = world.file_url("");
    tests::put_file(world.folder / "home/.gitconfig",
                    "[url \"" + here + "\"]\ninsteadOf = https://example.test/\n[url \"" + here
                        + "none/\"]\ninsteadOf = " + here + "\n");
    Result<Offer> offer = world.look("https://example.test/two.git");
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(offer->skills.size() == 2);
  }

  TEST_CASE("cancelled, it ends what it has started") {
    World world;
    put_ssh(
        world,
        "echo $$ >$HOME/started.new; mv $HOME/started.new $HOME/started; exec tail -f /dev/null");
    const std::string started = world.folder / "home/started";
    Result<Offer> offer = fail(ErrorCode::internal, "cancelled");
    auto body = [&]() -> asio::awaitable<void> {
      runtime::TaskGroup group(world.io.get_executor(), [](std::exception_ptr) { FAIL("threw"); });
      install::Source source;
      source.address = "git@example.test:o/r.git";
      group.start(world.looked(std::move(source), &offer));
      while (!is_there(started)) {
        AWAIT_DONE(runtime::wait_for(1ms));
      }
      group.cancel_all();
      AWAIT_DONE(group.join());
    };
    world.run(body());
    const pid_t pid = std::stoi(tests::file_text(started));
    CHECK(tests::becomes_true([&] { return ::kill(pid, 0) != 0; }));
    CHECK(world.is_clean());
  }

  TEST_CASE("what came of nothing is not removed on the loop") {
    World world;
    std::promise<void> gate;
    world.pool.leave([opened = gate.get_future().share()] { opened.wait(); });
    CHECK_FALSE(world.look(world.file_url("none.git")));
    CHECK_FALSE(std::filesystem::is_empty(world.folder / "scratch"));
    gate.set_value();
    CHECK(world.is_clean());
  }
}
