#include "tests/unit/skills_agent_events_streams.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace upskill::agent_events;

namespace {

bool are_same(const AgentRun& a, const AgentRun& b) {
  return a.answer == b.answer && a.tools == b.tools && a.tool_calls == b.tool_calls
         && a.skills == b.skills && a.usage == b.usage && a.cost == b.cost && a.models == b.models
         && a.turns == b.turns && a.ending == b.ending && a.failure == b.failure
         && a.broken_events == b.broken_events && a.unknown_events == b.unknown_events;
}

} // namespace

TEST_SUITE("EventReader") {
  TEST_CASE("every agent's run is told in the same words") {
    for (const AgentStream& of : k_streams) {
      CAPTURE(static_cast<int>(of.agent));
      AgentRun run = read_stream(of.agent, of.stream);
      CHECK(run.answer == "feat(login): add form");
      CHECK(run.skills == std::set<std::string>{"git-commit"});
      CHECK(run.tool_calls == 1);
      CHECK(run.tools.size() == 1);
      CHECK(run.ending == Ending::done);
      CHECK(run.broken_events == 0);
      CHECK(run.unknown_events == 0);
      CHECK(skills_used(run) == run.skills);
      CHECK(tools_used(run) == std::set<std::string>(run.tools.begin(), run.tools.end()));
    }
  }

  TEST_CASE("pieces of any size say the same") {
    for (const AgentStream& of : k_streams) {
      CAPTURE(static_cast<int>(of.agent));
      const AgentRun whole = read_stream(of.agent, of.stream);
      for (std::size_t at = 0; at <= of.stream.size(); ++at) {
        EventReader reader(of.agent, {"git-commit", "changelog"});
        reader.take(of.stream.substr(0, at));
        reader.take(of.stream.substr(at));
        REQUIRE(are_same(reader.finish(), whole));
      }
      EventReader reader(of.agent);
      for (char c : of.stream) {
        reader.take({&c, 1});
      }
      CHECK(are_same(reader.finish(), whole));
    }
  }

  TEST_CASE("a last line without its end counts, as do lines that end like Windows's") {
    for (const AgentStream& of : k_streams) {
      std::string stream(of.stream);
      stream.pop_back();
      CHECK(read_stream(of.agent, stream).ending == Ending::done);
      std::string windows;
      for (char c : of.stream) {
        windows += c == '\n' ? "\r\n" : std::string(1, c);
      }
      CHECK(are_same(read_stream(of.agent, windows), read_stream(of.agent, of.stream)));
    }
  }

  TEST_CASE("a stream that was cut off says nothing about what it does not show") {
    for (const AgentStream& of : k_streams) {
      CAPTURE(static_cast<int>(of.agent));
      std::size_t last = of.stream.rfind('\n', of.stream.size() - 2);
      AgentRun run = read_stream(of.agent, of.stream.substr(0, last + 1));
      CHECK(run.ending == Ending::cut_off);
      // What was seen was seen.
      CHECK(skills_used(run) == std::set<std::string>{"git-commit"});
      CHECK_FALSE(tools_used(run));
      CHECK_FALSE(skills_used(read_stream(of.agent, "")));
    }
  }

  TEST_CASE("a broken line is counted, and makes it unknown whether a skill was used") {
    constexpr std::string_view k_unused =
        R"({"type":"turn.started"}
{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"done"}}
{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}
)";
    AgentRun run = read_stream(Agent::codex, k_unused);
    CHECK(skills_used(run) == std::set<std::string>{});
    CHECK(tools_used(run) == std::set<std::string>{});
    for (std::string_view broken : {"{\"type\":\"item.comp\n", "{]\n", "{\"a\":\"\xff\"}\n"}) {
      run = read_stream(Agent::codex, std::string(broken) + std::string(k_unused));
      CHECK(run.broken_events == 1);
      CHECK(run.answer == "done");
      CHECK_FALSE(skills_used(run));
      CHECK_FALSE(tools_used(run));
    }
    // What is no event, and one of a later version, hide nothing.
    for (std::string_view other : {"npm warn old\n", "\n", "[1]\n", "{\"type\":\"new.thing\"}\n"}) {
      run = read_stream(Agent::codex, std::string(other) + std::string(k_unused));
      CHECK(run.broken_events == 0);
      CHECK(skills_used(run) == std::set<std::string>{});
    }
    CHECK(run.unknown_events == 1);
  }

  TEST_CASE("lines that are too long or too full are left out") {
    std::string stream = "{\"type\":\"" + std::string(k_max_event, 'x') + "\"}\n";
    stream += k_codex_stream;
    EventReader reader(Agent::codex);
    for (std::size_t at = 0; at < stream.size(); at += 65'536) {
      reader.take(std::string_view(stream).substr(at, 65'536));
    }
    AgentRun run = reader.finish();
    CHECK(run.broken_events == 1);
    CHECK(run.answer == "feat(login): add form");
    CHECK(run.ending == Ending::done);

    std::string full = "{\"a\":[0";
    for (int i = 0; i < 300'000; ++i) {
      full += ",[]";
    }
    CHECK(read_stream(Agent::codex, full + "]}\n").broken_events == 1);
    std::string deep = "{\"type\":\"turn.started\",\"a\":" + std::string(1'000'000, '[')
                       + std::string(1'000'000, ']') + "}\n";
    CHECK(read_stream(Agent::codex, deep).broken_events == 0);
  }

  TEST_CASE("what is kept is bounded") {
    std::string stream;
    for (int i = 0; i < 20'000; ++i) {
      stream += R"({"type":"tool_use","tool_name":"t","tool_id":"i)" + std::to_string(i)
                + R"(","parameters":{}})" + "\n";
    }
    for (int i = 0; i < 12; ++i) {
      stream += R"({"type":"message","role":"assistant","delta":true,"content":")"
                + std::string(1u << 20, 'a') + "\"}\n";
    }
    stream += R"({"type":"result","status":"error","error":{"message":")"
              + std::string(100'000, 'e') + R"("},"stats":{"models":{")" + std::string(100'000, 'm')
              + "\":{}}}}\n";
    AgentRun run = read_stream(Agent::gemini, stream);
    CHECK(run.tool_calls == 20'000);
    CHECK(run.tools.size() == k_max_names);
    CHECK(run.answer.size() == k_max_answer);
    REQUIRE(run.models.size() == 1);
    CHECK(run.models.front().size() == k_max_name);
    CHECK(run.failure.size() == k_max_failure);
  }

  TEST_CASE("members of any type do no harm") {
    constexpr std::string_view k_values[] = {
        "null", "true", "-1", "1e999", "18446744073709551615", "\"x\"", "[]", "{}", "[{}]", "1.5"};
    std::mt19937 random(4);
    for (const AgentStream& of : k_streams) {
      for (int round = 0; round < 400; ++round) {
        // One value of the stream, whichever follows a colon, in exchange for another.
        std::string stream(of.stream);
        std::size_t at = stream.find(':', random() % stream.size());
        if (at == std::string::npos) {
          continue;
        }
        std::size_t end = stream.find_first_of(",}\n", at);
        stream.replace(at + 1, end - at - 1, k_values[random() % std::size(k_values)]);
        AgentRun run = read_stream(of.agent, stream);
        CHECK(run.tool_calls <= 2);
        for (auto count : {run.usage.input, run.usage.output, run.usage.cache_read}) {
          CHECK(count.value_or(0) >= 0);
        }
      }
    }
  }
}
