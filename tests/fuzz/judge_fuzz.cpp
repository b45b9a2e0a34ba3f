#include "protocol/base/utf8.h"
#include "skills/document/unicode.h"
#include "skills/eval/judge.h"
#include "skills/generate/test_cases.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace upskill;
using namespace upskill::eval;

namespace {

// A broken promise must stop the fuzzer.
void promise(bool kept) {
  if (!kept) {
    std::abort();
  }
}

std::string marked_line(const JudgePrompt& prompt) {
  return prompt.user.substr(0, prompt.user.find('\n'));
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

} // namespace

// Up to the first NUL an answer, then what a judge said about it: no bytes make an answer end its
// part of the prompt, and no reply counts that has no proof.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::string_view answer = bytes.substr(0, bytes.find('\0'));
  std::string_view reply = bytes.substr(answer.size() < size ? answer.size() + 1 : size);

  JudgePrompt prompt = judge_prompt({"the task", "", "the rubric", answer});
  promise(is_utf8(prompt.user));
  std::string line = marked_line(prompt);
  std::string mark = line.substr(line.rfind(' ') + 1);
  promise(count(prompt.user, mark) == (answer.empty() ? 5u : 7u));

  JudgeOpinion opinion = read_opinion(reply, answer);
  promise(!opinion.evidence.empty() && opinion.evidence.size() <= k_max_evidence);
  promise(opinion.holds != true || !document::strip(answer).empty());
  Comparison comparison = read_comparison(reply, answer, "another answer");
  promise(!comparison.evidence.empty() && comparison.evidence.size() <= k_max_evidence);
  // Who says the same whichever comes first prefers a place.
  Comparison both = agree(comparison, comparison);
  promise(!both.preference || both.preference == Preference::tie);

  generate::CaseRequest request{"name", "description", std::string(answer), 3};
  auto cases = generate::read_written_cases(reply, request);
  promise(!cases || (!cases->cases.empty() && cases->cases.size() <= 3));
  if (cases) {
    promise(generate::read_written_cases(generate::write_test_file(*cases), request).has_value());
  }
  return 0;
}
