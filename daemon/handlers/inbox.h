#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"
#include "protocol/types/inbox.h"
#include "skills/store/inbox.h"

#include <string>

namespace upskill::daemon {

// The methods about skills that wait for a person. `library` outlives the binder.
void bind_inbox_handlers(Binder& binder, SkillLibrary& library);

// Where they lie: `$XDG_DATA_HOME/upskill/inbox`.
std::string inbox_folder(const Places& places);

enum class Documents { left_out, returned };

// What a person is told of one. Reads its files: for the pool.
InboxItem item_of(const store::Inbox& inbox, const store::InboxEntry& entry, Documents documents);

} // namespace upskill::daemon
