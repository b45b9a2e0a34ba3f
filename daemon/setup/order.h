#pragma once
#include "daemon/setup/desk.h"

#include <algorithm>

namespace upskill::setup {

// What one call of the desk knows.
struct SetupDesk::Order {
  bool dry_run = false;
  bool wants_mcp = true;
  bool wants_hooks = true;
  std::vector<std::string> named = {}; // agents that were named
  std::string plan = {};               // of a dry run
  std::string project = {};            // without links; empty: the user's files
  std::vector<agent_config::FoundConnection> connections = {};
  Record record = {};
  SetupResult result = {};

  Scope scope() const { return project.empty() ? Scope::user : Scope::project; }

  // Those of the table, each once.
  std::vector<std::string> agents() const {
    std::vector<std::string> ids;
    for (const agent_config::FoundConnection& found : connections) {
      if (std::ranges::find(ids, found.connection.agent) == ids.end()) {
        ids.push_back(found.connection.agent);
      }
    }
    return ids;
  }

  void tell(SetupPart part, SetupState state, std::string text, const Error* why = nullptr) {
    SetupStep step;
    step.part = part;
    step.state = state;
    step.text = std::move(text);
    if (why != nullptr) {
      step.reason = why->message;
      step.hint = why->hint;
    }
    bool changes = state == SetupState::planned || state == SetupState::done;
    (changes ? result.steps : result.others).push_back(std::move(step));
  }

  SetupState done() const { return dry_run ? SetupState::planned : SetupState::done; }
};

} // namespace upskill::setup
