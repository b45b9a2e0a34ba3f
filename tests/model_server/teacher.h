#pragma once
#include "tests/model_server/draw.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace upskill::model_server {

// What a teacher writes, and in which way it does badly.
struct Lesson {
  std::string name = "drawn-lesson";
  std::string marker = "marker-of-the-skill"; // in the body of a draft that is good for something
  std::string draft = "plain";                // one of k_drafts
  std::string cases = "plain";                // one of k_cases
  std::string counters = "plain";             // counterexamples: one of k_counters
  std::string description = "better";         // what a description is like that is written anew:
                                              // one of k_descriptions
  bool mends = false;                         // does well where it is asked again
  std::uint64_t seed = 1;
};

bool is_draft(std::string_view kind);
bool is_cases(std::string_view kind);
bool is_counters(std::string_view kind);
bool is_description(std::string_view kind);

// A model that writes skills and test cases: a SKILL.md to whoever asks without a schema, 20 cases
// to whoever asks for `cases`, each of which is answered rightly by `pass`, 5 more to whoever looks
// for tasks at which a skill does harm. To whoever asks for `queries` it writes 10 that should pick
// its skill, of which the description of its draft has words of 3, and 10 that should not. Every
// reply has a number of its own (draw.h) in the draft, in each input and query, so no two of them
// are alike.
// Owner: main. Thread: its only one. Lifetime: the server's.
class Teacher {
public:
  explicit Teacher(Lesson lesson)
      : m_lesson(std::move(lesson))
      , m_draws(m_lesson.seed) {}

  // Nothing to a student's task, which it is not for.
  std::optional<std::string> answer(std::string_view body);

private:
  std::string write_draft(std::string_view body, const std::string& number) const;
  std::string write_cases(std::string_view body, const std::string& number) const;
  std::string write_counterexamples(std::string_view body, const std::string& number) const;
  std::string write_description(std::string_view body) const;

  Lesson m_lesson;
  Draws m_draws;
};

} // namespace upskill::model_server
