#include "tests/support/daemon_facts.h"
#include "tests/support/http_messages.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;

namespace {

// The addresses of one kind that the generated reference lists.
std::set<std::string> listed(const std::string& kind) {
  static const std::string text = file_text(UPSKILL_REFERENCE);
  std::set<std::string> addresses;
  std::regex row("\n\\| `([^`]+)` \\| " + kind + " \\|");
  for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it) {
    addresses.insert((*it)[1]);
  }
  return addresses;
}

// What a row stands for: each `{...}` is one part of a path.
std::regex pattern_of(const std::string& address) {
  return std::regex(std::regex_replace(address, std::regex(R"(\{\w+\})"), "[^/]+"));
}

json result_of(Client& client, std::string_view method, json params = json::object()) {
  json capabilities = {{"extensions", {{"io.modelcontextprotocol/tasks", json::object()}}}};
  client.send(modern_message(7, method, std::move(params), capabilities).dump() + "\n");
  json answer = json::parse(client.line());
  REQUIRE_MESSAGE(answer.contains("result"), answer.dump());
  return answer["result"];
}

// A home with a skill of the user and one of a project under sync.
class Home {
public:
  Home() {
    for (const char* skill : {".claude/skills/review", "project/.claude/skills/deploy"}) {
      std::filesystem::path folder = m_folder / skill;
      std::filesystem::create_directories(folder);
      put_file(folder / "SKILL.md",
               "---\nname: " + folder.filename().string() + "\ndescription: one\n---\n");
    }
    m_daemon.emplace(m_folder.path());
    Client person(m_daemon->socket());
    ask(person, "sync_enable", json{{"project", m_folder / "project"}}.dump());
  }

  const std::string& socket() const { return m_daemon->socket(); }

private:
  TemporaryFolder m_folder;
  std::optional<DaemonProcess> m_daemon;
};

} // namespace

TEST_SUITE("mcp reference") {
  TEST_CASE("it lists exactly the resources and templates that the daemon offers") {
    Home home;
    Client client(home.socket());
    std::set<std::string> templates;
    json page = result_of(client, "resources/templates/list");
    for (const json& one : page["resourceTemplates"]) {
      templates.insert(one["uriTemplate"]);
    }
    CHECK(templates == listed("template"));

    std::set<std::string> met;
    page = result_of(client, "resources/list");
    for (const json& one : page["resources"]) {
      std::string uri = one["uri"];
      CAPTURE(uri);
      auto rows = listed("resource");
      auto row = std::ranges::find_if(
          rows, [&](const std::string& other) { return std::regex_match(uri, pattern_of(other)); });
      REQUIRE(row != rows.end());
      met.insert(*row);
    }
    CHECK(met == listed("resource"));
  }

  TEST_CASE("a job is a task by its id, and no call becomes a task by itself") {
    Home home;
    Client client(home.socket());
    json call = tool_params("job", {{"action", "start"}, {"tool", "skill_sync"}});
    json started = result_of(client, "tools/call", call);
    CHECK(started["resultType"] == "complete");
    json job = started["structuredContent"]["jobs"][0];
    json task = result_of(client, "tasks/get", {{"taskId", job["id"]}});
    CHECK(task["taskId"] == job["id"]);
    std::string uri = "upskill://job/" + job["id"].get<std::string>();
    json contents = result_of(client, "resources/read", {{"uri", uri}})["contents"][0];
    CHECK(json::parse(contents["text"].get<std::string>())["id"] == job["id"]);
    CHECK(result_of(client, "tools/call", tool_params("skill_sync"))["resultType"] == "complete");
  }
}
