#include "daemon/await.h"
#include "daemon/git/git_program.h"
#include "tests/support/folder.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <chrono>
#include <string>
#include <utility>

using namespace upskill;
using namespace upskill::git;
using namespace std::chrono_literals;

namespace {

asio::awaitable<void> run(GitCall call, Result<GitEnd>* into) {
  AWAIT(*into, run_git(std::move(call)));
}

Result<GitEnd> end_of(GitCall call) {
  asio::io_context io;
  Result<GitEnd> end = fail(ErrorCode::internal, "not run");
  call.folder = "/";
  call.home = "/nonexistent";
  tests::run_coroutine(io, run(std::move(call), &end));
  return end;
}

// An alias is the one way to have git do as long as we like.
GitCall alias(const std::string& command) {
  GitCall call;
  call.settings = {{"alias.odd", "!" + command}};
  call.arguments = {"odd"};
  return call;
}

} // namespace

TEST_SUITE("run_git") {
  TEST_CASE("settings and variables arrive, whatever is in them") {
    GitCall call;
    call.settings = {{"url.https://h/?a=b.insteadOf", "x=y:"}};
    call.arguments = {"ls-remote", "--get-url", "--", "x=y:z"};
    Result<GitEnd> end = end_of(std::move(call));
    REQUIRE(end);
    CHECK(end->output == "https://h/?a=bz\n");
    call = alias("printf %s \"$ODD\"; printf 'one\\ntwo' >&2");
    call.environment = {"ODD=a b"};
    end = end_of(std::move(call));
    REQUIRE(end);
    CHECK(end->output == "a b");
    CHECK(end->errors == "one");
    CHECK(end->said == "one\ntwo");
  }

  TEST_CASE("one that takes too long is ended, and so is one that says nothing") {
    GitCall slow = alias("while :; do echo x; done >&2");
    slow.limit = 50ms;
    slow.max_errors = 1u << 30;
    Result<GitEnd> end = end_of(std::move(slow));
    REQUIRE_FALSE(end);
    CHECK(end.error().code == ErrorCode::timed_out);
    CHECK(end.error().message == "`git odd` has not ended within 50 ms");
    GitCall silent = alias("echo begun; exec tail -f /dev/null");
    silent.idle_limit = 50ms;
    end = end_of(std::move(silent));
    REQUIRE_FALSE(end);
    CHECK(end.error().message == "`git odd` has said nothing for 50 ms");
  }

  TEST_CASE("what says or writes too much is ended") {
    GitCall loud = alias("exec cat /dev/zero");
    loud.max_output = 1000;
    CHECK(end_of(std::move(loud)).error().code == ErrorCode::too_large);
    loud = alias("exec cat /dev/zero >&2");
    CHECK(end_of(std::move(loud)).error().code == ErrorCode::too_large);
    test::Folder folder;
    GitCall large;
    large.arguments = {"config", "--file", folder / "config", "a.b", std::string(10'000, 'x')};
    large.limits = {{RLIMIT_FSIZE, 1'000}};
    CHECK(end_of(large).error().code == ErrorCode::too_large);
    large.limits = {};
    CHECK(end_of(large).has_value());
  }
}
