#pragma once
#include "daemon/students/student.h"

#include <string>

namespace upskill::students {

// A model that is asked once and has no tools: with the skill its text is in the system prompt, so
// that it is certainly read (forced use). The prompts of the arms differ in exactly that.
class Chat : public Student {
public:
  // `model` outlives it.
  Chat(models::Model& model, std::string model_name, const SkillSets& skills);

  std::string_view name() const override { return "chat"; }

  asio::awaitable<Result<Work>> work(Task task) override;

private:
  models::Model& m_model;
  std::string m_model_name;
  std::string m_with_skill; // the system prompts
  std::string m_baseline;
};

} // namespace upskill::students
