#pragma once
#include "skills/trace/event.h"

#include <string_view>

// What texts and records of Codex are (facts: traces.md, 1.2: most that is of role `user` is no
// person's).
namespace upskill::trace {

// `raw`: as it stands in its JSON string. `prompt` where nothing says otherwise.
EventForm form_of_codex_text(std::string_view raw);

// The name in `<skill>\n<name>X</name>`.
std::string_view codex_skill_of(std::string_view raw);

// Where the person's own words begin in what an editor's extension sends: it puts files and
// selections before them. 0 where it does not.
std::size_t start_of_codex_request(std::string_view raw);

// What a record of this type is that has no reading of its own; unknown where nobody knows it.
EventForm form_of_codex_record(std::string_view type);
// The same of an `event_msg`, of a `response_item` and of the item of an `item_completed`.
EventForm form_of_codex_event(std::string_view type);
EventForm form_of_codex_response(std::string_view type);
EventForm form_of_codex_item(std::string_view type);

} // namespace upskill::trace
