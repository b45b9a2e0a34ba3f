#pragma once
#include "protocol/base/result.h"
#include "skills/archive/session_source.h"
#include "skills/redact/record_redactor.h"
#include "skills/trace/reader.h"
#include "skills/trace/record_stream.h"
#include "skills/trace/summary.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::archive {

enum class Secrets { removed, kept };

// The way of a session's records into the archive: redacted, read into events for the summary, and
// gathered into text to be stored. Records that were read but are not settled (the last line, while
// it is being written) stay out, and come again.
// Owner: an intake. Thread: any, one at a time. Lifetime: one reading of a file.
class RecordIntake : public trace::RecordSink {
public:
  // Takes text that was gathered, whole records.
  using Store = std::function<Result<void>(std::string_view text)>;

  // `summary` goes on with what was read before, of which `stored` bytes of text are kept: records
  // are told apart by where they stand in all of it. It and `store` outlive this.
  RecordIntake(trace::Format format,
               const redact::RuleSet& rules,
               Secrets secrets,
               trace::Summary& summary,
               std::uint64_t stored,
               Store store);

  // Whole records that were taken at another time, just before the first one that comes now: a
  // secret may go on from them.
  void prime(std::string_view records);
  void take(const trace::Record& record) override;
  // All records that begin before `resume` are settled; those that do not are dropped. Stores what
  // is left. The first problem of the store, if any.
  Result<void> finish(std::uint64_t resume);

  // A problem of the store: nothing more will be stored.
  const Result<void>& outcome() const { return m_outcome; }

  // A secret began in what was read at another time, where its part stands now: all is to be read
  // anew.
  bool goes_on_from_primed() const { return m_redactor.goes_on_from_primed(); }

  const redact::Counts& counts() const { return m_counts; }

  std::uint64_t events() const { return m_events; }

  // Of the settled record that was taken last; nothing where there was none.
  std::optional<Imprint> tail() const;

private:
  // The record that was taken last: only the next one, or the end, says that it is settled.
  struct Waiting {
    std::string bytes;
    std::uint64_t offset;
    std::uint64_t length;
  };

  // How a record ends. Only the last one's digest is asked for.
  struct Tail {
    std::uint64_t offset;
    std::string bytes;
  };

  void accept(Waiting record);
  void keep(redact::RedactedRecord record);
  void store(std::size_t at_least);

  trace::Format m_format;
  Secrets m_secrets;
  std::unique_ptr<trace::Reader> m_reader;
  redact::RecordRedactor m_redactor;
  trace::Summary& m_summary;
  Store m_store;
  std::optional<Waiting> m_waiting = {};
  std::string m_original = {}; // the record that the redactor holds back, where it is kept
  std::string m_text = {};
  std::uint64_t m_stored; // bytes of text before m_text
  redact::Counts m_counts = {};
  std::optional<Tail> m_tail = {};
  std::uint64_t m_events = 0;
  Result<void> m_outcome = {};
};

} // namespace upskill::archive
