#pragma once
#include "daemon/handlers/catalogue.h"
#include "daemon/models/scripted.h"
#include "daemon/sandbox/private_folder.h"
#include "daemon/students/student.h"
#include "protocol/base/result.h"
#include "protocol/types/evals.h"
#include "skills/eval/case.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

// What a call asks to be evaluated: checked, and read from the disk (so on the pool).
namespace upskill::daemon {

inline constexpr std::string_view k_scripted = "scripted:";

// Whose words the paths and addresses of a call are. An agent's may be those of whoever wrote what
// it has just read: they stay inside the skill and on this machine.
struct Asker {
  bool is_person = false;
  std::string cwd = {};
};

// The answers that a file has in place of a model's.
struct NamedScript {
  models::Script script = {};
  std::string text = {}; // of the file: what tells one script from another
};

struct EvalRequest {
  EvalRequest() = default;
  EvalRequest(EvalRequest&&) = default;
  EvalRequest& operator=(EvalRequest&&) = default;

  std::string hash = {};             // of the skill's content, as `upskill show` has it
  students::OfferedSkill skill = {}; // folder: the skill's own
  std::optional<students::OfferedSkill> against = {};
  std::vector<students::OfferedSkill> others = {};
  eval::CaseSuite suite = {};
  bool is_about_triggers = false; // its cases are queries, and without the skill say nothing
  std::optional<Error> why_no_cases = {}; // where the skill has none, and no file was named
  std::vector<sandbox::PrivateFolder> copies = {}; // of skills, without what is graded by
  std::map<std::string, NamedScript> scripts = {}; // of the scripted models, by their names
};

// invalid_argument names the parameter; refused: only a person may ask for this.
Result<void> check_params(const EvalParams& params, const Asker& asker);

// not_found, invalid_argument and what reading gives: for the skill, its tests and scripts. A skill
// without cases is no error yet: somebody may write some.
Result<EvalRequest>
read_request(const Catalogue& catalogue, const EvalParams& params, const Asker& asker);

bool is_scripted(std::string_view model);

} // namespace upskill::daemon
