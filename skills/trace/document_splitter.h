#pragma once
#include "skills/trace/long_record.h"
#include "skills/trace/splitter.h"

#include <string>

namespace upskill::trace {

// Records of a file that is one JSON document: the elements of its lists, which are its members
// `messages`, `steps` and `subagent_trajectories`, or the whole where that is a list; and at last
// the document without these lists, which says whose it is. Only one element is held at a time.
// Nothing is settled before the document's end: a program that goes on with such a file writes it
// anew.
class DocumentSplitter : public Splitter {
public:
  Piece next(std::string_view bytes, bool at_end) override;

  bool may_resume() const override { return m_state == State::start && !m_is_cut; }

private:
  enum class State { start, key, colon, value, header_value, list, element };
  enum class Step { on, more, record };

  Step step(std::string_view bytes, bool at_end);
  Step read_key(std::string_view bytes, bool at_end);
  Step read_value(std::string_view bytes, bool at_end);
  Step end_document();
  void begin_value(State state);
  // Scans a value up to its end; its size, npos where more bytes are needed.
  std::size_t value_end(std::string_view bytes, bool at_end);
  void keep(std::string_view bytes); // in the header

  State m_state = State::start;
  std::size_t m_at = 0;   // within the bytes of this call
  Piece m_record = {};    // of Step::record
  bool m_is_list = false; // the member whose name was read, or the document, is a list of records
  bool m_is_root_list = false;
  std::uint64_t m_offset = 0; // of the bytes of this call
  std::uint64_t m_root = 0;   // where the document began
  std::string m_header = {};
  bool m_is_header_full = false;
  bool m_is_cut = false; // the file ended within a document

  // The value that is being scanned.
  std::size_t m_scanned = 0;
  std::size_t m_depth = 0;
  bool m_in_string = false;
  bool m_is_escaped = false;
  bool m_is_long = false; // too long to be held: m_long has it
  LongRecord m_long = {};
};

} // namespace upskill::trace
