#pragma once
#include "daemon/students/agent_tools.h"
#include "daemon/students/student.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace upskill::students {

// What a student with tools may take for one task. More is an error of the sample: it was not done.
struct AgentOptions {
  std::int64_t max_turns = 30;
  std::int64_t max_calls = 16;             // of tools in one turn; more are told so
  std::uint64_t max_tokens = 1'000'000;    // of all turns, where they are known
  std::size_t max_history = 4u << 20;      // bytes of what was said
  std::int64_t max_answer_tokens = 16'384; // of one turn
  runtime::Clock::duration limit = std::chrono::minutes(15);
  runtime::Clock::duration run_limit = std::chrono::seconds(60); // of one command
};

// A model with tools in a workspace of its own: it lists, reads, writes and runs, without network.
// Skills are offered by name and description; it reads them where it finds them useful, so that
// picking them is measured as well. The prompts of the arms differ in exactly that offer.
class Agent : public Student {
public:
  // `pool`, `sandbox` and `model` outlive it. The folders of the skills are mounted as they are:
  // they are copies that hold nothing to be graded by (sandbox::copy_skill).
  Agent(runtime::Pool& pool,
        sandbox::Sandbox& sandbox,
        models::Model& model,
        std::string model_name,
        SkillSets skills,
        AgentOptions options = {});

  std::string_view name() const override { return "agent"; }

  // unavailable without a sandbox; refused by the model; timed_out for a student that comes to no
  // end: too many turns, too many tokens, too long; too_large for too much said.
  asio::awaitable<Result<Work>> work(Task task) override;

private:
  asio::awaitable<Result<Work>> converse(Task task);

  runtime::Pool& m_pool;
  sandbox::Sandbox& m_sandbox;
  models::Model& m_model;
  std::string m_model_name;
  SkillSets m_skills;
  AgentOptions m_options;
};

} // namespace upskill::students
