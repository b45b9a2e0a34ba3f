#include "skills/trace/record_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace upskill::trace {

RecordStream::RecordStream(std::unique_ptr<Splitter> splitter, std::uint64_t offset)
    : m_splitter(std::move(splitter))
    , m_base(offset)
    , m_consumed(offset)
    , m_resume(offset) {}

std::span<char> RecordStream::room(std::size_t wanted) {
  if (m_capacity - m_end < wanted && m_begin > 0) {
    std::memmove(m_buffer.get(), m_buffer.get() + m_begin, m_end - m_begin);
    m_end -= m_begin;
    m_begin = 0;
  }
  if (m_capacity - m_end < wanted) {
    m_capacity = std::max(m_end + wanted, 2 * m_capacity);
    std::unique_ptr<char[]> larger(new char[m_capacity + k_record_padding]);
    if (m_end > 0) {
      std::memcpy(larger.get(), m_buffer.get(), m_end);
    }
    std::memset(larger.get() + m_capacity, 0, k_record_padding);
    m_buffer = std::move(larger);
  }
  return {m_buffer.get() + m_end, wanted};
}

void RecordStream::commit(std::size_t size, RecordSink& sink) {
  m_end += size;
  split(false, sink);
}

void RecordStream::take(std::string_view bytes, RecordSink& sink) {
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, k_read_size);
    std::memcpy(room(part.size()).data(), part.data(), part.size());
    commit(part.size(), sink);
    bytes.remove_prefix(part.size());
  }
}

void RecordStream::finish(RecordSink& sink) {
  room(0);
  split(true, sink);
}

void RecordStream::split(bool at_end, RecordSink& sink) {
  while (true) {
    std::string_view bytes(m_buffer.get() + m_begin, m_end - m_begin);
    Piece piece = m_splitter->next(bytes, at_end);
    if (piece.consumed == 0 && piece.record.empty()) {
      return;
    }
    m_begin += piece.consumed;
    m_consumed += piece.consumed;
    if (!piece.record.empty()) {
      sink.take({piece.record, m_base + piece.offset, piece.length});
    }
    if (m_splitter->may_resume()) {
      m_resume = m_consumed;
    }
  }
}

} // namespace upskill::trace
