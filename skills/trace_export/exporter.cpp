#include "skills/trace_export/exporter.h"

#include <utility>

namespace upskill::trace_export {

using trace::Event;
using trace::EventForm;
using trace::EventKind;

Exporter::Exporter(trace::Format source, trace::TextFilter* filter)
    : m_filter(filter)
    , m_summary(source, filter, trace::Novelties::k_slots) {}

void Exporter::take(const Event& event) {
  const trace::Envelope& envelope = *event.envelope;
  m_summary.take(event);
  if (event.form == EventForm::copy) {
    return;
  }
  if (m_summary.novelty() == trace::Novelty::repeated) {
    // What is written again has its tokens at last.
    if (event.usage) {
      Event usage = event;
      usage.kind = EventKind::meta;
      usage.form = EventForm::usage;
      usage.text = {};
      write(usage);
    }
    return;
  }
  if (event.kind != EventKind::meta && envelope.is_sidechain && !m_summary.is_helper()) {
    ++m_asides;
    return;
  }
  bool is_said = event.kind != EventKind::meta || event.form == EventForm::text
                 || event.form == EventForm::instructions || event.form == EventForm::skill
                 || event.form == EventForm::injected || event.form == EventForm::summary
                 || event.form == EventForm::usage;
  if (is_said) {
    write(event);
  }
}

trace::SessionSummary Exporter::session() const {
  trace::SessionSummary session = m_summary.summary();
  auto fill = [](std::string& told, const std::string& known) {
    told = told.empty() ? known : told;
  };
  fill(session.harness, m_known.harness);
  fill(session.session, m_known.session);
  fill(session.agent, m_known.agent);
  fill(session.forked_from, m_known.forked_from);
  fill(session.cwd, m_known.cwd);
  fill(session.branch, m_known.branch);
  fill(session.version, m_known.version);
  fill(session.title, m_known.title);
  session.models = session.models.empty() ? m_known.models : session.models;
  return session;
}

std::string Exporter::take_output() {
  return std::exchange(m_out, std::string{});
}

std::string Exporter::cleaned(const trace::Text& text) const {
  std::string words = text.decoded();
  if (m_filter != nullptr) {
    m_filter->clean(words);
  }
  return words;
}

std::string Exporter::words_of(const Event& event) const {
  std::string words = cleaned(event.text);
  constexpr std::uint32_t k_images = 100;
  for (std::uint32_t i = 0; i < event.images && i < k_images; ++i) {
    words += words.empty() ? "[image]" : "\n[image]";
  }
  return words;
}

bool Exporter::is_of_person(const Event& event) {
  return event.kind == EventKind::user
         && (event.form == EventForm::prompt || event.form == EventForm::command
             || event.form == EventForm::interrupt);
}

bool Exporter::failed(const Event& event) {
  return event.is_error.value_or(false) || event.exit_code.value_or(0) != 0;
}

std::unique_ptr<Exporter>
make_exporter(ExportFormat format, trace::Format source, trace::TextFilter* filter) {
  switch (format) {
  case ExportFormat::sts:
    return make_sts_exporter(source, filter);
  case ExportFormat::atif:
    return make_atif_exporter(source, filter);
  case ExportFormat::markdown:
    return make_markdown_exporter(source, filter);
  }
  return make_markdown_exporter(source, filter);
}

} // namespace upskill::trace_export
