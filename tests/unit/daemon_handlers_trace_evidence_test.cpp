#include "daemon/handlers/trace_evidence.h"
#include "tests/support/claude_session.h"
#include "tests/support/planted_secrets.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <fstream>

using namespace upskill;
using tests::ClaudeSession;

namespace {

struct EvidenceWorld {
  tests::TemporaryFolder folder;
  archive::Archive archive = opened();

  archive::Archive opened() const {
    auto rules = redact::RuleSet::built_in();
    REQUIRE(rules);
    auto opened = archive::Archive::open({.database = folder / "traces.db",
                                          .objects = folder / "objects",
                                          .rules = *std::move(rules)});
    REQUIRE(opened);
    return *std::move(opened);
  }

  daemon::TraceSource file(const std::string& name, const ClaudeSession& session) const {
    std::string path = folder / name;
    std::ofstream(path, std::ios::binary) << session.bytes;
    return {path, path, {}};
  }

  daemon::Evidence gather(daemon::TraceSource source, trace::RecentIds* seen = nullptr) {
    auto evidence = daemon::gather(archive, std::move(source), seen, {});
    REQUIRE(evidence);
    return *std::move(evidence);
  }
};

std::string text_of(const daemon::Evidence& evidence) {
  return evidence.distiller->distilled().text;
}

} // namespace

TEST_CASE("a secret of a file over two messages shows in none of them") {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    tests::Plants plants(seed);
    for (const tests::SecretKind& kind : tests::k_secret_kinds) {
      tests::Planted planted = plants.grow(kind.form);
      std::size_t cut = 1 + plants.below(planted.text.size() - 1);
      ClaudeSession session;
      session.prompt("I set " + planted.text.substr(0, cut));
      session.prompt(planted.text.substr(cut) + " and go on");
      EvidenceWorld world;
      std::string text = text_of(world.gather(world.file("s1.jsonl", session)));
      INFO("rule " << kind.rule << ", cut " << cut << ": " << planted.text << "\n" << text);
      CHECK_FALSE(planted.shows_in(text));
      CHECK(text.find("I set ") != std::string::npos);
      CHECK(text.find(" and go on") != std::string::npos);
    }
  }
}

TEST_CASE("a file that is read twice is no copy of itself") {
  ClaudeSession first("s1");
  first.prompt("Make it fast");
  std::string shared = first.bytes;
  ClaudeSession fork("s1");
  fork.prompt("Make it fast");
  fork.prompt("the key is gh"
              "p_Zk3mQ9xT7vB2nL5w");
  fork.prompt("R8cY1dF4hJ6pS0aG3eUi go");
  REQUIRE(fork.bytes.starts_with(shared));
  EvidenceWorld world;
  trace::RecentIds seen;
  world.gather(world.file("s1.jsonl", first), &seen);
  daemon::Evidence evidence = world.gather(world.file("s2.jsonl", fork), &seen);
  std::string text = text_of(evidence);
  INFO(text);
  CHECK(evidence.removed == 2);
  CHECK(text.find("Make it fast") == std::string::npos);
  CHECK(text.find("REDACTED") != std::string::npos);
  CHECK(text.find("Zk3mQ9xT7vB2nL5w") == std::string::npos);
  CHECK(text.find("R8cY1dF4hJ6pS0aG3eUi") == std::string::npos);
}
