#include "skills/archive/clean_reader.h"

#include <string>
#include <string_view>
#include <utility>

namespace upskill::archive {

void CleanReader::take(const trace::Record& record) {
  std::optional<redact::RedactedRecord> before = m_redactor.take(std::string(record.bytes));
  if (before) {
    read(*std::move(before));
  }
  m_offset = record.offset;
}

void CleanReader::finish() {
  if (std::optional<redact::RedactedRecord> last = m_redactor.finish()) {
    read(*std::move(last));
  }
}

void CleanReader::read(redact::RedactedRecord record) {
  m_counts += record.counts;
  std::size_t size = record.bytes.size();
  record.bytes.resize(size + trace::k_record_padding, ' ');
  m_reader->read({std::string_view(record.bytes).substr(0, size), m_offset, size}, m_sink);
}

} // namespace upskill::archive
