#include "skills/trace/parser.h"

namespace upskill::trace {

TraceParser::TraceParser(Format format, std::uint64_t offset)
    : m_records(make_splitter(format), offset)
    , m_reader(make_reader(format)) {}

void TraceParser::commit(std::size_t size, EventSink& sink) {
  ReadRecords read(*m_reader, sink);
  m_records.commit(size, read);
}

void TraceParser::take(std::string_view bytes, EventSink& sink) {
  ReadRecords read(*m_reader, sink);
  m_records.take(bytes, read);
}

void TraceParser::finish(EventSink& sink) {
  ReadRecords read(*m_reader, sink);
  m_records.finish(read);
}

} // namespace upskill::trace
