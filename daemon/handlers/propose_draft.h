#pragma once
#include "daemon/handlers/generate.h"
#include "daemon/handlers/propose.h"

namespace upskill::daemon {

// Who drafts the skills that sessions propose: the teacher of the call or of the caller's
// configuration, from the evidence of the topic's sessions, without an evaluation (a person
// decides). All of `room` outlives what is returned.
DraftTopic topic_drafter(GenerateRoom room);

} // namespace upskill::daemon
