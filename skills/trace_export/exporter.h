#pragma once
#include "protocol/types/describe.h"
#include "skills/trace/event.h"
#include "skills/trace/format.h"
#include "skills/trace/summary.h"
#include "skills/trace/text_filter.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace upskill::trace_export {

enum class ExportFormat : std::uint8_t { sts, atif, markdown };

// Writes the events of one session in another format, as they come: after each piece of the session
// its owner takes output() away. Memory: one record's events, and an ATIF step.
//
//   parser.commit(n, *exporter);
//   write(exporter->take_output());
//   ...
//   exporter->finish();
//   write(exporter->take_output());
//
// Owner: whoever reads the session. Thread: any, one at a time.
class Exporter : public trace::EventSink {
public:
  void take(const trace::Event& event) final;

  // What is known of the session from elsewhere, for where its events do not tell, or tell it too
  // late: the head comes first in all formats. Before the first event.
  void know(trace::SessionSummary session) { m_known = std::move(session); }

  // There are no more events. Once.
  virtual void finish() = 0;

  // What was written since the last time.
  std::string take_output();

protected:
  // `filter` cleans every text; nothing: no cleaning.
  Exporter(trace::Format source, trace::TextFilter* filter);

  // One that belongs to the conversation and is no copy; tokens may come on their own.
  virtual void write(const trace::Event& event) = 0;

  // What the session is, as far as is known by now.
  trace::SessionSummary session() const;
  std::string cleaned(const trace::Text& text) const;
  // With `[image]` for each that was left out.
  std::string words_of(const trace::Event& event) const;
  // Words of a person; false: of a program.
  static bool is_of_person(const trace::Event& event);
  static bool failed(const trace::Event& event);

  // Whether the event that is written is of the session that this one was forked from.
  bool is_replayed() const { return m_summary.novelty() == trace::Novelty::replayed; }

  trace::TextFilter* m_filter;
  trace::Summary m_summary; // so far
  std::string m_out = {};
  std::uint64_t m_asides = 0; // events of helpers that were left out

private:
  trace::SessionSummary m_known = {};
};

std::unique_ptr<Exporter>
make_exporter(ExportFormat format, trace::Format source, trace::TextFilter* filter = nullptr);

// One for each format; make_exporter chooses.
std::unique_ptr<Exporter> make_sts_exporter(trace::Format source, trace::TextFilter* filter);
std::unique_ptr<Exporter> make_atif_exporter(trace::Format source, trace::TextFilter* filter);
std::unique_ptr<Exporter> make_markdown_exporter(trace::Format source, trace::TextFilter* filter);

} // namespace upskill::trace_export

template <> struct upskill::EnumNames<upskill::trace_export::ExportFormat> {
  static constexpr std::array<std::string_view, 3> names{"sts", "atif", "markdown"};
};
