#include "skills/generate/failure_texts.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace upskill::generate {
namespace {

// Bytes. The lines around a text, the line that says that it was cut, and numbers of many digits.
constexpr std::size_t k_around = 200;
constexpr std::size_t k_least_case = 4 * k_around; // a case with less is not worth its lines
constexpr std::size_t k_most_answer = 16'000;      // of a first one
constexpr std::size_t k_most_further = 8000;       // of each after it
constexpr std::size_t k_least_further = 400;

struct FailedCase {
  std::vector<const Failure*> answers = {}; // each text once
  std::set<std::string_view> outputs = {};
  std::vector<std::size_t> limits = {}; // of the answers that are shown: bytes
  std::size_t input_limit = 0;
  std::size_t checks_limit = 0;
  bool is_harmed = false; // it passes without the skill
};

std::vector<FailedCase> by_case(const std::vector<Failure>& failures) {
  std::vector<FailedCase> cases;
  std::map<std::string_view, std::size_t> places;
  for (const Failure& failure : failures) {
    auto [at, is_new] = places.emplace(failure.case_id, cases.size());
    if (is_new) {
      cases.emplace_back();
    }
    FailedCase& one = cases[at->second];
    one.is_harmed = one.is_harmed || failure.passes_without;
    if (one.outputs.insert(failure.output).second) {
      one.answers.push_back(&failure);
    }
  }
  std::vector<FailedCase> sorted;
  for (bool is_harmed : {true, false}) {
    for (FailedCase& one : cases) {
      if (one.is_harmed == is_harmed) {
        sorted.push_back(std::move(one));
      }
    }
  }
  return sorted;
}

std::string failed_text(const FailedCase& one, const Failure& failure) {
  std::string text = one.is_harmed ? "This case passes without the skill.\n" : "";
  text += failure.student.empty() ? "" : "The assistant: " + failure.student + "\n";
  for (const std::string& check : failure.checks) {
    text += "- " + check + "\n";
  }
  return text.empty() ? "It did not pass." : text;
}

std::string_view answer_text(const Failure& failure) {
  return failure.output.empty() ? "(nothing)" : std::string_view(failure.output);
}

// What is shown of a text; U+FFFD takes more room than the byte for which it stands.
std::size_t shown_size(std::string_view text, std::size_t limit) {
  return std::min(is_utf8(text) ? text.size() : to_valid_utf8(text).size(), limit);
}

// What the answer takes at most, with its checks.
std::size_t room_of(const FailedCase& one, std::size_t answer, std::size_t limit) {
  const Failure& failure = *one.answers[answer];
  return shown_size(answer_text(failure), limit)
         + shown_size(failed_text(one, failure), one.checks_limit) + 2 * k_around;
}

// Gives every case its first answer within its share; returns the bytes that are left.
std::size_t give_first(std::vector<FailedCase>& cases, std::size_t budget) {
  std::size_t left = budget;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    FailedCase& one = cases[i];
    const Failure& failure = *one.answers.front();
    std::size_t share = left / (cases.size() - i); // what one case does not need is for the next
    std::size_t texts = share - 3 * k_around;
    one.input_limit = texts / 4;
    one.checks_limit = texts / 4;
    std::size_t input = shown_size(failure.input, one.input_limit);
    std::size_t checks = shown_size(failed_text(one, failure), one.checks_limit);
    one.limits.push_back(std::min(texts - input - checks, k_most_answer));
    left -= input + k_around + room_of(one, 0, one.limits.front());
  }
  return left;
}

void give_further(std::vector<FailedCase>& cases, std::size_t left) {
  std::size_t most = 0;
  for (const FailedCase& one : cases) {
    most = std::max(most, one.answers.size());
  }
  for (std::size_t answer = 1; answer < most; ++answer) {
    auto has_one = [&](const FailedCase& one) { return answer < one.answers.size(); };
    auto waiting = static_cast<std::size_t>(std::ranges::count_if(cases, has_one));
    for (FailedCase& one : cases) {
      if (!has_one(one)) {
        continue;
      }
      std::size_t limit = std::clamp(left / waiting--, k_least_further, k_most_further);
      std::size_t room = room_of(one, answer, limit);
      if (room > left) {
        return;
      }
      one.limits.push_back(limit);
      left -= room;
    }
  }
}

} // namespace

void add_failures(OtherTexts& texts, const std::vector<Failure>& failures, std::size_t budget) {
  std::vector<FailedCase> cases = by_case(failures);
  std::size_t found = cases.size();
  if (std::size_t most = (budget - k_around) / k_least_case; found > most) {
    cases.resize(most);
    budget -= k_around;
  }
  give_further(cases, give_first(cases, budget));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const FailedCase& one = cases[i];
    std::string name = "case " + std::to_string(i + 1);
    texts.add(name + " task", one.answers.front()->input, one.input_limit);
    for (std::size_t answer = 0; answer < one.limits.size(); ++answer) {
      const Failure& failure = *one.answers[answer];
      std::string number = " " + std::to_string(answer + 1);
      texts.add(name + " answer" + number, answer_text(failure), one.limits[answer]);
      texts.add(name + " failed" + number, failed_text(one, failure), one.checks_limit);
    }
  }
  if (found > cases.size()) {
    texts.add("left out", std::to_string(found - cases.size()) + " more cases failed.", 200);
  }
}

} // namespace upskill::generate
