#include "skills/generate/loop_samples.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace upskill::generate {
namespace {

eval::ArmSamples arm_of(std::span<const EvalSample> samples) {
  eval::ArmSamples arm;
  for (const EvalSample& sample : samples) {
    if (sample.outcome == SampleOutcome::error) {
      ++arm.errors;
    } else {
      arm.scores.push_back(sample.outcome == SampleOutcome::passed ? 1.0 : 0.0);
    }
  }
  return arm;
}

} // namespace

void LoopSamples::add(LoopArm arm,
                      std::size_t student,
                      const eval::CaseSuite& suite,
                      const std::vector<std::size_t>& cases,
                      Result<std::vector<EvalSample>> samples) {
  if (!samples) {
    m_errors[{arm, student}] = std::move(samples.error());
    return;
  }
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (std::size_t number : cases) {
    numbers.emplace(suite.cases[number].id, number);
  }
  for (EvalSample& sample : *samples) {
    auto found = numbers.find(sample.case_id);
    if (found != numbers.end()) {
      sample.arm = arm ? EvalArm::with_skill : EvalArm::baseline;
      m_samples[{arm, student, found->second}].push_back(std::move(sample));
    }
  }
  for (std::size_t number : cases) {
    auto found = m_samples.find({arm, student, number});
    if (found != m_samples.end()) {
      std::ranges::sort(found->second, {}, &EvalSample::run);
    }
  }
}

std::span<const EvalSample>
LoopSamples::of(LoopArm arm, std::size_t student, std::size_t case_number) const {
  auto found = m_samples.find({arm, student, case_number});
  return found == m_samples.end() ? std::span<const EvalSample>() : found->second;
}

std::optional<double>
LoopSamples::rate(LoopArm arm, std::size_t student, std::size_t case_number) const {
  double passed = 0;
  double scored = 0;
  for (const EvalSample& sample : of(arm, student, case_number)) {
    passed += sample.outcome == SampleOutcome::passed ? 1 : 0;
    scored += sample.outcome == SampleOutcome::error ? 0 : 1;
  }
  return scored > 0 ? std::optional(passed / scored) : std::nullopt;
}

std::optional<LoopSamples::Means> LoopSamples::means(LoopArm one,
                                                     LoopArm other,
                                                     std::size_t students,
                                                     const std::vector<std::size_t>& cases) const {
  Means sum;
  double known_students = 0;
  for (std::size_t student = 0; student < students; ++student) {
    Means of_student;
    double known = 0;
    for (std::size_t number : cases) {
      const std::optional<double> first = rate(one, student, number);
      const std::optional<double> second = rate(other, student, number);
      if (first && second) {
        of_student.one += *first;
        of_student.other += *second;
        ++known;
      }
    }
    if (known > 0) {
      sum.one += of_student.one / known;
      sum.other += of_student.other / known;
      ++known_students;
    }
  }
  if (known_students == 0) {
    return std::nullopt;
  }
  return Means{sum.one / known_students, sum.other / known_students};
}

std::optional<Error> LoopSamples::problem(LoopArm arm,
                                          const std::vector<std::string>& students,
                                          const std::vector<std::size_t>& cases) const {
  for (std::size_t student = 0; student < students.size(); ++student) {
    std::string first;
    bool is_known = false;
    for (std::size_t number : cases) {
      is_known = is_known || rate(arm, student, number);
      for (const EvalSample& sample : of(arm, student, number)) {
        first = first.empty() ? sample.error : first;
      }
    }
    auto error = m_errors.find({arm, student});
    if (!is_known && error != m_errors.end()) {
      return error->second;
    }
    if (!is_known) {
      return Error{ErrorCode::unavailable,
                   "no sample of `" + students[student] + "` has an outcome"
                       + (first.empty() ? "" : ": " + first),
                   "nothing is known of it, so nothing is saved"};
    }
  }
  return std::nullopt;
}

std::vector<eval::PairedCase> LoopSamples::pairs(std::size_t draft,
                                                 std::size_t student,
                                                 const eval::CaseSuite& suite,
                                                 const std::vector<std::size_t>& cases) const {
  std::vector<eval::PairedCase> paired;
  for (std::size_t number : cases) {
    paired.push_back({suite.cases[number].id,
                      suite.cases[number].cluster,
                      arm_of(of(draft, student, number)),
                      arm_of(of(std::nullopt, student, number))});
  }
  return paired;
}

} // namespace upskill::generate
