#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/transcripts/transcript.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace upskill;
using namespace upskill::tests;
using namespace upskill::transcripts;

namespace {

// What an agent has: the pipes of `upskill mcp`.
class AgentWire final : public Wire {
public:
  explicit AgentWire(const std::string& home)
      : m_bridge(home, {"mcp"}) {}

  void send(std::string_view line) override { m_bridge.write(std::string(line) + "\n"); }

  std::optional<std::string> receive() override { return m_bridge.line(); }

  void end() override { m_bridge.close_input(); }

  int exit_code() { return m_bridge.wait_end(); }

private:
  Program m_bridge;
};

// What a command has: a connection to the daemon's socket.
class PeopleWire final : public Wire {
public:
  explicit PeopleWire(const std::string& socket)
      : m_client(socket) {}

  void send(std::string_view line) override { m_client.send(std::string(line) + "\n"); }

  std::optional<std::string> receive() override { return m_client.line_or_end(); }

  void end() override { m_client.shut_down_sending(); }

private:
  Client m_client;
};

// A home with a few skills, and the daemon that serves it, at rest.
class Home {
public:
  Home() {
    for (const char* agent : {".claude", ".codex", ".cursor"}) {
      std::filesystem::create_directory(m_folder / agent);
    }
    skill(".claude/skills/review", "Reviews code.");
    skill(".agents/skills/review", "Reviews code, and differs.");
    skill(".agents/skills/with space", "Has a name that an address must encode.");
    put_file(m_folder / ".agents/skills/with space/notes.txt", "more\n");
    m_daemon.emplace(m_folder.path());
    // Its first look at the folders is no change that a client is told of.
    Client client(m_daemon->socket());
    client.send(modern_call(1, "wait_idle"));
    client.line();
  }

  const std::string& path() const { return m_folder.path(); }

  DaemonProcess& daemon() { return *m_daemon; }

private:
  void skill(const std::string& path, const std::string& description) {
    std::filesystem::create_directories(m_folder / path);
    put_file(m_folder / (path + "/SKILL.md"),
             "---\nname: " + path.substr(path.rfind('/') + 1) + "\ndescription: " + description
                 + "\n---\n");
  }

  TemporaryFolder m_folder;
  std::optional<DaemonProcess> m_daemon;
};

// Those of people or of agents that can be played here; why the others cannot is printed.
std::vector<Transcript> playable(bool of_people) {
  std::vector<Transcript> transcripts;
  for (const auto& entry : std::filesystem::directory_iterator(UPSKILL_TRANSCRIPTS)) {
    if (entry.path().extension() == ".jsonl") {
      Transcript transcript = load_transcript(entry.path().string());
      if (transcript.is_people != of_people) {
        continue;
      }
      if (transcript.needs_stand_in) {
        MESSAGE("skipped: ", transcript.name, " scripts what the daemon does");
      } else {
        transcripts.push_back(std::move(transcript));
      }
    }
  }
  std::ranges::sort(transcripts, {}, &Transcript::name);
  return transcripts;
}

// Whether it went as written.
bool check_played(const Transcript& transcript, Wire& wire) {
  std::vector<std::string> problems = Runner(transcript, wire).run();
  for (const std::string& problem : problems) {
    FAIL_CHECK(problem);
  }
  return problems.empty();
}

bool says(const Transcript& transcript, std::string_view text) {
  return std::ranges::any_of(transcript.steps, [&](const Step& step) {
    return step.kind == Step::Kind::send && step.text.find(text) != std::string::npos;
  });
}

} // namespace

TEST_SUITE("transcripts") {
  TEST_CASE("every session of an agent goes as written, through `upskill mcp`") {
    int modern = 0;
    int legacy = 0;
    for (const Transcript& transcript : playable(false)) {
      CAPTURE(transcript.name);
      Home home;
      AgentWire wire(home.path());
      if (check_played(transcript, wire)) {
        CHECK(wire.exit_code() == 0);
      }
      CHECK(file_text(home.path() + "/client-stderr").empty());
      modern += says(transcript, "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"");
      legacy += says(transcript, "\"method\":\"initialize\"");
    }
    CHECK(modern >= 3);
    CHECK(legacy >= 6);
  }

  TEST_CASE("every session of a person goes as written, over the socket") {
    int played = 0;
    for (const Transcript& transcript : playable(true)) {
      CAPTURE(transcript.name);
      Home home;
      PeopleWire wire(home.daemon().socket());
      if (check_played(transcript, wire) && says(transcript, "\"daemon_stop\"")) {
        CHECK(home.daemon().wait_end() == 0);
      }
      ++played;
    }
    CHECK(played >= 2);
  }
}
