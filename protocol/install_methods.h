#pragma once
#include "protocol/method.h"
#include "protocol/types/danger.h"
#include "protocol/types/find.h"
#include "protocol/types/install.h"
#include "protocol/types/update.h"

namespace upskill {

// The methods about skills that come from elsewhere; a part of the list in methods.h.

inline constexpr Method<InstallParams, InstallResult> k_skill_install{
    "skill_install",
    "install",
    "Install skills from a repository, a host, an archive or a folder, for every agent.",
    "Installs skills from elsewhere for all agents, scanned; the person is asked. Of several, "
    "where "
    "none is named, it lists them.",
    Effect::writes,
    Audience::agents,
    Pace::slow};

inline constexpr Method<UpdateParams, UpdateResult> k_skill_update{
    "skill_update",
    "update",
    "Update installed skills from where they came, keeping what was edited here.",
    "Takes new versions of installed skills, keeping edits; the person is asked.",
    Effect::writes,
    Audience::agents,
    Pace::slow};

inline constexpr Method<OutdatedParams, UpdateResult> k_skill_outdated{
    "skill_outdated",
    "outdated",
    "Show which installed skills have a new version at their source.",
    "",
    Effect::reads,
    Audience::people,
    Pace::slow};

inline constexpr Method<RemoveParams, RemoveResult> k_skill_remove{
    "skill_remove",
    "remove",
    "Remove skills from agents' folders; they can be brought back.",
    "Removes skills from agents' folders; the person is asked.",
    Effect::destructive,
    Audience::agents,
    Pace::slow};

inline constexpr Method<RollbackParams, RollbackResult> k_skill_rollback{
    "skill_rollback",
    "rollback",
    "Put an earlier version of a skill in place.",
    "",
    Effect::destructive,
    Audience::people_only,
    Pace::slow};

// It reads any folder, and writes a report where it is told to: not for agents.
inline constexpr Method<ScanParams, ScanResult> k_skill_scan{
    "skill_scan",
    "scan",
    "Look for what is dangerous in skills.",
    "",
    Effect::reads,
    Audience::people_only,
    Pace::slow};

inline constexpr Method<FindParams, FindResult> k_skill_find{
    "skill_find",
    "find",
    "Find skills that are here, and in the sources that you have configured.",
    "",
    Effect::reads,
    Audience::people,
    Pace::slow};

inline constexpr Method<PackParams, PackResult> k_skill_pack{
    "skill_pack",
    "pack",
    "Make a `.skill` file of a skill, the same bytes each time.",
    "",
    Effect::writes,
    Audience::people_only,
    Pace::slow};

inline constexpr Method<InitParams, InitResult> k_skill_init{
    "skill_init",
    "init",
    "Start a new skill that is valid, with a folder for its test cases.",
    "",
    Effect::writes,
    Audience::people_only,
    Pace::slow};

} // namespace upskill
