// Generations whose truth is known: the real daemon over its socket, a teacher and students that
// are processes of their own, drafts that teach as much as the students' rates say (README.md).
#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/model_server.h"
#include "tests/simulation/binomial.h"
#include "tests/simulation/rounds.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace upskill::bench;
using namespace upskill::simulation;

constexpr const char* k_name = "drawn-lesson"; // the teacher's, and so the folder's
constexpr const char* k_marker = "marker-of-the-skill";
constexpr double k_chance = 1e-6;    // that a short simulation fails what keeps its promises
constexpr std::size_t k_whole = 200; // from here on the shares themselves are held to the promise
constexpr double k_stopping_bias = 0.05; // of a rate, where a second look depends on the first one

enum class Promise { at_least, at_most };

struct Truth {
  double base;
  double skill;
  Promise promise;
  double saved; // share of generations
};

constexpr std::array<Truth, 4> k_truths{{{0.60, 0.95, Promise::at_least, 0.90},
                                         {0.40, 0.85, Promise::at_least, 0.90},
                                         {0.60, 0.60, Promise::at_most, 0.05},
                                         {0.60, 0.30, Promise::at_most, 0}}};

struct Arm {
  double passed = 0;
  double samples = 0;

  void add(const nlohmann::json& arm) {
    require(arm["errors"] == 0, "a sample has no outcome");
    passed += arm["passed"].get<double>();
    samples += arm["samples"].get<double>();
  }
};

struct Counts {
  std::size_t saved = 0;
  std::size_t worse = 0;
  std::size_t drafts = 0;
  std::size_t asked = 0;
  Arm baseline = {}; // of held-out cases
  Arm with_skill = {};
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  require(file.good(), "there is no `" + path + "`");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Each seed asks something else, so that no answer of one is known to another.
std::string task_of(std::size_t seed) {
  return fmt::format("Answer the numbered questions of lesson {}", seed);
}

// One truth: its home, its teacher and its students. As many generations at a time as there are
// students.
class World {
public:
  World(const Rounds& rounds, Truth truth)
      : m_home(settings(), "/tmp")
      , m_teacher({"--teacher"}) {
    for (std::size_t i = 0; i < rounds.students; ++i) {
      m_students.push_back(
          std::make_unique<ModelServer>(std::vector<std::string>{"--base",
                                                                 std::to_string(truth.base),
                                                                 "--skill",
                                                                 std::to_string(truth.skill),
                                                                 "--seed",
                                                                 std::to_string(i + 1)}));
      m_seeds.push_back(0);
    }
  }

  Counts run(const Rounds& rounds) {
    m_home.start();
    upskill::UniqueFd socket = m_home.connect();
    Lines lines(socket.get(), socket.get());
    run_rounds(
        lines,
        rounds,
        [&](std::size_t student, std::size_t seed) { return ask(student, seed); },
        [&](std::string_view answer) { return take(answer); });
    m_home.stop();
    return m_counts;
  }

private:
  static Settings settings() {
    Settings settings;
    settings.programs = beside_bench("");
    return settings;
  }

  std::string folder_of(std::size_t seed) const {
    return fmt::format("{}/lessons/{}", m_home.path(), seed);
  }

  std::string output_of(std::size_t seed) const { return folder_of(seed) + "/" + k_name; }

  std::string ask(std::size_t student, std::size_t seed) {
    m_seeds[student] = seed;
    make_folders(folder_of(seed));
    return tool_call(
        "skill_generate",
        {.id = student,
         .arguments = fmt::format(R"({{"task":"{}","model":"generic.teacher","base_url":"{}",)"
                                  R"("eval_model":["generic.student"],"eval_base_url":"{}",)"
                                  R"("output":"{}","seed":{},"log_runs":false}})",
                                  task_of(seed),
                                  m_teacher.url(),
                                  m_students[student]->url(),
                                  output_of(seed),
                                  seed)});
  }

  std::size_t take(std::string_view answer) {
    nlohmann::json told = nlohmann::json::parse(answer, nullptr, false);
    require(told.is_object() && told.contains("result")
                && told["result"].contains("structuredContent"),
            "a generation failed: " + std::string(answer.substr(0, 600)));
    auto student = told["id"].get<std::size_t>();
    const nlohmann::json& result = told["result"]["structuredContent"];
    require(result.contains("outcome"),
            "a generation failed: " + std::string(answer.substr(0, 600)));
    check(result, m_seeds[student]);
    m_counts.drafts += result.value("attempts", nlohmann::json::array()).size();
    m_counts.asked += result.value("asked", std::size_t(0));
    for (const nlohmann::json& model : result.value("models", nlohmann::json::array())) {
      m_counts.with_skill.add(model["with_skill"]);
      m_counts.baseline.add(model["baseline"]);
    }
    return student;
  }

  // What is on the disk is what the answer says.
  void check(const nlohmann::json& result, std::size_t seed) {
    auto outcome = result["outcome"].get<std::string>();
    std::string output = output_of(seed);
    if (outcome != "saved") {
      require(!std::filesystem::exists(output), "`" + output + "` is there, though " + outcome);
      m_counts.worse += outcome == "worse" ? 1 : 0;
      return;
    }
    ++m_counts.saved;
    require(result.value("saved", "") == output, "it is saved elsewhere: " + result.dump());
    require(result.contains("models") && result["models"].size() == 1,
            "it is saved, and no student is told");
    require(text_of(output + "/SKILL.md").find(k_marker) != std::string::npos,
            "SKILL.md of `" + output + "` lacks what was taught");
    nlohmann::json meta =
        nlohmann::json::parse(text_of(output + "/skill_meta.json"), nullptr, false);
    require(meta.is_object() && meta.contains("metadata") && meta.contains("tests")
                && meta["tests"].is_array() && !meta["tests"].empty(),
            "skill_meta.json of `" + output + "` has no metadata or no tests");
    require(meta["metadata"].value("source_task", "").find(task_of(seed)) != std::string::npos,
            "skill_meta.json of `" + output + "` tells another task");
  }

  Home m_home;
  ModelServer m_teacher;
  std::vector<std::unique_ptr<ModelServer>> m_students = {};
  std::vector<std::size_t> m_seeds = {}; // that each student is asked for now
  Counts m_counts = {};
};

// A second look comes only after an undecided first one, so the means are a little off the rates.
bool is_about(const Arm& arm, double rate) {
  double error = 6 * std::sqrt(rate * (1 - rate) / arm.samples);
  return arm.samples == 0 || std::abs(arm.passed / arm.samples - rate) < k_stopping_bias + error;
}

bool judge(std::size_t seeds, const Truth& truth, const Counts& counts) {
  if (!is_about(counts.baseline, truth.base) || !is_about(counts.with_skill, truth.skill)) {
    fmt::print("  the students did not draw at their rates: {:.4f} and {:.4f}\n",
               counts.baseline.passed / counts.baseline.samples,
               counts.with_skill.passed / counts.with_skill.samples);
    return false;
  }
  if (truth.promise == Promise::at_most && truth.saved == 0) {
    return counts.saved == 0;
  }
  double share = static_cast<double>(counts.saved) / static_cast<double>(seeds);
  bool is_whole = seeds >= k_whole;
  if (truth.promise == Promise::at_most) {
    return is_whole ? share <= truth.saved
                    : counts.saved <= most_likely(seeds, truth.saved, k_chance);
  }
  return is_whole ? share >= truth.saved
                  : seeds - counts.saved <= most_likely(seeds, 1 - truth.saved, k_chance);
}

int run(const Rounds& rounds) {
  fmt::print("{} generations each, {} at a time\n{:<12} {:<29} {:<29} {:>7} {:>7}\n",
             rounds.seeds,
             rounds.students,
             "rates",
             "saved",
             "worse",
             "drafts",
             "calls");
  bool is_good = true;
  auto each = [&](std::size_t sum) {
    return static_cast<double>(sum) / static_cast<double>(rounds.seeds);
  };
  for (const Truth& truth : k_truths) {
    auto begun = std::chrono::steady_clock::now();
    Counts counts = World(rounds, truth).run(rounds);
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    bool is_kept = judge(rounds.seeds, truth, counts);
    is_good = is_good && is_kept;
    fmt::print("{:.2f} {:.2f}    {:<29} {:<29} {:7.1f} {:7.0f} {}, {:.0f} s\n",
               truth.base,
               truth.skill,
               shown(counts.saved, rounds.seeds),
               shown(counts.worse, rounds.seeds),
               each(counts.drafts),
               each(counts.asked),
               is_kept ? "kept" : "NOT KEPT",
               took.count());
    std::fflush(stdout);
  }
  return is_good ? 0 : 1;
}

} // namespace

int main(int count, char** words) {
  Rounds rounds;
  rounds.seeds = 40;
  if (!read_rounds(count, words, rounds)) {
    std::fputs("generate_simulation [--seeds N] [--students N]\n", stderr);
    return 2;
  }
  try {
    return run(rounds);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "generate_simulation: %s\n", problem.what());
    return 3;
  }
}
