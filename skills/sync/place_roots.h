#pragma once
#include "skills/sync/index.h"
#include "skills/sync/pending.h"
#include "skills/sync/placement.h"

#include <string>
#include <vector>

namespace upskill::sync {

// In which roots a person who has a skill placed wants it, whatever was said of it before.
std::vector<RootIndex> roots_to_fill(const Scope& scope, const Placement& placement);

// Of the roots that are to hold the skill and do not yet, those that get links, and the one that is
// to be written first for them to lead to: where links were asked for now (`wants_links`) or for
// all of a root's readers. A root whose readers do not all follow links gets a copy.
void choose_links(const Scope& scope,
                  const Sight& sight,
                  const RootSet& hold,
                  bool wants_links,
                  PendingSkill& pending);

// Who sees the skill once this is written, or would be.
std::vector<std::string> agents_that_see(const Scope& scope,
                                         const Sight& sight,
                                         const PendingSkill& pending,
                                         const RootSet& hold);

// Why a skill cannot be placed beside another one.
Error twins(const std::string& name, const std::string& other);

// Whether an agent finds the skill in one of these roots.
bool sees(const AgentSetup& agent, const RootSet& copies, const RootSet& links);

} // namespace upskill::sync
