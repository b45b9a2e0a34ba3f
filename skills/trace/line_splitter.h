#pragma once
#include "skills/trace/long_record.h"
#include "skills/trace/splitter.h"

namespace upskill::trace {

// Records are lines that are not blank. A line over k_max_record becomes a LongRecord.
class LineSplitter : public Splitter {
public:
  Piece next(std::string_view bytes, bool at_end) override;

  bool may_resume() const override { return !m_is_long && m_ended; }

private:
  Piece end_line(std::string_view line, std::size_t length, std::size_t consumed);
  Piece next_of_long(std::string_view bytes, bool at_end);

  std::uint64_t m_offset = 0; // of what comes next, from where splitting began
  std::size_t m_scanned = 0;  // bytes of the line that have no end of it
  bool m_ended = true;        // what was consumed last ended with a line feed
  bool m_is_long = false;
  LongRecord m_long = {};
};

} // namespace upskill::trace
