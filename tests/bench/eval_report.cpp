#include "skills/eval/report.h"
#include "tests/bench/bench.h"
#include "tests/bench/measure.h"

#include <fmt/format.h>

#include <random>

namespace upskill::bench {
namespace {

struct Shape {
  const char* name;
  std::size_t models;
  std::size_t cases;
  std::size_t runs; // of each arm
};

// 100,000 samples each: many cases, many runs of few cases, many models.
constexpr Shape k_shapes[] = {
    {"cases", 1, 10'000, 5}, {"runs", 1, 20, 2500}, {"models", 20, 250, 10}};

eval::CaseSuite suite_of(const Shape& shape) {
  eval::CaseSuite suite;
  for (std::size_t i = 0; i < shape.cases; ++i) {
    eval::Case one;
    one.id = std::to_string(i + 1);
    one.input = "What is to be done?";
    suite.cases.push_back(std::move(one));
  }
  return suite;
}

// Cases differ in how hard they are, and one sample in a hundred is an error.
std::vector<eval::ModelSamples> samples_of(const Shape& shape) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<eval::ModelSamples> models;
  for (std::size_t model = 0; model < shape.models; ++model) {
    eval::ModelSamples drawn{"model-" + std::to_string(model), "chat", {}};
    for (std::size_t i = 0; i < shape.cases; ++i) {
      double base = 0.8 * share(random);
      for (std::size_t k = 0; k < 2 * shape.runs; ++k) {
        EvalSample sample;
        sample.case_id = std::to_string(i + 1);
        sample.arm = k % 2 == 0 ? EvalArm::with_skill : EvalArm::baseline;
        sample.run = static_cast<std::int64_t>(k / 2 + 1);
        double rate = base + (k % 2 == 0 ? 0.1 : 0);
        sample.outcome = share(random) < 0.01   ? SampleOutcome::error
                         : share(random) < rate ? SampleOutcome::passed
                                                : SampleOutcome::failed;
        sample.output = std::string(200, 'x');
        sample.tokens = {.input = 900, .output = 11, .cached = {}, .total = 911};
        sample.cost = 0.001;
        sample.milliseconds = 50;
        drawn.samples.push_back(std::move(sample));
      }
    }
    models.push_back(std::move(drawn));
  }
  return models;
}

} // namespace

// In this process: what is counted is the statistics, not the way to them.
void eval_report(const Settings& settings, const Report& report) {
  for (const Shape& shape : k_shapes) {
    eval::CaseSuite suite = suite_of(shape);
    std::vector<eval::ModelSamples> drawn = samples_of(shape);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < settings.runs; ++i) {
      std::vector<eval::ModelSamples> samples = drawn;
      seconds.push_back(seconds_of([&] {
        auto told = eval::report_models(suite, std::move(samples), true, i + 1);
        require(told && told->size() == shape.models && told->front().lift, "there is no report");
      }));
    }
    report({fmt::format("eval_report.{}", shape.name),
            "s",
            median(seconds),
            0,
            Judged::value,
            1,
            false,
            fmt::format("the report of 100,000 samples: {} models, {} cases, {} runs of each arm",
                        shape.models,
                        shape.cases,
                        shape.runs)});
  }
}

} // namespace upskill::bench
