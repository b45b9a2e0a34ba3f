#pragma once
#include "daemon/evals/gatherer.h"
#include "daemon/models/model.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/pool.h"
#include "daemon/sandbox/private_folder.h"
#include "daemon/sandbox/sandbox.h"
#include "daemon/students/student.h"
#include "protocol/base/result.h"
#include "protocol/types/eval_reports.h"
#include "skills/eval/case.h"
#include "skills/generate/draft.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace upskill::generation {

// Who answers the test cases.
struct StudentModel {
  models::Model* model = nullptr; // outlives the room
  std::string name = {};
};

enum class StudentKind { chat, agent };

struct StudentRoomOptions {
  std::vector<StudentModel> students = {};
  StudentKind kind = StudentKind::chat;
  std::uint32_t runs = 3;
  std::uint64_t seed = 1;
  std::size_t in_flight = 100; // samples of one evaluation
  std::vector<evals::Gatherer*> gatherers = {};
};

// Samples of one evaluation, and why the first that has no outcome has none.
struct Examined {
  std::vector<EvalSample> samples = {};
  std::optional<Error> first_error = {};
};

// Lets students answer cases with a skill, or without.
// Owner: a generation. Thread: that of its executor. Lifetime: longer than its examinations.
class StudentRoom {
public:
  // `pool` and `sandbox` outlive it.
  StudentRoom(asio::any_io_executor executor,
              runtime::Pool& pool,
              runtime::Pool::Share share,
              sandbox::Sandbox& sandbox,
              StudentRoomOptions options);

  const StudentRoomOptions& options() const { return m_options; }

  // `skill`: what the student has; none: nothing. Its folder need not exist: students that open
  // their skills get a copy, made of `draft` where there is one. `progress` is told of each sample.
  // Errors: those of making copies, else each is a sample's.
  asio::awaitable<Result<Examined>> examine(std::size_t student,
                                            eval::CaseSuite suite,
                                            std::optional<students::OfferedSkill> skill,
                                            std::optional<generate::Draft> draft,
                                            std::function<void()> progress);

private:
  Result<sandbox::PrivateFolder> copy(const generate::Draft& draft, std::string& folder) const;

  asio::any_io_executor m_executor;
  runtime::Pool& m_pool;
  runtime::Pool::Share m_share;
  sandbox::Sandbox& m_sandbox;
  StudentRoomOptions m_options;
};

// A draft as a student meets it.
students::OfferedSkill offered(const generate::Draft& draft);

// The cases of these numbers.
eval::CaseSuite part_of(const eval::CaseSuite& suite, const std::vector<std::size_t>& numbers);

// What a loop is told: samples, or why there is not one with an outcome.
Result<std::vector<EvalSample>> samples_of(Result<Examined> examined);

} // namespace upskill::generation
