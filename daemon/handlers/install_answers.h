#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"
#include "daemon/install/desk.h"

// What answers methods of installing beside the desk: names of skills that are here, and what goes
// into a model's context.
namespace upskill::daemon {

Awaitable<ScanResult> scan_skills(SkillLibrary& library,
                                  InstallDesk& desk,
                                  ScanParams params,
                                  InstallCall call,
                                  RequestContext context);
Awaitable<FindResult> find_skills(SkillLibrary& library,
                                  InstallDesk& desk,
                                  FindParams params,
                                  InstallCall call,
                                  RequestContext context);
Awaitable<PackResult> pack_skill(SkillLibrary& library,
                                 InstallDesk& desk,
                                 PackParams params,
                                 InstallCall call,
                                 RequestContext context);

void shorten(InstallResult& result);
void shorten(UpdateResult& result);
void shorten(RemoveResult& result);

} // namespace upskill::daemon
