#pragma once
#include "daemon/handlers/catalogue.h"
#include "daemon/handlers/configuration.h"
#include "daemon/handlers/eval_request.h"
#include "daemon/students/student.h"
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "protocol/types/generate.h"
#include "skills/eval/case.h"
#include "skills/generate/draft.h"
#include "skills/generate/prompts.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

// What a call asks to be generated: checked, and read from the disk (so on the pool).
namespace upskill::daemon {

// A skill that is to be improved.
struct ImprovedSkill {
  std::string folder = {}; // absolute, without links
  Digest hash = {};        // of what lies there
  generate::Draft current = {};
  students::OfferedSkill old = {};
  eval::CaseSuite own_cases = {};
};

struct GenerateRequest {
  GenerateRequest() = default;
  GenerateRequest(GenerateRequest&&) = default;
  GenerateRequest& operator=(GenerateRequest&&) = default;

  generate::Brief brief = {}; // without evidence
  std::optional<ImprovedSkill> improved = {};
  std::vector<std::string> sessions = {}; // to learn from, as they were named
  std::map<std::string, NamedScript> scripts = {};
  std::string output = {};          // the skill's own folder; empty: skills_dir/NAME
  std::string folder = {};          // where new skills go
  std::set<std::string> names = {}; // of skills that there are
  std::vector<sandbox::PrivateFolder> copies = {};
  std::vector<std::string> warnings = {};
};

// Fills in what the call leaves open, by upskill's order of lookup.
void settle(GenerateParams& params, const config::Config& config);

// invalid_argument names the parameter; refused: only a person may ask for this.
Result<void> check_params(const GenerateParams& params, const Asker& asker);

// After settle(). not_found, invalid_argument, already_exists (something else lies at the output),
// and what reading gives.
Result<GenerateRequest> read_request(const Catalogue& catalogue,
                                     const GenerateParams& params,
                                     const FoundConfig& config,
                                     const Asker& asker);

} // namespace upskill::daemon
