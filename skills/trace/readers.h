#pragma once
#include "skills/trace/reader.h"

#include <memory>

// One function for each format's reader; reader.cpp chooses.
namespace upskill::trace {

std::unique_ptr<Reader> make_claude_reader();
std::unique_ptr<Reader> make_codex_reader();
std::unique_ptr<Reader> make_copilot_reader();
std::unique_ptr<Reader> make_gemini_reader(); // of lines, and of the document's messages
std::unique_ptr<Reader> make_opencode_reader();
std::unique_ptr<Reader> make_cursor_reader();
std::unique_ptr<Reader> make_pi_reader();
std::unique_ptr<Reader> make_specstory_reader();
std::unique_ptr<Reader> make_markdown_reader();
std::unique_ptr<Reader> make_sts_reader();
std::unique_ptr<Reader> make_atif_reader();
std::unique_ptr<Reader> make_chat_reader(); // fast-agent's, and other JSON
std::unique_ptr<Reader> make_text_reader();

} // namespace upskill::trace
