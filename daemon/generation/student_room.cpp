#include "daemon/generation/student_room.h"

#include "daemon/await.h"
#include "daemon/evals/evaluation.h"
#include "daemon/runtime/offload.h"
#include "daemon/students/agent.h"
#include "daemon/students/chat.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"

#include <algorithm>
#include <utility>

namespace upskill::generation {

students::OfferedSkill offered(const generate::Draft& draft) {
  return {draft.name, draft.description, draft.body, {}};
}

eval::CaseSuite part_of(const eval::CaseSuite& suite, const std::vector<std::size_t>& numbers) {
  eval::CaseSuite part;
  for (std::size_t number : numbers) {
    part.cases.push_back(suite.cases.at(number));
  }
  return part;
}

Result<std::vector<EvalSample>> samples_of(Result<Examined> examined) {
  TRY(examined);
  bool has_outcome = std::ranges::any_of(examined->samples, [](const EvalSample& sample) {
    return sample.outcome != SampleOutcome::error;
  });
  if (examined->first_error && !has_outcome) {
    return fail(std::move(*examined->first_error));
  }
  return std::move(examined->samples);
}

StudentRoom::StudentRoom(asio::any_io_executor executor,
                         runtime::Pool& pool,
                         runtime::Pool::Share share,
                         sandbox::Sandbox& sandbox,
                         StudentRoomOptions options)
    : m_executor(std::move(executor))
    , m_pool(pool)
    , m_share(share)
    , m_sandbox(sandbox)
    , m_options(std::move(options)) {}

Result<sandbox::PrivateFolder> StudentRoom::copy(const generate::Draft& draft,
                                                 std::string& folder) const {
  TRY_ASSIGN(sandbox::PrivateFolder made, sandbox::PrivateFolder::make());
  folder = join_path(made.path(), draft.name);
  TRY(make_directories(folder));
  TRY(write_file_atomically(join_path(folder, "SKILL.md"),
                            generate::write_document(draft),
                            0444,
                            Durability::process_crash));
  for (const auto& [path, file] : draft.files) {
    std::string whole = join_path(folder, path);
    TRY(make_directories(parent_path(whole)));
    TRY(write_file_atomically(
        whole, file.text, file.is_program ? 0555 : 0444, Durability::process_crash));
  }
  return made;
}

asio::awaitable<Result<Examined>> StudentRoom::examine(std::size_t student,
                                                       eval::CaseSuite suite,
                                                       std::optional<students::OfferedSkill> skill,
                                                       std::optional<generate::Draft> draft,
                                                       std::function<void()> progress) {
  const StudentModel& who = m_options.students.at(student);
  std::optional<sandbox::PrivateFolder> folder;
  if (skill && draft && m_options.kind == StudentKind::agent) {
    auto work = [this, &draft, &skill] { return copy(*draft, skill->folder); };
    AWAIT(Result<sandbox::PrivateFolder> made, runtime::offload(m_share, std::move(work)));
    CO_TRY(made);
    folder = std::move(*made);
  }
  evals::EvaluationOptions options;
  options.runs = m_options.runs;
  options.baseline = false; // each arm is an evaluation of its own
  options.seed = m_options.seed;
  options.in_flight = m_options.in_flight;
  options.skill = skill ? skill->name : std::string();
  options.gatherers = m_options.gatherers;
  options.pool.emplace(m_share);
  options.progress = [&progress](std::size_t, std::size_t) {
    if (progress) {
      progress();
    }
  };
  students::SkillSets sets;
  if (skill) {
    sets.with_skill.push_back(std::move(*skill));
  }
  std::unique_ptr<students::Student> made;
  if (m_options.kind == StudentKind::chat) {
    made = std::make_unique<students::Chat>(*who.model, who.name, sets);
  } else {
    made =
        std::make_unique<students::Agent>(m_pool, m_sandbox, *who.model, who.name, std::move(sets));
  }
  Examined examined;
  evals::Evaluation evaluation(m_executor, suite, *made, std::move(options));
  AWAIT(examined.samples, evaluation.run());
  examined.first_error = evaluation.first_error();
  if (!examined.first_error && !evaluation.first_ungraded().empty()) {
    examined.first_error = Error{ErrorCode::unsupported, evaluation.first_ungraded()};
  }
  if (folder) {
    auto remove = [&folder] { folder.reset(); };
    AWAIT_DONE(runtime::offload(m_share, std::move(remove)));
  }
  co_return examined;
}

} // namespace upskill::generation
