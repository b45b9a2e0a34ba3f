#include "daemon/handlers/prompt_digests.h"

#include "daemon/handlers/trace_evidence.h"
#include "protocol/base/bounds.h"
#include "skills/trace/copies.h"
#include "skills/trace/excerpt.h"
#include "skills/trace/novelty.h"
#include "skills/trace/remarks.h"

#include <optional>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr trace::Cut k_prompt_cut{3072, 512}; // bytes
constexpr std::size_t k_most_pages = 20;      // of rows that are looked at

// Takes what a person said, and how it went until they said the next thing.
class PromptSink : public trace::EventSink {
public:
  explicit PromptSink(trace::TextFilter& filter)
      : m_filter(filter) {}

  void take(const trace::Event& event) override {
    bool is_new = m_novelties.of(event) == trace::Novelty::fresh;
    if (!is_new || event.envelope->is_sidechain || !event.envelope->agent.empty()) {
      return;
    }
    switch (event.kind) {
    case trace::EventKind::user:
      return take_user(event);
    case trace::EventKind::assistant:
    case trace::EventKind::tool_call:
      m_has_acted = true;
      return;
    case trace::EventKind::tool_result:
      m_has_acted = true;
      if (!m_prompts.empty() && (event.is_error.value_or(false) || event.exit_code.value_or(0))) {
        m_prompts.back().had_error = true;
      }
      return;
    case trace::EventKind::meta:
      return;
    }
  }

  std::vector<generate::PromptDigest> prompts() && { return std::move(m_prompts); }

private:
  void take_user(const trace::Event& event) {
    if (event.form == trace::EventForm::interrupt && !m_prompts.empty()) {
      m_prompts.back().was_interrupted = true;
    }
    if (event.form != trace::EventForm::prompt) {
      return;
    }
    std::string text = trace::excerpt(event.text, k_prompt_cut, &m_filter);
    if (text.empty()) {
      return;
    }
    if (m_record == event.envelope->offset && !m_prompts.empty()) {
      m_prompts.back().text += "\n" + text; // another part of the same words
      return;
    }
    m_record = event.envelope->offset;
    bool corrects =
        std::exchange(m_has_acted, false) && trace::remark_of(text) == trace::Remark::correction;
    if (corrects && !m_prompts.empty()) {
      m_prompts.back().is_corrected = true;
    }
    if (m_prompts.size() < k_most_digested_prompts) {
      m_prompts.push_back({std::move(text), event.envelope->time_ms, corrects});
    }
  }

  trace::TextFilter& m_filter;
  trace::Novelties m_novelties;
  std::vector<generate::PromptDigest> m_prompts = {};
  std::optional<std::uint64_t> m_record = {}; // offset of the last prompt's
  bool m_has_acted = false;                   // the agent, since then
};

} // namespace

Result<std::vector<store::SessionRow>> sessions_to_digest(archive::Archive& archive,
                                                          const store::SessionFilter& filter) {
  std::vector<store::SessionRow> rows;
  std::optional<store::SessionPosition> after;
  for (std::size_t page = 0; page < k_most_pages; ++page) {
    TRY_ASSIGN(std::vector<store::SessionRow> more,
               archive.store().list(filter, after, k_max_page));
    for (store::SessionRow& row : more) {
      after = store::SessionPosition{row.active_ms(), row.id};
      if (row.agent.empty() && row.counts.prompts > 0 && rows.size() < k_most_digested) {
        rows.push_back(std::move(row));
      }
    }
    if (more.empty() || rows.size() == k_most_digested) {
      break;
    }
  }
  return rows;
}

Result<PromptReading> read_prompts(archive::Archive& archive,
                                   const store::SessionRow& row,
                                   trace::RecentIds& seen,
                                   std::stop_token stop) {
  PromptReading reading;
  reading.digest.id = row.harness + "/" + row.session;
  reading.digest.agent = row.harness;
  reading.digest.folder = row.project;
  TraceSource source{row.session, {}, row};
  TRY_ASSIGN(trace::Format format, format_of(source));
  TRY_ASSIGN(std::vector<std::string> allowed, allowed_rules(archive, source));
  SecretFilter filter(archive.rules());
  PromptSink sink(filter);
  trace::DropCopies drop(format, seen, sink);
  TRY_ASSIGN(TraceReading read, read_source(archive, source, drop, std::move(stop)));
  if (!read.problems.empty()) {
    reading.problem = read.problems.front();
  }
  for (generate::PromptDigest& prompt : std::move(sink).prompts()) {
    // A prompt that stands for a topic is shown, and goes to a model.
    if (flagged_in(prompt.text, archive.rules(), allowed).empty()) {
      reading.digest.prompts.push_back(std::move(prompt));
    } else {
      ++reading.flagged;
    }
  }
  return reading;
}

} // namespace upskill::daemon
