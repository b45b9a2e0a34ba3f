#include "skills/archive/archive.h"

#include "skills/archive/database_intake.h"
#include "skills/archive/intake.h"
#include "skills/archive/stored_form.h"

#include <utility>

namespace upskill::archive {
namespace {

// Reads the records of a kept session, without secrets.
class Reader : public trace::RecordSink {
public:
  Reader(trace::Format format, const redact::RuleSet* rules, trace::EventSink& sink)
      : m_reader(trace::make_reader(format))
      , m_sink(sink) {
    if (rules != nullptr) {
      m_redactor.emplace(*rules);
    }
  }

  void take(const trace::Record& record) override {
    if (!m_redactor) {
      m_reader->read(record, m_sink);
      return;
    }
    trace::Record now = record;
    std::optional<redact::RedactedRecord> before = m_redactor->take(std::string(record.bytes));
    if (before) {
      read(*std::move(before));
    }
    m_held = now;
  }

  void finish() {
    if (m_redactor) {
      if (std::optional<redact::RedactedRecord> last = m_redactor->finish()) {
        read(*std::move(last));
      }
    }
  }

private:
  // The redactor holds one record back, whose place is m_held's.
  void read(redact::RedactedRecord record) {
    std::size_t size = record.bytes.size();
    record.bytes.resize(size + trace::k_record_padding, ' ');
    m_reader->read({std::string_view(record.bytes).substr(0, size), m_held.offset, size}, m_sink);
  }

  std::unique_ptr<trace::Reader> m_reader;
  std::optional<redact::RecordRedactor> m_redactor = {};
  trace::Record m_held = {};
  trace::EventSink& m_sink;
};

} // namespace

Result<Archive> Archive::open(ArchiveOptions options) {
  TRY_ASSIGN(store::TraceObjects objects, store::TraceObjects::open(options.objects));
  TRY_ASSIGN(store::TraceStore store, store::TraceStore::open(options.database));
  store.show_only(options.rules.version()); // a secret of the new rules may be in the others
  return Archive(std::move(store), std::move(objects), std::move(options));
}

Result<std::vector<Kept>> Archive::keep(const std::string& path,
                                        const KeepOptions& options,
                                        std::int64_t now_ms,
                                        std::stop_token stop) {
  std::vector<Kept> kept;
  Intake intake(*this, path, options, now_ms, stop);
  Result<Kept> one = intake.run();
  if (!one && one.error().code == ErrorCode::unsupported) {
    return keep_database(*this, path, options, now_ms, std::move(stop));
  }
  TRY(one);
  kept.push_back(*std::move(one));
  return kept;
}

Result<Reading> Archive::read(const store::SessionRow& row,
                              std::uint64_t from,
                              trace::EventSink& sink,
                              std::stop_token stop) {
  std::optional<trace::Format> format = format_named(row.format);
  if (!format || row.object.empty()) {
    return fail(ErrorCode::not_found, "nothing is kept of this session");
  }
  if (row.object_size == 0) {
    return Reading{}; // it has only begun
  }
  bool is_clean = !row.is_raw && row.rules_version == m_rules.version();
  Reader reader(*format, is_clean ? nullptr : &m_rules, sink);
  trace::RecordStream records(make_stored_splitter(*format), from);
  bool is_stopped = false;
  Result<std::uint64_t> size = m_objects.read(
      row.object, static_cast<std::uint64_t>(row.object_size), from, [&](std::string_view piece) {
        records.take(piece, reader);
        is_stopped = stop.stop_requested();
        return !is_stopped;
      });
  if (is_stopped) {
    return fail(ErrorCode::cancelled, "reading a session was cancelled");
  }
  records.finish(reader);
  reader.finish();
  Reading reading{records.resume_offset()};
  if (!size) {
    reading.problem = std::move(size).error();
  }
  return reading;
}

Result<void> Archive::remove(const store::SessionRow& row, std::int64_t now_ms) {
  TRY(m_store.remove(row.id, now_ms));
  return row.object.empty() ? Result<void>() : m_objects.remove(row.object);
}

} // namespace upskill::archive
