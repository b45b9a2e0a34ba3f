#pragma once
#include "daemon/handlers/traces.h"
#include "protocol/base/result.h"
#include "skills/archive/archive.h"
#include "skills/redact/border_watch.h"
#include "skills/redact/json_redactor.h"
#include "skills/trace/text_filter.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace upskill::daemon {

// Takes definite secrets out of the texts of a trace, and counts what it met.
class SecretFilter : public trace::TextFilter {
public:
  explicit SecretFilter(redact::RuleSet rules)
      : m_redactor(rules)
      , m_borders(std::move(rules)) {}

  void clean(std::string& text) override;

  const redact::Counts& counts() const { return m_counts; }

  const redact::RuleSet& rules() const { return m_redactor.rules(); }

  // A secret goes over the border of two texts, so parts of it are still there.
  bool met_split() const { return m_borders.met(); }

private:
  redact::JsonRedactor m_redactor; // one for all texts: making it costs more than a short one
  redact::BorderWatch m_borders;
  std::vector<redact::Finding> m_found = {};
  redact::Counts m_counts = {};
};

// Ids of the rules that found in `text` what may be a secret, without those in `allowed`. Its
// definite ones are taken out: a text that was put together may hold one that its parts did not.
std::vector<std::string> flagged_in(std::string& text,
                                    const redact::RuleSet& rules,
                                    const std::vector<std::string>& allowed);

// A session that a caller names: by its id, or by its file.
struct TraceSource {
  std::string name = {}; // as it was named
  std::string path = {}; // of a file; empty: it is kept
  store::SessionRow row = {};
};

// A word with a slash, or of a file that is there, is a file; anything else the id of a session, or
// its beginning. not_found; invalid_argument where several are meant.
Result<TraceSource>
find_source(archive::Archive& archive, const std::string& name, const std::string& cwd);

// What the reading of a source told beside its events.
struct TraceReading {
  std::string format = {};
  std::uint64_t bytes = 0;
  redact::Counts counts = {}; // what was found in a file
  std::vector<std::string> problems = {};
};

// Gives a source's events to `sink`, without definite secrets.
Result<TraceReading> read_source(archive::Archive& archive,
                                 const TraceSource& source,
                                 trace::EventSink& sink,
                                 std::stop_token stop);

// The same, but those of a file still have their secrets: for whoever keeps a little of them,
// cleans all of that, and watches its borders (looking at everything costs four times what reading
// does).
Result<TraceReading> read_source_raw(archive::Archive& archive,
                                     const TraceSource& source,
                                     trace::EventSink& sink,
                                     std::stop_token stop);

// The format of a source, which stages must know before they read it.
Result<trace::Format> format_of(const TraceSource& source);

} // namespace upskill::daemon
