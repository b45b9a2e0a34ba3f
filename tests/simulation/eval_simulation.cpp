// Evaluations whose truth is known: the real daemon over its socket, and students that are
// processes of their own and draw at known rates (README.md).
#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/model_server.h"
#include "tests/simulation/binomial.h"
#include "tests/simulation/rounds.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

using namespace upskill::bench;
using namespace upskill::simulation;

constexpr std::size_t k_cases = 20;
constexpr std::size_t k_runs = 3;
constexpr double k_most_useless = 0.05; // called better
constexpr double k_least_useful = 0.90; // called better
constexpr double k_chance = 1e-6;       // that a short simulation fails what keeps both promises
constexpr std::size_t k_whole = 2000; // from here on the shares themselves are held to the promise

struct Options {
  Rounds rounds = {};
  bool all_rates = false;
};

struct Truth {
  double base;
  double skill;

  bool is_useless() const { return base == skill; }
};

struct Counts {
  std::size_t better = 0;
  std::size_t worse = 0;
  std::size_t undecided = 0;
  double base_passed = 0;
  double skill_passed = 0;
};

std::vector<std::string> student(Truth truth, std::size_t number) {
  return {"--base",
          std::to_string(truth.base),
          "--skill",
          std::to_string(truth.skill),
          "--seed",
          std::to_string(number + 1)};
}

std::string write_world(const Home& home) {
  make_folders(home.path() + "/lesson");
  write_text(home.path() + "/lesson/SKILL.md",
             "---\nname: lesson\ndescription: What is taught.\n---\n\nmarker-of-the-skill\n");
  std::string cases;
  for (std::size_t i = 1; i <= k_cases; ++i) {
    cases += fmt::format(
        R"({}{{"input":"Question {}","expected":{{"contains":["pass"]}}}})", i == 1 ? "" : ",", i);
  }
  write_text(home.path() + "/tests.json", R"({"cases":[)" + cases + "]}");
  return home.path();
}

// The id of the call is that of the student who answers it.
std::string
request(const std::string& folder, std::size_t student, const std::string& url, std::size_t seed) {
  return tool_call(
      "skill_eval",
      {.id = student,
       .arguments = fmt::format(R"({{"skill":"{0}/lesson","tests":"{0}/tests.json","runs":{1},)"
                                R"("model":["generic.m"],"base_url":"{2}",)"
                                R"("seed":{3},"fresh":true,"log_runs":false}})",
                                folder,
                                k_runs,
                                url,
                                seed)});
}

std::size_t count(Counts& counts, std::string_view answer) {
  nlohmann::json told = nlohmann::json::parse(answer, nullptr, false);
  require(told.is_object() && told.contains("result")
              && told["result"].contains("structuredContent"),
          "an evaluation failed: " + std::string(answer.substr(0, 400)));
  const nlohmann::json& model = told["result"]["structuredContent"]["models"][0];
  for (const char* arm : {"baseline", "with_skill"}) {
    require(model[arm]["samples"] == k_cases * k_runs, "a sample has no outcome");
  }
  counts.base_passed += model["baseline"]["passed"].get<double>();
  counts.skill_passed += model["with_skill"]["passed"].get<double>();
  auto verdict = model["verdict"].get<std::string>();
  ++(verdict == "better" ? counts.better : verdict == "worse" ? counts.worse : counts.undecided);
  return told["id"].get<std::size_t>();
}

// As many evaluations at a time as there are students.
Counts simulate(const Options& options, const std::string& programs, Truth truth) {
  Settings settings;
  settings.programs = programs;
  Home home(settings, "/tmp");
  std::string folder = write_world(home);
  home.start();
  std::vector<std::unique_ptr<ModelServer>> students;
  for (std::size_t i = 0; i < options.rounds.students; ++i) {
    students.push_back(std::make_unique<ModelServer>(student(truth, i)));
  }
  upskill::UniqueFd socket = home.connect();
  Lines lines(socket.get(), socket.get());
  Counts counts;
  run_rounds(
      lines,
      options.rounds,
      [&](std::size_t free, std::size_t seed) {
        return request(folder, free, students[free]->url(), seed);
      },
      [&](std::string_view answer) { return count(counts, answer); });
  home.stop();
  return counts;
}

bool judge(const Options& options, Truth truth, const Counts& counts) {
  double samples = static_cast<double>(options.rounds.seeds * k_cases * k_runs);
  if (!is_drawn_at(counts.base_passed, samples, truth.base)
      || !is_drawn_at(counts.skill_passed, samples, truth.skill)) {
    fmt::print("  the students did not draw at their rates: {:.4f} and {:.4f}\n",
               counts.base_passed / samples,
               counts.skill_passed / samples);
    return false;
  }
  double share = static_cast<double>(counts.better) / static_cast<double>(options.rounds.seeds);
  if (options.rounds.seeds >= k_whole) {
    return truth.is_useless() ? share <= k_most_useless : share >= k_least_useful;
  }
  if (truth.is_useless()) {
    return counts.better <= most_likely(options.rounds.seeds, k_most_useless, k_chance);
  }
  return options.rounds.seeds - counts.better
         <= most_likely(options.rounds.seeds, 1 - k_least_useful, k_chance);
}

int run(const Options& options) {
  std::string own = beside_bench("");
  std::vector<Truth> truths = {{0.6, 0.6}, {0.6, 0.95}};
  if (options.all_rates) {
    truths.insert(truths.begin() + 1, {{0.2, 0.2}, {0.8, 0.8}});
  }
  fmt::print(
      "{} evaluations each, {} cases, {} runs, {} students\n{:<12} {:<29} {:<29} {:<29} {}\n",
      options.rounds.seeds,
      k_cases,
      k_runs,
      options.rounds.students,
      "rates",
      "better",
      "worse",
      "undecided",
      "");
  bool is_good = true;
  for (Truth truth : truths) {
    auto begun = std::chrono::steady_clock::now();
    Counts counts = simulate(options, own, truth);
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    bool is_kept = judge(options, truth, counts);
    is_good = is_good && is_kept;
    fmt::print("{:.2f} {:.2f}    {:<29} {:<29} {:<29} {}, {:.0f} s\n",
               truth.base,
               truth.skill,
               shown(counts.better, options.rounds.seeds),
               shown(counts.worse, options.rounds.seeds),
               shown(counts.undecided, options.rounds.seeds),
               is_kept ? "kept" : "NOT KEPT",
               took.count());
    std::fflush(stdout);
  }
  return is_good ? 0 : 1;
}

} // namespace

int main(int count, char** words) {
  Options options;
  if (!read_rounds(count, words, options.rounds, "--all-rates", &options.all_rates)) {
    std::fputs("eval_simulation [--seeds N] [--students N] [--all-rates]\n", stderr);
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "eval_simulation: %s\n", problem.what());
    return 3;
  }
}
