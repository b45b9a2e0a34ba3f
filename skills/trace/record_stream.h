#pragma once
#include "skills/trace/reader.h"
#include "skills/trace/splitter.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace upskill::trace {

// What is read at once: large enough to make calls cheap, small enough for a core's own cache.
inline constexpr std::size_t k_read_size = 256u << 10;

// Takes records in the order of their file.
class RecordSink {
public:
  virtual ~RecordSink() = default;
  // The views end when this returns.
  virtual void take(const Record& record) = 0;
};

// Reads them into events.
class ReadRecords : public RecordSink {
public:
  ReadRecords(Reader& reader, EventSink& sink)
      : m_reader(reader)
      , m_sink(sink) {}

  void take(const Record& record) override { m_reader.read(record, m_sink); }

private:
  Reader& m_reader;
  EventSink& m_sink;
};

// Cuts the bytes of a trace, in pieces of any size, into records, in bounded memory.
//
//   while (n = read(fd, stream.room(k_read_size))) stream.commit(n, sink);
//   stream.finish(sink);
//
// A file that grows is gone on with at resume_offset(): the records that begin before it are
// settled, and a new stream that begins there gives exactly those that follow.
// Owner: whoever reads. Thread: any, one at a time.
class RecordStream {
public:
  explicit RecordStream(std::unique_ptr<Splitter> splitter, std::uint64_t offset = 0);

  // Where the next bytes are to be put. Ends views of earlier records.
  std::span<char> room(std::size_t wanted);
  // So many of them are there.
  void commit(std::size_t size, RecordSink& sink);
  // The same for bytes that lie elsewhere.
  void take(std::string_view bytes, RecordSink& sink);
  // There are no more; what is left is a record as it is. Once.
  void finish(RecordSink& sink);

  // Up to where in the file everything is settled.
  std::uint64_t resume_offset() const { return m_resume; }

private:
  void split(bool at_end, RecordSink& sink);

  std::unique_ptr<Splitter> m_splitter;
  std::uint64_t m_base;     // offset in the file where splitting began
  std::uint64_t m_consumed; // offset in the file of m_buffer[m_begin]
  std::uint64_t m_resume;
  std::unique_ptr<char[]> m_buffer = {};
  std::size_t m_capacity = 0; // without the padding behind it
  std::size_t m_begin = 0;
  std::size_t m_end = 0;
};

} // namespace upskill::trace
