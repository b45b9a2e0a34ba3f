#include "tests/simulation/watch_world.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace upskill::simulation {
namespace {

using namespace bench;

constexpr std::size_t k_cursor = 2; // whose folder is written to, of Home's roots
constexpr std::size_t k_most_polls = 100'000;
constexpr int k_wait_ms = 20'000;

Settings settings() {
  Settings settings;
  settings.programs = beside_bench("");
  return settings;
}

std::string name_of(std::size_t seed) {
  return fmt::format("lesson-{}", seed);
}

// `edit` 0 is the version that is accepted. No two texts are the same, so no two share an answer.
std::string text_of(std::size_t seed, std::size_t edit, bool has_marker) {
  return fmt::format("---\nname: {}\ndescription: What lesson {} teaches.\n---\n\n"
                     "Edit {} of lesson {}. {}\n",
                     name_of(seed),
                     seed,
                     edit,
                     seed,
                     has_marker ? "marker-of-the-skill" : "It has lost what it knew.");
}

std::string cases_of(std::size_t seed) {
  std::string cases;
  for (std::size_t i = 1; i <= WatchWorld::k_cases; ++i) {
    cases += fmt::format(
        R"({}{{"id":"q{}","input":"Question {} of {}","expected":{{"contains":["pass"]}}}})",
        i == 1 ? "" : ",",
        i,
        i,
        seed);
  }
  return R"({"cases":[)" + cases + "]}";
}

nlohmann::json result_of(std::string_view answer) {
  nlohmann::json told = nlohmann::json::parse(answer, nullptr, false);
  require(told.is_object() && told.contains("result")
              && told["result"].contains("structuredContent"),
          "a call failed: " + std::string(answer.substr(0, 400)));
  return told;
}

} // namespace

WatchWorld::WatchWorld(const Rounds& rounds, double with_marker, double without)
    : m_home(settings(), "/tmp")
    , m_rounds(rounds)
    , m_hashes(rounds.seeds) {
  make_folders(m_home.path() + "/.config/upskill");
  write_text(m_home.path() + "/.config/upskill/config.yaml",
             "watch:\n  mode: auto\n  ask_above: 10000\n");
  for (std::size_t seed = 1; seed <= rounds.seeds; ++seed) {
    std::string folder = m_home.root(k_cursor) + "/" + name_of(seed);
    make_folders(folder + "/evals");
    write_text(folder + "/SKILL.md", text_of(seed, 0, true));
    write_text(folder + "/evals/evals.json", cases_of(seed));
  }
  for (std::size_t i = 0; i < rounds.students; ++i) {
    m_students.push_back(
        std::make_unique<ModelServer>(std::vector<std::string>{"--skill",
                                                               std::to_string(with_marker),
                                                               "--base",
                                                               std::to_string(without),
                                                               "--seed",
                                                               std::to_string(i + 1)}));
  }
  m_home.start();
  m_home.enable_sync();
  m_socket = m_home.connect();
  m_lines = std::make_unique<Lines>(m_socket.get(), m_socket.get());
}

WatchWorld::~WatchWorld() {
  m_home.stop();
}

Accepted WatchWorld::accept() {
  Accepted accepted;
  run_rounds(
      *m_lines,
      m_rounds,
      [&](std::size_t student, std::size_t seed) {
        return tool_call("eval_accept",
                         {.id = student,
                          .arguments = fmt::format(
                              R"({{"skill":"{}","model":["generic.m"],"runs":{},"base_url":"{}"}})",
                              name_of(seed),
                              k_runs,
                              m_students[student]->url())});
      },
      [&](std::string_view answer) {
        nlohmann::json told = result_of(answer);
        const nlohmann::json& result = told["result"]["structuredContent"];
        const nlohmann::json& subject = result["subjects"].at(0);
        require(subject["samples"] == k_cases * k_runs, "a sample has no outcome");
        accepted.samples += subject["samples"].get<double>();
        accepted.passed +=
            subject["rate"]["value"].get<double>() * subject["samples"].get<double>();
        std::string name = result["skill"];
        m_hashes.at(std::stoul(name.substr(name.find('-') + 1)) - 1) = result["hash"];
        return told["id"].get<std::size_t>();
      });
  return accepted;
}

void WatchWorld::rewrite(std::size_t seed, std::size_t edit, bool keeps_marker) const {
  save_text(m_home.root(k_cursor) + "/" + name_of(seed) + "/SKILL.md",
            text_of(seed, edit, keeps_marker));
}

Verdict WatchWorld::verdict(std::size_t seed, std::size_t edit) {
  std::int64_t after = 0;
  for (std::size_t poll = 0; poll < k_most_polls; ++poll) {
    std::string_view answer = m_lines->call(tool_call(
        "watch_status",
        {.arguments = fmt::format(
             R"({{"skill":["{}"],"after":{},"wait_ms":{}}})", name_of(seed), after, k_wait_ms)}));
    nlohmann::json told = result_of(answer)["result"]["structuredContent"];
    require(told["generation"].get<std::int64_t>() > after,
            fmt::format("nothing is heard of edit {} of {}", edit, name_of(seed)));
    after = told["generation"];
    const nlohmann::json& skill = told["skills"].at(0);
    if (skill["hash"] == m_hashes[seed - 1] || skill["state"] != "idle") {
      continue;
    }
    require(skill["subjects"].size() == 1 && skill["subjects"][0]["samples"] > 0,
            "it was not tested: " + skill.dump());
    m_hashes[seed - 1] = skill["hash"];
    return {skill["verdict"], skill["subjects"][0]["samples"]};
  }
  throw Problem("there is no end of news of " + name_of(seed));
}

} // namespace upskill::simulation
