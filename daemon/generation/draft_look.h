#pragma once
#include "daemon/generation/writer.h"
#include "daemon/runtime/pool.h"
#include "daemon/sandbox/sandbox.h"
#include "skills/redact/rule_set.h"

#include <functional>
#include <map>
#include <string>

namespace upskill::generation {

struct DraftLookOptions {
  redact::RuleSet rules;
  std::string name = {}; // its folder's, where that is settled; empty: the teacher's
  // Of a skill that is improved: programs that are as they were are its author's business, and not
  // tried. They may take arguments.
  std::map<std::string, generate::DraftFile> files = {};
  // Whether a new skill may not be called so. Asked on the pool.
  std::function<bool(const std::string& name)> is_taken = {};
};

// What every draft passes before it counts: no secret in it (a teacher repeats what it read), a
// valid SKILL.md, nothing dangerous, scripts that run. What is wrong is told to the teacher; when
// it will not be asked again, scripts that fail are left out and a name that is taken gets a
// number. Owner: a generation. Thread: that of its executor. Lifetime: longer than its looks.
class DraftLook {
public:
  // `pool` and `sandbox` outlive it.
  DraftLook(runtime::Pool& pool,
            runtime::Pool::Share share,
            sandbox::Sandbox& sandbox,
            DraftLookOptions options);

  // invalid_argument: what the teacher may mend; refused: it is dangerous.
  asio::awaitable<Result<generate::Draft>> look(generate::Draft draft, bool is_last);

private:
  Result<generate::Draft> look_at_text(generate::Draft draft, bool is_last) const;
  Result<void> settle_name(generate::Draft& draft, bool is_last) const;

  runtime::Pool& m_pool;
  runtime::Pool::Share m_share;
  sandbox::Sandbox& m_sandbox;
  DraftLookOptions m_options;
};

} // namespace upskill::generation
