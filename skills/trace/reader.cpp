#include "skills/trace/reader.h"

#include "skills/trace/document_splitter.h"
#include "skills/trace/line_splitter.h"
#include "skills/trace/readers.h"
#include "skills/trace/section_splitter.h"

namespace upskill::trace {

std::unique_ptr<Reader> make_reader(Format format) {
  switch (format) {
  case Format::claude:
    return make_claude_reader();
  case Format::codex:
    return make_codex_reader();
  case Format::gemini:
  case Format::gemini_document:
    return make_gemini_reader();
  case Format::copilot:
    return make_copilot_reader();
  case Format::opencode:
    return make_opencode_reader();
  case Format::cursor:
    return make_cursor_reader();
  case Format::pi:
    return make_pi_reader();
  case Format::specstory:
    return make_specstory_reader();
  case Format::markdown:
    return make_markdown_reader();
  case Format::sts:
    return make_sts_reader();
  case Format::atif:
    return make_atif_reader();
  case Format::fast_agent:
  case Format::json:
    return make_chat_reader();
  default:
    return make_text_reader();
  }
}

std::unique_ptr<Splitter> make_splitter(Format format) {
  switch (format) {
  case Format::gemini_document:
  case Format::opencode:
  case Format::fast_agent:
  case Format::atif:
  case Format::json:
    return std::make_unique<DocumentSplitter>();
  case Format::specstory:
    return std::make_unique<SectionSplitter>(SectionStyle::specstory);
  case Format::markdown:
    return std::make_unique<SectionSplitter>(SectionStyle::markdown);
  case Format::text:
    return std::make_unique<SectionSplitter>(SectionStyle::text);
  default:
    return std::make_unique<LineSplitter>();
  }
}

} // namespace upskill::trace
