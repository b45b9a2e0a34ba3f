#include "skills/config/config.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::config;

namespace {

Config read(std::string_view text, Trust trust = Trust::user) {
  Result<Config> config = read_config(text, trust);
  CAPTURE(text);
  REQUIRE_MESSAGE(config.has_value(), (config ? "" : config.error().message));
  return std::move(*config);
}

std::string list_of(std::size_t entries) {
  std::string list = "[";
  for (std::size_t i = 0; i < entries; ++i) {
    list += "a/b" + std::to_string(i) + ", ";
  }
  return list + "x/y]";
}

} // namespace

TEST_SUITE("read_config of install") {
  TEST_CASE("nothing is asked of whoever does not say it") {
    for (std::string_view text : {"", "install:\n", "install: ~\n", "install: {}\n"}) {
      CAPTURE(text);
      CHECK(read(text).install == Install{});
      CHECK(read(text).install.agents == AgentInstall::ask);
      CHECK(read(text).warnings.empty());
    }
  }

  TEST_CASE("reads every key") {
    Config config = read("install:\n"
                         "  sources:\n"
                         "    - owner/repo\n"
                         "    - https://skills.example.com\n"
                         "  private_hosts: [Git.Acme.LAN, '10.0.0.7:8443', '[fd00::1]']\n"
                         "  agents: allow\n");
    CHECK(config.install
          == Install{.sources = {"owner/repo", "https://skills.example.com"},
                     .private_hosts = {"git.acme.lan", "10.0.0.7:8443", "[fd00::1]"},
                     .agents = AgentInstall::allow});
    CHECK(config.warnings.empty());
    CHECK(read("install: {agents: refuse}").install.agents == AgentInstall::refuse);
    CHECK(read("install: {agents: ask}").install.agents == AgentInstall::ask);
    CHECK(read("install: {sources: owner/repo}").install.sources
          == std::vector<std::string>{"owner/repo"});
  }

  TEST_CASE("a project's is left out, and told") {
    Config config =
        read("install: {agents: allow, sources: [evil/repo], private_hosts: [10.0.0.1]}",
             Trust::project);
    CHECK(config.install == Install{});
    REQUIRE(config.warnings.size() == 1);
    CHECK(config.warnings.front().find("`install`") != std::string::npos);
  }

  TEST_CASE("what was meant otherwise is an error with its key") {
    struct Row {
      std::string text;
      std::string_view key;
    };

    for (const Row& row : std::vector<Row>{
             {"install: allow", "install"},
             {"install: [a]", "install"},
             {"install: {agents: always}", "install.agents"},
             {"install: {agents: true}", "install.agents"},
             {"install: {sources: []}", "install.sources"},
             {"install: {sources: [1]}", "install.sources"},
             {"install: {sources: ['']}", "install.sources"},
             {"install: {sources: {a: b}}", "install.sources"},
             {"install: {sources: " + list_of(100) + "}", "install.sources"},
             {"install: {sources: [" + std::string(4097, 'a') + "]}", "install.sources"},
             {"install: {private_hosts: ['https://x']}", "install.private_hosts"},
             {"install: {private_hosts: ['a b']}", "install.private_hosts"},
             {"install: {private_hosts: ['me@x']}", "install.private_hosts"},
             {"install: {private_hosts: ['*']}", "install.private_hosts"},
             {"install: {private_hosts: [" + std::string(301, 'a') + "]}",
              "install.private_hosts"}}) {
      CAPTURE(row.text.substr(0, 100));
      Result<Config> config = read_config(row.text, Trust::user);
      REQUIRE_FALSE(config);
      CHECK(config.error().code == ErrorCode::invalid_argument);
      CHECK(config.error().message.find("`" + std::string(row.key) + "`") != std::string::npos);
    }
    CHECK(read("install: {sources: " + list_of(99) + "}").install.sources.size() == 100);
  }

  TEST_CASE("an unknown key is a warning") {
    Config config = read("install: {agent: allow}");
    CHECK(config.install == Install{});
    REQUIRE(config.warnings.size() == 1);
    CHECK(config.warnings.front().find("`install.agent`") != std::string::npos);
    CHECK(config.warnings.front().find("agents") != std::string::npos);
  }
}
