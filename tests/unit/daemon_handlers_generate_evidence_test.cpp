#include "daemon/handlers/generate_evidence.h"
#include "tests/unit/skills_archive_world.h"

using namespace upskill;
using namespace upskill::daemon;
using tests::ArchiveWorld;
using tests::ClaudeSession;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string wish(int beat) {
  return "Please build the widget called marble-" + std::to_string(beat) + "x";
}

// Each beat is about a thing of its own; in those of `failing` something goes wrong.
ClaudeSession session_of(int beats, const std::set<int>& failing) {
  ClaudeSession session("s1");
  for (int beat = 1; beat <= beats; ++beat) {
    std::string number = std::to_string(beat);
    session.prompt(wish(beat));
    session.runs("c" + number, "make granite-" + number + "x");
    if (failing.contains(beat)) {
      session.fails("c" + number, "error: basalt-" + number + "x is missing");
      session.runs("d" + number, "make granite-" + number + "x BASALT=1");
      session.gives("d" + number, "ok");
    } else {
      session.gives("c" + number, "built");
    }
    session.says("Done with slate-" + number + "x.");
  }
  return session;
}

GatheredEvidence gathered(const ClaudeSession& session) {
  ArchiveWorld world;
  world.keep(world.put("s1.jsonl", session.bytes));
  return tests::value_of(gather_evidence(world.archive, {"last"}, 24'000, {}, 0));
}

} // namespace

TEST_SUITE("generate_evidence") {
  TEST_CASE("what went wrong is the teacher's, and no beat is seen by both") {
    std::set<int> failing = {3, 4, 8};
    GatheredEvidence evidence = gathered(session_of(12, failing));
    REQUIRE(evidence.texts.size() == 1);
    const std::string& shown = evidence.texts.front();
    int held = 0;
    for (int beat = 1; beat <= 12; ++beat) {
      std::string marble = "marble-" + std::to_string(beat) + "x";
      bool is_held = has(evidence.held_out, marble);
      held += is_held ? 1 : 0;
      CAPTURE(beat);
      CHECK(is_held != has(shown, marble));
      for (const char* thing : {"granite-", "basalt-", "slate-"}) {
        std::string name = thing + std::to_string(beat) + "x";
        CHECK_FALSE(has(is_held ? shown : evidence.held_out, name));
      }
      if (failing.contains(beat)) {
        CHECK_FALSE(is_held);
        CHECK(has(shown, "basalt-" + std::to_string(beat) + "x is missing"));
      }
    }
    CHECK(held > 0);
    CHECK(held <= 4);                                  // a third
    CHECK_FALSE(has(evidence.held_out, "marble-12x")); // the newest words
    REQUIRE(evidence.told.size() == 1);
    CHECK(evidence.told[0].held_out_beats == held);
  }

  TEST_CASE("a short session is all the teacher's") {
    GatheredEvidence evidence = gathered(session_of(5, {}));
    CHECK(evidence.held_out.empty());
    CHECK(has(evidence.texts.at(0), "marble-1x"));
    CHECK(evidence.told.at(0).held_out_beats == 0);
  }

  TEST_CASE("of a session with more beats than are known, none is seen by both") {
    ClaudeSession session("s1");
    for (int beat = 1; beat <= 4200; ++beat) { // 4,096 are known; of those few are quiet
      session.prompt(wish(beat));
      if (beat > 104 && beat % 400 != 0) {
        session.runs("c" + std::to_string(beat), "make");
        session.fails("c" + std::to_string(beat), "error");
      }
      session.says("ok");
    }
    GatheredEvidence evidence = gathered(session);
    REQUIRE_FALSE(evidence.held_out.empty());
    for (int beat = 1; beat <= 4200; ++beat) {
      std::string marble = "marble-" + std::to_string(beat) + "x";
      if (has(evidence.held_out, marble)) {
        CHECK(beat > 4200 - 4096);
        CHECK_FALSE(has(evidence.texts.at(0), marble));
      }
    }
  }

  TEST_CASE("what may be a secret keeps a session from every model") {
    ClaudeSession session = session_of(2, {});
    session.prompt("Post it to https://hooks.zapier.com/hooks/catch/7304915/k3x9q2");
    ArchiveWorld world;
    world.keep(world.put("s1.jsonl", session.bytes));
    Result<GatheredEvidence> evidence = gather_evidence(world.archive, {"last"}, 24'000, {}, 0);
    REQUIRE_FALSE(evidence);
    CHECK(evidence.error().code == ErrorCode::refused);
    CHECK(has(evidence.error().message, "`zapier-webhook`"));
  }

  TEST_CASE("an agent's `last` is its own session, and nobody else's") {
    ArchiveWorld world;
    world.keep(world.put("s1.jsonl", session_of(2, {}).bytes));
    RequestContext context;
    context.principal = "agents";
    context.origin.session = "s1";
    Result<GatheredEvidence> own = gather_evidence(world.archive, {"last"}, 24'000, context, 0);
    REQUIRE(own);
    CHECK(own->told.at(0).session == "s1");
    context.origin.session = "s2";
    Result<GatheredEvidence> none = gather_evidence(world.archive, {"last"}, 24'000, context, 0);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
    context.origin = {};
    none = gather_evidence(world.archive, {"last"}, 24'000, context, 0);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::invalid_argument); // nothing is known
    context.place.folder = "/home/ada/app";
    none = gather_evidence(world.archive, {"last"}, 24'000, context, 0);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
  }

  TEST_CASE("no session is there") {
    ArchiveWorld world;
    Result<GatheredEvidence> evidence = gather_evidence(world.archive, {"last"}, 24'000, {}, 0);
    REQUIRE_FALSE(evidence);
    CHECK(evidence.error().code == ErrorCode::not_found);
  }
}
