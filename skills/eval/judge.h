#pragma once
#include "skills/eval/grade.h"

#include <tl/expected.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::eval {

inline constexpr std::size_t k_max_judged = 100'000; // bytes of one text that a judge is shown

// What a judge is asked about one answer.
struct JudgeQuestion {
  std::string_view task = {};     // what the student was asked
  std::string_view expected = {}; // prose; may be empty
  std::string_view rubric = {};   // what must hold; empty in a comparison: doing the task well
  std::string_view answer = {};
};

struct JudgePrompt {
  std::string system = {};
  std::string user = {};
  std::string schema = {}; // JSON Schema of the reply
};

// What a judge looks at: the answer, or the output file of a case that has one. Where there is
// nothing to look at, what is to be said without asking.
tl::expected<std::string_view, JudgeOpinion> judged_text(const Case& one, const Observation& seen);

// The same question gives the same bytes.
JudgePrompt judge_prompt(const JudgeQuestion& question);

// What the judge said. A yes holds with a passage of the answer that shows it, word for word, a no
// with a reason; all else is an opinion of neither kind that says why.
JudgeOpinion read_opinion(std::string_view reply, std::string_view answer);

// Which of two answers is better.
enum class Preference { first, second, tie };

struct Comparison {
  std::optional<Preference> preference = {}; // none: it could not say, or was not reached
  std::string evidence = {};

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

// `question.answer` is the first answer.
JudgePrompt comparison_prompt(const JudgeQuestion& question, std::string_view second);

// In the order in which this judge saw them. A preference needs a passage of one of them.
Comparison read_comparison(std::string_view reply, std::string_view first, std::string_view second);

// Of two askings, the second one with the answers swapped, in the order of the first. What both say
// holds. A preference and a tie are a tie; contrary preferences are that for a place, and say
// nothing.
Comparison agree(const Comparison& straight, const Comparison& swapped);

// Whether the first is as good or better, by both askings or by none of them.
JudgeOpinion at_least_as_good(const Comparison& straight, const Comparison& swapped);

} // namespace upskill::eval
