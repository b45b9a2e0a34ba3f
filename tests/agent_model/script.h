#pragma once
#include "tests/agent_model/asked.h"

#include <string>
#include <vector>

namespace upskill::agent_model {

// What the model does, rule by rule: the first that fits a request decides.
class Script {
public:
  // Throws std::runtime_error where it is no script.
  explicit Script(const std::string& file);

  struct Decision {
    int rule = -1; // none fitted
    Said said = {};
  };

  Decision decide(const Asked& asked) const;

private:
  std::vector<Json> m_rules;
};

} // namespace upskill::agent_model
