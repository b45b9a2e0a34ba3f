#pragma once
#include "skills/trace/splitter.h"

#include <cstdint>

namespace upskill::trace {

// What a line says about who speaks from here on.
enum class Speaker : std::uint8_t { nobody, user, assistant, tool, instructions };

// The speaker of a line like `User:`, `**Assistant:**`, `### Human`; `words`: where what is said
// begins, on the same line or at its end.
Speaker speaker_of_text_line(std::string_view line, std::size_t& words);

// Whether it is a line like `_**User (2026-02-26 10:00:00Z)**_`, with which SpecStory begins what
// somebody says.
bool is_specstory_header(std::string_view line);

// How many backticks begin this line of markdown, where they open or close a fence; 0: they do not.
std::size_t fence_of_markdown_line(std::string_view line);

enum class SectionStyle : std::uint8_t { specstory, text, markdown };

// Records are what one speaker says, from a line that names them up to the next such line. Before
// the first of them, paragraphs are records in plain text, and everything is one in markdown. A
// section is settled once the next has begun. One of more than k_max_record bytes is several
// records, of which only the first has a speaker.
class SectionSplitter : public Splitter {
public:
  explicit SectionSplitter(SectionStyle style)
      : m_style(style) {}

  Piece next(std::string_view bytes, bool at_end) override;

  bool may_resume() const override { return m_is_settled; }

private:
  bool begins_section(std::string_view line);
  bool begins_markdown_section(std::string_view line);
  Piece end_record(std::string_view bytes, std::size_t size, bool is_settled);
  Piece cut_record(std::string_view bytes);

  SectionStyle m_style;
  std::uint64_t m_offset = 0; // of what comes next, from where splitting began
  std::size_t m_scanned = 0;  // bytes of the record whose lines were looked at
  std::size_t m_searched = 0; // bytes of it in which there is no further end of a line
  bool m_is_section = false;  // the record has a speaker, or is the rest of one that has
  bool m_is_in_tool = false;  // within SpecStory's `<tool-use>`, which may hold anything
  std::size_t m_fence = 0;    // backticks of the fence that the next line is in
  bool m_is_settled = true;
};

} // namespace upskill::trace
