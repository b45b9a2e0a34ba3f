#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/transcripts/transcript.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>

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
      : m_home(home)
      , m_bridge(home, {"mcp"}) {}

  void send(std::string_view line) override { m_bridge.write(std::string(line) + "\n"); }

  std::optional<std::string> receive() override { return m_bridge.line(); }

  void end() override { m_bridge.close_input(); }

  // `write {"path","text"}`: a file of the home is now this, in one step, so that it is one change.
  bool outside(std::string_view command) override {
    constexpr std::string_view k_write = "write ";
    Json file = command.starts_with(k_write)
                    ? Json::parse(command.substr(k_write.size()), nullptr, false)
                    : Json();
    if (!file.is_object() || !file.contains("path") || !file.contains("text")) {
      return false;
    }
    const std::string path = m_home + "/" + file["path"].get<std::string>();
    const std::string beside = m_home + "/written";
    put_file(beside, file["text"].get<std::string>());
    std::filesystem::rename(beside, path);
    return true;
  }

  int exit_code() { return m_bridge.wait_end(); }

private:
  std::string m_home;
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

// A home with a few skills, and the daemon that serves it, at rest. What the transcripts of
// `! daemon` expect of names, sizes, times and digests is what is written here.
class Home {
public:
  Home() {
    for (const char* agent : {".claude", ".codex", ".cursor"}) {
      std::filesystem::create_directory(m_folder / agent);
    }
    skill(".claude/skills/review", "Reviews code.");
    // The newer of the two, so it is the one that is served.
    skill(".agents/skills/review", "Reviews code, and differs.", k_written + 1);
    skill(".agents/skills/with space", "Has a name that an address must encode.");
    put(".agents/skills/with space/notes.txt", "more\n");
    put(".agents/skills/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Tidies a folder.\nlicense: MIT\n---\n\n"
        "The rules stand in [rules](references/rules.md).\n");
    put(".agents/skills/tidy/references/rules.md", "Sort by name.\n");
    put(".agents/skills/tidy/dot.bin", {"\0\1\xff", 3});
    m_daemon.emplace(m_folder.path());
    // Its first look at the folders is no change that a client is told of.
    Client client(m_daemon->socket());
    client.send(modern_call(1, "wait_idle"));
    client.line();
  }

  const std::string& path() const { return m_folder.path(); }

  DaemonProcess& daemon() { return *m_daemon; }

private:
  static constexpr time_t k_written = 1'735'689'600; // 2025-01-01T00:00:00Z

  void put(const std::string& path, std::string_view text, time_t written = k_written) {
    std::filesystem::create_directories((m_folder / path).substr(0, (m_folder / path).rfind('/')));
    put_file(m_folder / path, text);
    const timespec times[2] = {{written, 0}, {written, 0}};
    REQUIRE(::utimensat(AT_FDCWD, (m_folder / path).c_str(), times, 0) == 0);
  }

  void skill(const std::string& path, const std::string& description, time_t written = k_written) {
    put(path + "/SKILL.md",
        "---\nname: " + path.substr(path.rfind('/') + 1) + "\ndescription: " + description
            + "\n---\n",
        written);
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
    int of_daemon = 0;
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
      of_daemon += transcript.needs_daemon;
    }
    CHECK(modern >= 3);
    CHECK(legacy >= 6);
    CHECK(of_daemon >= 5); // one of each revision
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
