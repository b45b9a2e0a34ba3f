#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"

// The methods by which somebody changes what sync did: undo and resolve.
namespace upskill::daemon {

Awaitable<SyncNowResult>
undo_change(SkillLibrary& library, SyncUndoParams params, RequestContext context);

// At once for a person's own client, which asks by itself. For an agent's, the person is asked
// first, and what was shown must still be so when the answer comes. Errors of an agent's call
// beside the engine's: refused where the person did not confirm or cannot be asked, changed.
Awaitable<Asked<SyncNowResult>>
resolve_conflict(SkillLibrary& library, ConflictResolveParams params, RequestContext context);

} // namespace upskill::daemon
