#include "skills/generate/test_cases.h"

#include "protocol/base/utf8.h"
#include "skills/document/unicode.h"
#include "skills/eval/cases.h"
#include "skills/eval/reply_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace upskill::generate {
namespace {

using eval::Case;
using eval::CaseSuite;
using nlohmann::json;

constexpr std::size_t k_least_expected = 2; // upskill's
constexpr std::size_t k_most_warnings = 100;

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
  Sieve(const CaseRequest& request, CaseSuite& kept)
      : m_most(std::clamp<std::size_t>(request.count, 1, k_most_cases))
      , m_skill(document::fold_case(
            to_valid_utf8(request.name + "\n" + request.description + "\n" + request.body)))
      , m_kept(kept) {}

  void add(Case one, std::size_t number) {
    std::string where = "case " + std::to_string(number) + " of the reply ";
    std::string input = document::fold_case(document::strip(one.input));
    std::vector<std::string>& expected = one.checks.front().values;
    std::size_t written = expected.size();
    std::erase_if(expected, [&](const std::string& text) { return is_in(text, input); });
    if (expected.empty()) {
      warn(where + "is left out: its input gives away what it expects");
    } else if (!m_inputs.insert(std::move(input)).second) {
      warn(where + "is left out: it repeats another");
    } else if (m_kept.cases.size() >= m_most) {
      warn(where + "is left out: " + std::to_string(m_most) + " were asked for");
    } else {
      if (written > expected.size()) {
        warn(where + "expects a text that its input gives away; the text is taken out");
      }
      keep(std::move(one));
    }
  }

  void end() {
    if (m_own_words > 0) {
      warn(std::to_string(m_own_words) + " of " + std::to_string(m_kept.cases.size())
           + " generated cases expect nothing but words of the skill itself: they measure whether "
             "it is repeated");
    }
  }

private:
  static bool is_in(const std::string& text, const std::string& folded) {
    return folded.find(document::fold_case(text)) != std::string::npos;
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

  std::size_t m_most;
  std::string m_skill;
  CaseSuite& m_kept;
  std::set<std::string> m_inputs = {};
  std::size_t m_own_words = 0;
};

} // namespace

Result<CaseSuite> read_written_cases(std::string_view reply, const CaseRequest& request) {
  TRY_ASSIGN(CaseSuite written, read_reply(reply));
  CaseSuite kept;
  kept.warnings = std::move(written.warnings);
  Sieve sieve(request, kept);
  for (std::size_t i = 0; i < written.cases.size(); ++i) {
    if (!is_plain(written.cases[i])) {
      return fail(ErrorCode::invalid_argument,
                  "case " + std::to_string(i + 1)
                      + " must have `input` and `expected.contains` only");
    }
    sieve.add(std::move(written.cases[i]), i + 1);
  }
  sieve.end();
  if (kept.cases.empty()) {
    return fail(ErrorCode::invalid_argument,
                "every case gives away in its `input` what it expects",
                "the texts of `contains` must not be in the `input`");
  }
  return kept;
}

std::string write_test_file(const CaseSuite& suite) {
  json cases = json::array();
  for (const Case& one : suite.cases) {
    json contains = json::array();
    for (const eval::Check& check : one.checks) {
      for (const std::string& value : check.values) {
        contains.push_back(value);
      }
    }
    cases.push_back({{"input", one.input}, {"expected", {{"contains", std::move(contains)}}}});
  }
  json file = {{"cases", std::move(cases)}};
  return file.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace upskill::generate
