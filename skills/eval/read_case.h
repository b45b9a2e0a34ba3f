#pragma once
#include "skills/eval/case.h"
#include "skills/eval/fields.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace upskill::eval {

// How a case is written.
enum class CaseForm {
  task,   // `input` and checks: upskill's and our own; other fields are refused
  prompt, // `prompt` and assertions in prose: agentskills.io and skill-creator
  query   // `query` and `should_trigger`
};

// The case at `number`, from 1. An absent id is the number. Problems and warnings go to `findings`;
// with a problem the case is not to be used.
Case read_case(const nlohmann::json& object, CaseForm form, std::size_t number, Findings& findings);

// Which spelling of checks is read.
enum class CheckForm {
  check,   // README.md; fields that the kind does not have are refused
  verifier // upskill's VerifierSpec: every type may have every field
};

// The check that `object` describes; `where` as in Fields.
Check read_check(const nlohmann::json& object,
                 CheckForm form,
                 const std::string& where,
                 Findings& findings);

// A list of them, which may be absent.
std::vector<Check>
read_checks(Fields& fields, std::string_view name, CheckForm form, Findings& findings);

} // namespace upskill::eval
