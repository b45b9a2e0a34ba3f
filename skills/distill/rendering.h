#pragma once
#include "skills/distill/distilled.h"
#include "skills/distill/evidence.h"
#include "skills/distill/heading.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// How evidence is written. Deterministic; sizes matter, so that everything is written by these.
namespace upskill::distill {

// `@1234 call Bash | make`
std::string item_line(const Item& item);

// `1 event`, `1,200 events`.
std::string counted_word(std::uint64_t count, std::string_view word);

// `[… 37 events, 12,345 tokens left out, bytes 1234-5678 …]`; nothing where nothing
// that lies between says anything.
std::string gap_line(const Place& from, const Place& to);

// `## Beat 2 @1234, 2026-07-01T10:00:00.250Z: interrupted, error`; `beat` may be unknown.
std::string beat_line(std::uint32_t number, const Beat* beat);

// What stands above: whose session, and what was left out.
std::string heading_text(const Heading& heading, const Distilled& distilled);

// The most bytes that heading_text may take for these counts, whatever the selection will be.
std::size_t heading_room(const Heading& heading, const Distilled& distilled);

} // namespace upskill::distill
