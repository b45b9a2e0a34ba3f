#pragma once
#include "skills/redact/record_redactor.h"
#include "skills/trace/reader.h"
#include "skills/trace/record_stream.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace upskill::archive {

// Reads the records of a session into events without definite secrets, those outside of texts too:
// in names of tools, in paths, in keys. Events keep the offsets of their records.
// Owner: whoever reads. Thread: any, one at a time. Lifetime: one reading; finish() at its end.
class CleanReader : public trace::RecordSink {
public:
  CleanReader(trace::Format format, const redact::RuleSet& rules, trace::EventSink& sink)
      : m_reader(trace::make_reader(format))
      , m_redactor(rules)
      , m_sink(sink) {}

  void take(const trace::Record& record) override;
  void finish();

  // What was found so far.
  const redact::Counts& counts() const { return m_counts; }

private:
  void read(redact::RedactedRecord record);

  std::unique_ptr<trace::Reader> m_reader;
  redact::RecordRedactor m_redactor;
  redact::Counts m_counts = {};
  std::uint64_t m_offset = 0; // of the record that the redactor holds back
  trace::EventSink& m_sink;
};

} // namespace upskill::archive
