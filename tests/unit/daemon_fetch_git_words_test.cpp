#include "daemon/fetch/git_address.h"
#include "daemon/fetch/git_failure.h"
#include "daemon/fetch/git_refs.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::fetch;

namespace {

struct Place {
  std::string text;
  GitTransport transport;
  std::string host;
  std::string host_port;
};

ErrorCode code_of(std::string_view said) {
  return git_failure(said, "name", "host").code;
}

} // namespace

TEST_SUITE("read_git_address") {
  TEST_CASE("transport and host of each form") {
    for (const Place& place : {
             Place{"https://Example.test/o/r.git",
                   GitTransport::https,
                   "example.test",
                   "example.test"},
             Place{"http://h:8080/x", GitTransport::http, "h", "h:8080"},
             Place{"https://ada@h:1/x", GitTransport::https, "h", "h:1"},
             Place{"ssh://git@h:22/x", GitTransport::ssh, "h", "h:22"},
             Place{"git@h:o/r.git", GitTransport::ssh, "h", "h"},
             Place{"h:r", GitTransport::ssh, "h", "h"},
             Place{"git://[::1]:9418/x", GitTransport::git, "[::1]", "[::1]:9418"},
             Place{"file:///srv/x", GitTransport::file, "", ""},
         }) {
      CAPTURE(place.text);
      Result<GitAddress> read = read_git_address(place.text);
      REQUIRE(read);
      CHECK(read->transport == place.transport);
      CHECK(read->host == place.host);
      CHECK(read->host_port == place.host_port);
      CHECK(read->text == place.text);
    }
  }

  TEST_CASE("a list of hosts has hosts and ports") {
    FetchSetting setting;
    setting.by = NamedBy::other;
    setting.private_hosts = {"git.corp", "other.corp:2222"};
    auto is_allowed = [&](std::string_view text) {
      return check_git_address(*read_git_address(text), setting).has_value();
    };
    CHECK(is_allowed("git@git.corp:o/r"));
    CHECK(is_allowed("ssh://git.corp:99/o/r"));
    CHECK(is_allowed("ssh://other.corp:2222/o/r"));
    CHECK_FALSE(is_allowed("ssh://other.corp:22/o/r"));
    CHECK_FALSE(is_allowed("git@xgit.corp:o/r"));
    CHECK(is_allowed("https://anywhere/o/r")); // each hop is decided when it is asked
  }
}

TEST_SUITE("git_refs") {
  TEST_CASE("a list of refs, where a tag stands for its commit") {
    const std::string a(40, 'a');
    const std::string b(40, 'b');
    auto read = read_remote_refs(a + "\trefs/heads/feature/x\n" + a + "\trefs/tags/v1\n" + b
                                 + "\trefs/tags/v1^{}\n");
    REQUIRE(read);
    CHECK(*read == std::vector<RemoteRef>{{"feature/x", a}, {"v1", b}});
    CHECK(read_remote_refs("")->empty());
    CHECK_FALSE(read_remote_refs("nonsense\n"));
    CHECK_FALSE(read_remote_refs(a + "\n"));
    CHECK_FALSE(read_remote_refs(a + "\t\n"));
  }

  TEST_CASE("the longest ref is meant, and only whole parts") {
    const std::vector<RemoteRef> refs{{"feature/x", ""}, {"feature/x/y", ""}, {"feature/xyz", ""}};
    auto split = split_ref(refs, "feature", "x/y/skills/pdf");
    REQUIRE(split);
    CHECK(split->ref == "feature/x/y");
    CHECK(split->folder == "skills/pdf");
    split = split_ref(refs, "feature", "x");
    REQUIRE(split);
    CHECK(split->ref == "feature/x");
    CHECK(split->folder.empty());
    CHECK_FALSE(split_ref(refs, "feature", "xy/z"));
    CHECK_FALSE(split_ref(refs, "feature", ""));
    CHECK_FALSE(split_ref(refs, "featur", "e/x"));
  }

  TEST_CASE("names that are near") {
    const std::vector<RemoteRef> refs{{"a", ""}, {"Release-1", ""}, {"b", ""}, {"c", ""}};
    CHECK(near_refs(refs, "release") == "`Release-1`");
    CHECK(near_refs(refs, "zzz") == "`a`, `Release-1`, `b`");
    CHECK(near_refs({}, "x").empty());
  }

  TEST_CASE("hashes") {
    CHECK(is_whole_hash(std::string(40, 'a')));
    CHECK(is_whole_hash(std::string(64, '0')));
    CHECK_FALSE(is_whole_hash(std::string(41, 'a')));
    CHECK_FALSE(is_whole_hash(std::string(40, 'g')));
    CHECK(is_hash_prefix("abcdef0"));
    CHECK_FALSE(is_hash_prefix("abcdef"));
    CHECK_FALSE(is_hash_prefix("release"));
  }
}

TEST_SUITE("git_failure") {
  TEST_CASE("what git and ssh say, as errors") {
    CHECK(code_of("fatal: repository 'https://h/x/' not found") == ErrorCode::not_found);
    CHECK(code_of("ERROR: Repository not found.\nfatal: Could not read from remote repository.")
          == ErrorCode::not_found);
    CHECK(code_of("fatal: remote error: access denied or repository not exported: /x")
          == ErrorCode::not_found);
    CHECK(code_of(
              "fatal: could not read Username for 'https://github.com': terminal prompts disabled")
          == ErrorCode::permission);
    CHECK(
        code_of(
            "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.")
        == ErrorCode::permission);
    CHECK(code_of("ssh: Could not resolve hostname h: Name or service not known")
          == ErrorCode::unavailable);
    CHECK(code_of("error: cannot run ssh: No such file or directory") == ErrorCode::unavailable);
    CHECK(code_of("fatal: Out of memory, malloc failed (tried to allocate 3342336001 bytes)\n"
                  "fatal: fetch-pack: invalid index-pack output")
          == ErrorCode::too_large);
    CHECK(
        code_of("fatal: fetch-pack: invalid index-pack output\nerror: index-pack died of signal 25")
        == ErrorCode::too_large);
    CHECK(code_of("fatal: write error: No space left on device") == ErrorCode::no_space);
  }

  TEST_CASE("what nobody knows is quoted, without progress and what would change a terminal") {
    Error error = git_failure("Cloning into bare repository 'x'...\nremote: 1%\rremote: 2%\nfatal: "
                              "it is\x1b[31m odd\nmore",
                              "n",
                              "h");
    CHECK(error.code == ErrorCode::unavailable);
    CHECK(error.message == "git could not fetch `n`: it is [31m odd");
    CHECK(git_failure("", "n", "h").message == "git could not fetch `n`");
  }
}
