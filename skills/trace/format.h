#pragma once
#include "protocol/types/describe.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace upskill::trace {

// The formats that are read (facts: traces.md, section 1).
enum class Format : std::uint8_t {
  claude,           // Claude Code JSONL
  codex,            // Codex rollouts
  gemini,           // Gemini CLI JSONL
  gemini_document,  // Gemini CLI before that: one JSON document
  opencode,         // `opencode export`: one JSON document
  copilot,          // Copilot CLI events.jsonl
  cursor,           // Cursor agent transcripts
  pi,               // pi sessions, version 3
  fast_agent,       // fast-agent history_<agent>.json
  specstory,        // SpecStory markdown
  sts,              // Hugging Face Session Trace Simple Format
  atif,             // Harbor's Agent Trajectory Interchange Format
  json,             // some other JSON, or lines of it
  text,             // anything else
  opencode_database // OpenCode's SQLite; skills/trace/opencode_database reads it
};

// Which of them this is, by content alone. `head` is the beginning of the file, decompressed: 64
// KiB are enough, `is_whole` where that is all there is. Never fails: what is nothing else is text.
Format detect_format(std::string_view head, bool is_whole);

// Records are lines: a file that grows can be gone on with at the end of its last whole line.
bool is_line_format(Format format);

} // namespace upskill::trace

template <> struct upskill::EnumNames<upskill::trace::Format> {
  static constexpr std::array<std::string_view, 15> names{"claude",
                                                          "codex",
                                                          "gemini",
                                                          "gemini_document",
                                                          "opencode",
                                                          "copilot",
                                                          "cursor",
                                                          "pi",
                                                          "fast_agent",
                                                          "specstory",
                                                          "sts",
                                                          "atif",
                                                          "json",
                                                          "text",
                                                          "opencode_database"};
};
