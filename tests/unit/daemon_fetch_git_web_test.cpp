#include "tests/unit/daemon_fetch_git_world.h"
#include "tests/unit/daemon_fetch_world.h"

using namespace fetch_git_test;
using namespace std::chrono_literals;

TEST_SUITE("look_at_git over http") {
  TEST_CASE("a repository, and what is none") {
    World world;
    world.two_skills();
    FileServer server(world.folder.path());
    Result<Offer> offer = world.look(server.url("/git/two.git"));
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(offer->skills.size() == 2);
    CHECK(offer->ref == "main");
    CHECK(world.look(server.url("/git/none.git")).error().code == ErrorCode::not_found);
    CHECK(world.look(server.url("/page/two.git")).error().message
          == "there is no git repository at `the-source`");
    CHECK(world.look(server.url("/status/503/x")).error().code == ErrorCode::unavailable);
  }

  TEST_CASE("a redirect on the same host is followed once, and git goes there at once") {
    World world;
    world.two_skills();
    FileServer server(world.folder.path());
    Result<Offer> offer = world.look(server.url("/moved/git/two.git"));
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(offer->skills.size() == 2);
    CHECK(offer->source.address == server.url("/moved/git/two.git"));
    const std::string asked = tests::file_text(world.folder / "asked");
    const std::size_t first = asked.find("/moved/");
    REQUIRE(first != std::string::npos);
    CHECK(asked.find("/moved/", first + 1) == std::string::npos);
  }

  TEST_CASE("git connects to the address that was checked, and looks up no name itself") {
    World world;
    world.two_skills();
    FileServer server(world.folder.path());
    // A name that this program's own service of names knows, and that of git does not.
    fetch_test::known_hosts() = {"checked.test"};
    Result<Offer> offer = world.look("http://checked.test:" + server.port + "/git/two.git");
    fetch_test::known_hosts() = {};
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(offer->skills.size() == 2);
  }

  TEST_CASE("a redirect to a private address is not followed") {
    World world;
    world.two_skills();
    FileServer first(world.folder.path());
    FileServer second(world.folder.path());
    const std::string away = "/away/127.0.0.1:" + second.port + "/git/two.git";
    Result<Offer> person = world.look(first.url(away));
    CHECK(person.error().code == ErrorCode::refused);
    world.asked_with.by = NamedBy::other;
    CHECK(world.look(first.url("/git/two.git")).error().code == ErrorCode::refused);
    world.asked_with.private_hosts = {"127.0.0.1:" + first.port};
    CHECK(world.look(first.url("/git/two.git")).has_value());
    CHECK(world.look(first.url(away)).error().code == ErrorCode::refused);
    CHECK(world.look(first.url("/circle/x")).has_value() == false);
  }

  TEST_CASE("a login comes from a credential helper, and nobody is asked") {
    World world;
    world.two_skills();
    FileServer server(world.folder.path());
    Result<Offer> without = world.look(server.url("/private/two.git"));
    CHECK(without.error().code == ErrorCode::permission);
    CHECK(without.error().message == "`the-source` needs a login, or is not there");
    tests::put_file(world.folder / "home/.gitconfig",
                    "[credential]\nhelper = \"!echo username=ada; echo password=secret; :\"\n");
    Result<Offer> with = world.look(server.url("/private/two.git"));
    REQUIRE_MESSAGE(with.has_value(), message_of(with));
    CHECK(with->skills.size() == 2);
  }

  TEST_CASE("a server that hangs, and one that never ends, are left") {
    World world;
    FileServer server(world.folder.path());
    world.asked_with.deadlines.first_byte = 50ms;
    world.asked_with.deadlines.idle = 50ms;
    CHECK(world.look(server.url("/hang/x")).error().code == ErrorCode::timed_out);
    CHECK(world.look(server.url("/slow/x")).error().code == ErrorCode::timed_out);
    CHECK(world.look(server.url("/endless/x")).error().code == ErrorCode::too_large);
    CHECK(world.is_clean());
  }

  TEST_CASE("nobody there is told with the host") {
    World world;
    std::string url;
    {
      FileServer gone(world.folder.path());
      url = gone.url("/git/two.git");
    }
    Result<Offer> offer = world.look(url);
    CHECK(offer.error().code == ErrorCode::unavailable);
    CHECK(offer.error().message.find("127.0.0.1") != std::string::npos);
  }
}
