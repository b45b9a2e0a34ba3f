#pragma once
#include "skills/trace/reader.h"
#include "skills/trace/record_stream.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace upskill::trace {

// Reads the bytes of a trace, in pieces of any size, into events: a RecordStream and the reader of
// its format. Memory is bounded whatever comes: one record, and what the reader keeps for it.
//
//   TraceParser parser(format, offset);
//   while (n = read(fd, parser.room(k_read_size))) parser.commit(n, sink);
//   parser.finish(sink);
//
// A file that grows is gone on with at resume_offset(): the events whose records begin before it
// are settled, and a new parser that begins there gives exactly those that follow. Owner: whoever
// reads. Thread: any, one at a time.
class TraceParser {
public:
  explicit TraceParser(Format format, std::uint64_t offset = 0);

  // Where the next bytes are to be put. Ends views of earlier events.
  std::span<char> room(std::size_t wanted) { return m_records.room(wanted); }

  // So many of them are there.
  void commit(std::size_t size, EventSink& sink);
  // The same for bytes that lie elsewhere.
  void take(std::string_view bytes, EventSink& sink);
  // There are no more; what is left is read as it is. Once.
  void finish(EventSink& sink);

  // Up to where in the file everything is settled.
  std::uint64_t resume_offset() const { return m_records.resume_offset(); }

private:
  RecordStream m_records;
  std::unique_ptr<Reader> m_reader;
};

} // namespace upskill::trace
