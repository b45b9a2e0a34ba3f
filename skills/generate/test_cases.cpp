#include "skills/generate/test_cases.h"

#include "skills/generate/case_sieve.h"
#include "skills/generate/prompts.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::generate {
namespace {

using eval::Case;
using eval::CaseSuite;
using nlohmann::json;

std::size_t count_of(std::size_t wanted) {
  return std::clamp<std::size_t>(wanted, 1, k_most_cases);
}

} // namespace

Result<CaseSuite> read_written_cases(std::string_view reply, const CaseRequest& request) {
  SieveRules rules;
  rules.most = count_of(request.count);
  rules.skill = request.name + "\n" + request.description + "\n" + request.body;
  return read_sifted_cases(reply, rules);
}

Result<CaseSuite> read_task_cases(std::string_view reply, const CasesWanted& wanted) {
  SieveRules rules;
  rules.most = count_of(wanted.count);
  rules.known = wanted.known;
  rules.examples = wanted.examples;
  rules.are_probed = true;
  return read_sifted_cases(reply, rules);
}

Result<CaseSuite>
read_counterexamples(std::string_view reply, const Brief& brief, std::size_t count) {
  SieveRules rules;
  rules.most = count_of(count);
  rules.examples = brief.examples;
  rules.are_probed = true;
  return read_sifted_cases(reply, rules);
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
