#pragma once
#include "daemon/binder.h"
#include "daemon/capture/desk.h"
#include "daemon/handlers/skill_library.h"
#include "protocol/types/inbox.h"
#include "skills/generate/draft.h"
#include "skills/generate/propose.h"
#include "skills/store/inbox.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace upskill::daemon {

// A topic that somebody is to write a skill about.
struct TopicToDraft {
  generate::Topic topic = {}; // its sessions are names that find_source() knows: `agent/id`
  std::vector<generate::KnownSkill> known = {}; // that are there: the new one is to be another
  ProposeParams params = {};                    // model, server, whether to ask again
  std::optional<double> budget = {};            // US dollars that are left; nothing: no limit
};

// A skill as it goes to the inbox.
struct DraftedSkill {
  std::string name;
  store::InboxFiles files = {}; // SKILL.md among them
  std::string model = {};       // who wrote it
  std::vector<std::string> warnings = {};
};

// What came of asking: a skill, or that none is warranted.
struct DraftedTopic {
  std::variant<generate::NotWarranted, DraftedSkill> reply = {};
  std::optional<double> cost = {}; // US dollars; nothing: not known
};

// Asks a teacher, with the evidence of the topic's sessions, of which nothing that may be a secret
// may be in it. Called on the daemon's thread, one topic at a time. An error is told of its topic,
// and the next one is asked for; `cancelled` and `refused` end it all.
using DraftTopic = std::function<Awaitable<DraftedTopic>(TopicToDraft, RequestContext)>;

// `generate_propose`. Without `draft` only a dry run answers. Both outlive the binder.
void bind_propose_handlers(Binder& binder,
                           SkillLibrary& library,
                           capture::Desk& desk,
                           DraftTopic draft);

} // namespace upskill::daemon
