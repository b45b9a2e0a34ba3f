#include "skills/archive/record_intake.h"

#include "skills/archive/stored_form.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace upskill::archive {
namespace {

constexpr std::size_t k_store_at = 1u << 20; // bytes of text: a frame that compresses well

// Counts events on their way.
class Counted : public trace::EventSink {
public:
  Counted(trace::EventSink& next, std::uint64_t& count)
      : m_next(next)
      , m_count(count) {}

  void take(const trace::Event& event) override {
    ++m_count;
    m_next.take(event);
  }

private:
  trace::EventSink& m_next;
  std::uint64_t& m_count;
};

// As many records as a private key may go over, line by line.
class LastRecords : public trace::RecordSink {
public:
  void take(const trace::Record& record) override {
    if (m_records.size() == k_primed) {
      m_records.pop_front();
    }
    m_records.emplace_back(record.bytes);
  }

  std::deque<std::string>& records() { return m_records; }

private:
  static constexpr std::size_t k_primed = 64;

  std::deque<std::string> m_records = {};
};

} // namespace

RecordIntake::RecordIntake(trace::Format format,
                           const redact::RuleSet& rules,
                           Secrets secrets,
                           trace::Summary& summary,
                           std::uint64_t stored,
                           Store store)
    : m_format(format)
    , m_secrets(secrets)
    , m_reader(trace::make_reader(format))
    , m_redactor(rules)
    , m_summary(summary)
    , m_store(std::move(store))
    , m_stored(stored) {}

void RecordIntake::prime(std::string_view records) {
  trace::RecordStream stream(trace::make_splitter(m_format));
  LastRecords last;
  stream.take(records, last);
  stream.finish(last);
  for (std::string& record : last.records()) {
    m_redactor.prime(std::move(record));
  }
}

void RecordIntake::take(const trace::Record& record) {
  if (m_waiting) {
    accept(*std::exchange(m_waiting, std::nullopt));
  }
  m_waiting = Waiting{{}, record.offset, record.length};
  // With room for the padding, so that a long one is not copied for it.
  m_waiting->bytes.reserve(record.bytes.size() + trace::k_record_padding);
  m_waiting->bytes = record.bytes;
}

Result<void> RecordIntake::finish(std::uint64_t resume) {
  if (m_waiting && m_waiting->offset < resume) {
    accept(*std::exchange(m_waiting, std::nullopt));
  }
  if (std::optional<redact::RedactedRecord> last = m_redactor.finish()) {
    keep(*std::move(last));
  }
  store(1);
  return m_outcome;
}

std::optional<Imprint> RecordIntake::tail() const {
  return m_tail ? std::optional(tail_imprint(m_tail->bytes, m_tail->offset)) : std::nullopt;
}

void RecordIntake::accept(Waiting record) {
  if (record.length == record.bytes.size()) {
    std::size_t size = std::min(record.bytes.size(), k_tail_imprint);
    std::size_t at = record.bytes.size() - size;
    m_tail = Tail{record.offset + at, record.bytes.substr(at)};
  }
  std::string original = m_secrets == Secrets::kept ? record.bytes : std::string();
  std::optional<redact::RedactedRecord> before = m_redactor.take(std::move(record.bytes));
  if (before) {
    keep(*std::move(before));
  }
  m_original = std::move(original);
}

void RecordIntake::keep(redact::RedactedRecord record) {
  m_counts += record.counts;
  std::size_t size = record.bytes.size();
  record.bytes.resize(size + trace::k_record_padding, ' ');
  std::string_view clean = std::string_view(record.bytes).substr(0, size);
  std::uint64_t offset = m_stored + m_text.size();
  append_stored(m_text, m_format, m_secrets == Secrets::kept ? m_original : clean);
  store(k_store_at); // before the record is read: a long one is not held a second time then
  Counted counted(m_summary, m_events);
  m_reader->read({clean, offset, size}, counted);
}

void RecordIntake::store(std::size_t at_least) {
  if (m_text.size() < at_least) {
    return;
  }
  if (m_outcome) {
    m_outcome = m_store(m_text);
  }
  m_stored += m_text.size();
  if (m_text.capacity() > 4 * k_store_at) {
    m_text = {};
  }
  m_text.clear();
}

} // namespace upskill::archive
