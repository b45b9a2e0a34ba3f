#include "skills/generate/case_sieve.h"

#include "protocol/base/utf8.h"
#include "skills/document/unicode.h"
#include "skills/eval/cases.h"
#include "skills/eval/grade.h"
#include "skills/eval/reply_json.h"
#include "skills/generate/likeness.h"

#include <algorithm>
#include <set>

namespace upskill::generate {
namespace {

using eval::Case;
using eval::CaseSuite;

constexpr std::size_t k_least_expected = 2; // upskill's
constexpr std::size_t k_most_warnings = 100;
constexpr std::size_t k_told_reasons = 3;

// An answer to nothing: what it has, every answer may have. What an empty one passes, it passes
// too, since cases of models ask only for texts that are there.
constexpr std::string_view k_idle =
    "I am sorry, but I cannot help with this. Yes, no, true, false, ok, done, error, none. Here is "
    "what you asked for, step by step: 1. First open the file and look at the code of the example. "
    "2. Then run the command and check the output, the test and the result. 3. Use the right "
    "value, name, type and number, and set the option in the project where it is needed. Thank "
    "you.";

Result<CaseSuite> read_reply(std::string_view reply) {
  std::string_view text = document::strip(reply);
  if (text.starts_with('[') && text.size() <= eval::k_max_reply) {
    return eval::read_cases(text); // a bare list
  }
  Result<std::string_view> object = eval::find_object(reply, "cases");
  if (!object) {
    return fail(object.error().code, "the reply " + object.error().message);
  }
  return eval::read_cases(*object);
}

// A model may not have commands run or files written: whatever a test file can say, it is held to
// what was asked for.
bool is_plain(const Case& one) {
  if (one.checks.size() != 1) {
    return false;
  }
  Case plain;
  plain.id = one.id;
  plain.input = one.input;
  plain.checks.emplace_back();
  plain.checks.front().values = one.checks.front().values;
  return one == plain;
}

class Sieve {
public:
  Sieve(const SieveRules& rules, CaseSuite& kept)
      : m_rules(rules)
      , m_skill(document::fold_case(to_valid_utf8(rules.skill)))
      , m_kept(kept) {
    for (const std::string& input : rules.known) {
      m_known.insert(words_of(input));
    }
    for (const std::string& example : rules.examples) {
      m_examples.push_back(words_of(example));
    }
  }

  void add(Case one, std::size_t number) {
    std::string where = "case " + std::to_string(number) + " of the reply ";
    std::string input = document::fold_case(document::strip(one.input));
    std::vector<std::string>& expected = one.checks.front().values;
    std::size_t written = expected.size();
    std::erase_if(expected, [&](const std::string& text) { return is_in(text, input); });
    std::string why = refusal_of(one);
    if (expected.empty()) {
      ++m_given_away;
      why = "its input gives away what it expects";
    } else if (why.empty() && !m_inputs.insert(std::move(input)).second) {
      why = "it repeats another";
    } else if (why.empty() && m_kept.cases.size() >= m_rules.most) {
      why = std::to_string(m_rules.most) + " were asked for";
    }
    if (!why.empty()) {
      m_reasons.push_back("case " + std::to_string(number) + ": " + why);
      return warn(where + "is left out: " + why);
    }
    if (written > expected.size()) {
      warn(where + "expects a text that its input gives away; the text is taken out");
    }
    keep(std::move(one));
  }

  Result<void> end() {
    if (m_own_words > 0) {
      warn(std::to_string(m_own_words) + " of " + std::to_string(m_kept.cases.size())
           + " generated cases expect nothing but words of the skill itself: they measure whether "
             "it is repeated");
    }
    if (!m_kept.cases.empty()) {
      return {};
    }
    if (m_given_away == m_reasons.size()) {
      return fail(ErrorCode::invalid_argument,
                  "every case gives away in its `input` what it expects",
                  "the texts of `contains` must not be in the `input`");
    }
    std::string reasons;
    for (std::size_t i = 0; i < std::min(m_reasons.size(), k_told_reasons); ++i) {
      reasons += (i == 0 ? "" : "; ") + m_reasons[i];
    }
    return fail(ErrorCode::invalid_argument,
                "none of the cases can be used: " + reasons,
                "write new tasks that only an answer passes that is right");
  }

private:
  static bool is_in(const std::string& text, const std::string& folded) {
    return folded.find(document::fold_case(text)) != std::string::npos;
  }

  static bool is_passed_by(const Case& one, std::string_view answer) {
    eval::Observation seen;
    seen.answer = answer;
    return eval::grade(one, seen).verdict == eval::CheckVerdict::passed;
  }

  // Why a case measures nothing, or nothing new; empty: it may.
  std::string refusal_of(const Case& one) const {
    Words words = words_of(one.input);
    if (m_known.contains(words)) {
      return "it repeats a known one";
    }
    if (std::ranges::any_of(m_examples,
                            [&](const Words& example) { return is_like(words, example); })) {
      return "its input is one of the examples";
    }
    if (!m_rules.are_probed || one.checks.front().values.empty()) {
      return {};
    }
    if (is_passed_by(one, one.input)) {
      return "an answer passes it that repeats the input";
    }
    if (is_passed_by(one, k_idle)) {
      return "an answer passes it that says nothing of the matter";
    }
    for (const std::string& example : m_rules.examples) {
      if (is_passed_by(one, example)) {
        return "an answer passes it that repeats one of the examples";
      }
    }
    return {};
  }

  void keep(Case one) {
    one.id = std::to_string(m_kept.cases.size() + 1);
    const std::vector<std::string>& expected = one.checks.front().values;
    if (expected.size() < k_least_expected) {
      warn("case " + one.id + " expects one text only: it passes easily by chance");
    }
    m_own_words += std::ranges::all_of(
        expected, [&](const std::string& text) { return is_in(text, m_skill); });
    m_kept.cases.push_back(std::move(one));
  }

  void warn(std::string line) {
    if (m_kept.warnings.size() < k_most_warnings) {
      m_kept.warnings.push_back(std::move(line));
    }
  }

  const SieveRules& m_rules;
  std::string m_skill;
  CaseSuite& m_kept;
  std::set<Words> m_known = {};
  std::vector<Words> m_examples = {};
  std::set<std::string> m_inputs = {};
  std::vector<std::string> m_reasons = {}; // of the cases that are left out
  std::size_t m_given_away = 0;
  std::size_t m_own_words = 0;
};

} // namespace

Result<CaseSuite> read_sifted_cases(std::string_view reply, const SieveRules& rules) {
  TRY_ASSIGN(CaseSuite written, read_reply(reply));
  CaseSuite kept;
  kept.warnings = std::move(written.warnings);
  Sieve sieve(rules, kept);
  for (std::size_t i = 0; i < written.cases.size(); ++i) {
    if (!is_plain(written.cases[i])) {
      return fail(ErrorCode::invalid_argument,
                  "case " + std::to_string(i + 1)
                      + " must have `input` and `expected.contains` only");
    }
    sieve.add(std::move(written.cases[i]), i + 1);
  }
  TRY(sieve.end());
  return kept;
}

} // namespace upskill::generate
