#pragma once
#include "protocol/types/describe.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace upskill::trace {

// The formats that are read (facts: traces.md, section 1).
enum class Format : std::uint8_t {
  claude,            // Claude Code JSONL
  codex,             // Codex rollouts
  gemini,            // Gemini CLI JSONL
  gemini_document,   // Gemini CLI before that: one JSON document
  opencode,          // `opencode export`: one JSON document
  copilot,           // Copilot CLI events.jsonl
  cursor,            // Cursor agent transcripts
  pi,                // pi sessions, version 3
  fast_agent,        // fast-agent history_<agent>.json
  specstory,         // SpecStory markdown
  sts,               // Hugging Face Session Trace Simple Format
  atif,              // Harbor's Agent Trajectory Interchange Format
  json,              // some other JSON, or lines of it
  text,              // anything else
  opencode_database, // OpenCode's SQLite; skills/trace/opencode_database reads it
  markdown           // our own export
};

// Which of them this is, by content alone. `head` is the beginning of the file, decompressed: 64
// KiB are enough, `is_whole` where that is all there is. Never fails: what is nothing else is text.
Format detect_format(std::string_view head, bool is_whole);

// Why a file that begins so is no session of any form: a word for people, as `it is empty`. Nothing
// where it may be one. Plain text is told from programs and pictures by bytes that no text has.
std::optional<std::string_view> why_no_trace(std::string_view head, Format format);

// Records are lines: a file that grows can be gone on with at the end of its last whole line.
bool is_line_format(Format format);

} // namespace upskill::trace

template <> struct upskill::EnumNames<upskill::trace::Format> {
  static constexpr std::array<std::string_view, 16> names{"claude",
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
                                                          "opencode_database",
                                                          "markdown"};
};
