#pragma once
#include "daemon/models/model.h"
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"
#include "protocol/types/evals.h"
#include "skills/eval/grade.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::students {

// A skill as a student meets it.
struct OfferedSkill {
  std::string name = {};
  std::string description = {};
  std::string body = {};   // SKILL.md after its front matter
  std::string folder = {}; // absolute; holds nothing that is graded by (no evals/, no cases)

  friend bool operator==(const OfferedSkill&, const OfferedSkill&) = default;
};

// What the two arms offer. Nothing else differs between them.
struct SkillSets {
  std::vector<OfferedSkill> with_skill = {};
  std::vector<OfferedSkill> baseline = {};

  const std::vector<OfferedSkill>& of(EvalArm arm) const {
    return arm == EvalArm::with_skill ? with_skill : baseline;
  }
};

// The folder that a student worked in. It is kept until its work has been graded, and goes with the
// last who holds it.
class Workspace {
public:
  virtual ~Workspace() = default;
  virtual const std::string& folder() const = 0; // absolute
};

// One case for a student, with the skill or without. Checks and expected texts are not in it: what
// is graded is never shown to who is graded.
struct Task {
  std::string input = {};
  std::map<std::string, std::string> files = {}; // bytes by relative path
  EvalArm arm = EvalArm::with_skill;
  std::uint32_t sample = 1; // tells repetitions apart
};

// What a student made of it.
struct Work {
  eval::Observation observation = {};
  models::Usage usage = {};
  std::optional<double> cost = {};
  std::int64_t milliseconds = 0;
  std::string model = {}; // as the server names it
  std::optional<std::int64_t> turns = {};
  std::optional<std::int64_t> tool_calls = {};
  std::optional<std::int64_t> requests = {};   // that a proxy saw; beside what the student says
  std::set<std::string> skills_described = {}; // whose description a proxy saw in a prompt
  std::set<std::string> skills_read = {};      // whose body
  bool cached = false;                         // answered before: nothing was spent
  std::shared_ptr<Workspace> workspace = {};   // null for students without one
};

// Who answers cases. An error is nobody's failure: the model was not there, the budget is spent.
// Owner: an evaluation. Thread: that of its executor only. Lifetime: longer than its work.
class Student {
public:
  virtual ~Student() = default;

  virtual std::string_view name() const = 0; // `chat`, ...
  virtual asio::awaitable<Result<Work>> work(Task task) = 0;
};

} // namespace upskill::students
