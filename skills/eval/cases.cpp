#include "skills/eval/cases.h"

#include "protocol/base/utf8.h"
#include "skills/eval/json_text.h"
#include "skills/eval/read_case.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace upskill::eval {
namespace {

using nlohmann::json;

// The part of a document that is a list of cases.
struct CaseList {
  const json* cases = nullptr;
  CaseForm form = CaseForm::task;
};

constexpr std::string_view k_formats =
    "a test file has `cases`, `evals` or `tests`, or is a list of cases or of queries";

bool is_query(const json& object) {
  return object.is_object() && object.contains("query") && !object.contains("input");
}

bool is_prompt(const json& object) {
  return object.is_object() && object.contains("prompt") && !object.contains("input");
}

CaseForm form_of_list(const json& list) {
  if (std::ranges::any_of(list, is_query)) {
    return CaseForm::query;
  }
  return std::ranges::any_of(list, is_prompt) ? CaseForm::prompt : CaseForm::task;
}

Result<CaseList> find_list(const json& document, Findings& findings) {
  if (document.is_array()) {
    return CaseList{&document, form_of_list(document)};
  }
  if (!document.is_object()) {
    return fail(ErrorCode::invalid_argument,
                "the test file is neither an object nor a list",
                std::string(k_formats));
  }
  Fields fields(document, "the test file", "it", findings);
  CaseList found;
  std::string name;
  auto take = [&](const char* key, CaseForm form) {
    const json* list = fields.find(key);
    if (list == nullptr) {
      return;
    }
    if (!name.empty()) {
      fields.refuse(key, "and `" + name + "` are two lists of cases", "take one of them out");
    } else if (!list->is_array()) {
      fields.refuse(key, "must be a list");
    }
    found = {list, form};
    name = key;
  };
  take("cases", CaseForm::task);
  take("tests", CaseForm::task);
  take("evals", CaseForm::prompt);
  if (found.cases == nullptr && is_prompt(document)) { // eval_metadata.json
    return CaseList{&document, CaseForm::prompt};
  }
  if (found.cases == nullptr && !document.contains("metadata") && !document.contains("tests")
      && !document.contains("cases") && !document.contains("evals")) {
    std::vector<std::string> keys{"cases", "evals", "tests"};
    std::string hint = document.empty() ? "" : meant(document.begin().key(), keys);
    return fail(ErrorCode::invalid_argument,
                "the test file is in no format that we read",
                hint.empty() ? std::string(k_formats) : hint);
  }
  fields.find("metadata");   // of skill_meta.json
  fields.find("skill_name"); // of evals.json
  fields.warn_of_others();
  return found;
}

tl::unexpected<Error> no_cases() {
  return fail(ErrorCode::not_found,
              "the test file has no case",
              "write one with `input` and `expected`, or let them be generated");
}

void refuse_twins(const std::vector<Case>& cases, Findings& findings) {
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto [at, fresh] = seen.emplace(cases[i].id, i + 1);
    if (!fresh) {
      findings.refuse("case " + std::to_string(i + 1) + ": `id` " + in_backticks(cases[i].id)
                          + " is that of case " + std::to_string(at->second),
                      "results are kept by id; give each case its own");
    }
  }
}

constexpr std::array<std::string_view, 2> k_answer_files{"skill_meta.json", "evals/evals.json"};
constexpr std::array<std::string_view, 4> k_trigger_files{"evals/trigger_evals.json",
                                                          "evals/triggers.json",
                                                          "evals/trigger_eval.json",
                                                          "skill_meta.json"};

bool is_for(CaseUse use, const Case& one) {
  return use == CaseUse::triggers ? one.should_trigger.has_value() : !one.checks.empty();
}

} // namespace

Result<CaseSuite> read_cases(std::string_view text) {
  TRY_ASSIGN(json document, parse_test_file(text));
  Findings findings;
  TRY_ASSIGN(CaseList list, find_list(document, findings));
  CaseSuite suite;
  if (!findings.problem && list.cases != nullptr) {
    bool is_list = list.cases->is_array();
    std::size_t count = is_list ? list.cases->size() : 1;
    if (count > k_max_cases) {
      return fail(ErrorCode::too_large,
                  "the test file has " + std::to_string(count) + " cases, we read "
                      + std::to_string(k_max_cases));
    }
    for (std::size_t i = 0; i < count && !findings.problem; ++i) {
      const json& one = is_list ? (*list.cases)[i] : *list.cases;
      suite.cases.push_back(read_case(one, list.form, i + 1, findings));
    }
    refuse_twins(suite.cases, findings);
  }
  if (findings.problem) {
    return fail(std::move(*findings.problem));
  }
  if (suite.cases.empty()) {
    return no_cases();
  }
  suite.warnings = std::move(findings.warnings);
  return suite;
}

std::span<const std::string_view> case_files(CaseUse use) {
  if (use == CaseUse::triggers) {
    return k_trigger_files;
  }
  return k_answer_files;
}

Result<FoundCases> find_cases(CaseUse use, const ReadFile& read) {
  for (std::string_view file : case_files(use)) {
    TRY_ASSIGN(std::optional<std::string> text, read(file));
    if (!text) {
      continue;
    }
    Result<CaseSuite> suite = read_cases(*text);
    if (!suite && suite.error().code != ErrorCode::not_found) {
      Error error = suite.error();
      error.message = in_backticks(file) + ": " + error.message;
      return fail(std::move(error));
    }
    if (suite) {
      std::erase_if(suite->cases, [&](const Case& one) { return !is_for(use, one); });
      if (!suite->cases.empty()) {
        return FoundCases{std::string(file), std::move(*suite)};
      }
    }
  }
  return fail(ErrorCode::not_found,
              use == CaseUse::triggers ? "the skill has no trigger queries"
                                       : "the skill has no test cases",
              "write " + in_backticks(case_files(use)[use == CaseUse::triggers ? 0 : 1])
                  + ", or give a file with `--tests`");
}

} // namespace upskill::eval
