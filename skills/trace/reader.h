#pragma once
#include "skills/trace/event.h"
#include "skills/trace/format.h"

#include <cstddef>
#include <memory>
#include <string_view>

namespace upskill::trace {

// Bytes behind every record that may be read, and mean nothing (simdjson reads in blocks).
inline constexpr std::size_t k_record_padding = 64;

// One record of a trace: a line, an element of a document's list, a section. `bytes` are followed
// by k_record_padding more that may be read.
struct Record {
  std::string_view bytes;
  std::uint64_t offset = 0; // in the file
  std::uint64_t length = 0; // in the file; more than `bytes` where long strings in it were cut
};

// Reads records of one format into events. It remembers nothing of earlier records, so that reading
// may begin at any of them: whatever needs memory is the business of a later stage. Nothing makes
// it fail: what cannot be read is an event that says so, and the next record is read as ever. The
// events of a record come when all of it was read, or not at all.
// Owner: a TraceParser. Thread: any, one at a time.
class Reader {
public:
  virtual ~Reader() = default;
  virtual void read(const Record& record, EventSink& sink) = 0;
};

std::unique_ptr<Reader> make_reader(Format format);

} // namespace upskill::trace
