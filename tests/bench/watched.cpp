#include "tests/bench/watched.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::bench {
namespace {

constexpr std::size_t k_cases = 20;
constexpr std::size_t k_in_flight = 3; // skills that are accepted at a time
constexpr int k_wait_ms = 20'000;

std::string cases() {
  std::string cases;
  for (std::size_t i = 1; i <= k_cases; ++i) {
    cases +=
        fmt::format(R"({}{{"id":"q{}","input":"Question {}","expected":{{"contains":["pass"]}}}})",
                    i == 1 ? "" : ",",
                    i,
                    i);
  }
  return R"({"cases":[)" + cases + "]}";
}

std::string document(std::size_t number, std::size_t version) {
  return fmt::format(
      "---\nname: {0}\ndescription: A skill to measure with.\n---\n\n{1}\nVersion {2} "
      "of {0}.\n",
      skill_name(number),
      std::string(3000, 'x'),
      version);
}

nlohmann::json content_of(std::string_view answer) {
  nlohmann::json told = nlohmann::json::parse(answer, nullptr, false);
  require(told.is_object() && told.contains("result")
              && told["result"].contains("structuredContent"),
          "a call failed: " + std::string(answer.substr(0, 400)));
  return told["result"]["structuredContent"];
}

} // namespace

Watched::Watched(const Settings& settings)
    : m_home(settings, settings.folder)
    , m_model({"--base", "1", "--skill", "1"}) {
  make_skills(m_home.root(0), k_skills);
  for (std::size_t i = 0; i < k_skills; ++i) {
    save(i, 0);
    make_folders(m_home.root(0) + "/" + skill_name(i) + "/evals");
    write_text(m_home.root(0) + "/" + skill_name(i) + "/evals/evals.json", cases());
  }
  m_home.start();
  m_home.enable_sync();
  m_socket = m_home.connect();
  m_lines = std::make_unique<Lines>(m_socket.get(), m_socket.get());
  for (std::size_t i = 0; i < k_skills + k_in_flight; ++i) {
    if (i >= k_in_flight) {
      content_of(m_lines->receive());
    }
    if (i < k_skills) {
      m_lines->send(tool_call(
          "eval_accept",
          {.id = i + 1,
           .arguments =
               fmt::format(R"({{"skill":"{}","model":["generic.m"],"runs":1,"base_url":"{}"}})",
                           skill_name(i),
                           m_model.url())}));
    }
  }
  m_home.wait_idle();
  m_home.command({"sync", "now"}); // notes the new copies' times
  settle_disk(settings.folder);
}

Watched::~Watched() {
  m_home.stop();
}

void Watched::save(std::size_t number, std::size_t version) const {
  save_text(m_home.root(0) + "/" + skill_name(number) + "/SKILL.md", document(number, version));
}

std::string Watched::status_call(std::size_t number) const {
  return tool_call("watch_status",
                   {.arguments = fmt::format(R"({{"skill":["{}"],"after":{},"wait_ms":{}}})",
                                             skill_name(number),
                                             m_generation,
                                             k_wait_ms)});
}

WatchedNow Watched::take(std::string_view answer) {
  nlohmann::json told = content_of(answer);
  require(told["generation"].get<std::int64_t>() > m_generation, "nothing is told of a skill");
  m_generation = told["generation"];
  const nlohmann::json& skill = told["skills"].at(0);
  return {skill.value("hash", ""), skill.value("state", ""), skill.value("why", "")};
}

void Watched::listen(std::size_t number) {
  m_lines->send(status_call(number));
  m_is_listening = true;
}

WatchedNow Watched::wait(std::size_t number, const std::function<bool(const WatchedNow&)>& is_it) {
  if (!m_is_listening) {
    m_generation = 0; // what is known already counts, too
  }
  for (;;) {
    std::string_view answer =
        m_is_listening ? m_lines->receive() : m_lines->call(status_call(number));
    m_is_listening = false;
    if (WatchedNow now = take(answer); is_it(now)) {
      return now;
    }
  }
}

void Watched::test(std::size_t number) {
  content_of(m_lines->call(tool_call(
      "watch_run", {.arguments = fmt::format(R"({{"skill":"{}"}})", skill_name(number))})));
  wait(number, [](const WatchedNow& now) { return now.state == "idle"; });
}

} // namespace upskill::bench
