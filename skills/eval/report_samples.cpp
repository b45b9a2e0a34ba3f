#include "skills/eval/report_samples.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace upskill::eval {

std::vector<ReportedCase> by_case(const EvalModelReport& model) {
  std::vector<ReportedCase> cases;
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (const EvalCaseReport& report : model.cases) {
    if (numbers.emplace(report.case_id, cases.size()).second) {
      cases.push_back({report.case_id, &report, {}});
    }
  }
  const auto listed = static_cast<std::ptrdiff_t>(cases.size());
  for (const EvalSample& sample : model.samples) {
    auto [at, is_new] = numbers.emplace(sample.case_id, cases.size());
    if (is_new) {
      cases.push_back({sample.case_id, nullptr, {}});
    }
    cases[at->second].samples.push_back(&sample);
  }
  std::sort(cases.begin() + listed, cases.end(), [](const auto& one, const auto& other) {
    return one.id < other.id;
  });
  for (ReportedCase& one : cases) {
    std::ranges::sort(one.samples, {}, [](const EvalSample* sample) {
      return std::tuple(sample->run, sample->arm, sample);
    });
  }
  return cases;
}

} // namespace upskill::eval
