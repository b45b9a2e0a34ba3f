#pragma once
#include "skills/archive/archive.h"
#include "skills/archive/kept_state.h"
#include "skills/archive/session_source.h"

#include <optional>
#include <stop_token>
#include <string>

namespace upskill::archive {

// One file's way into an archive: whose session it is, whether it goes on with what is kept or is
// another one, and what is stored of it.
// Owner: Archive::keep. Lifetime: one call.
class Intake {
public:
  Intake(Archive& archive,
         const std::string& path,
         const KeepOptions& options,
         std::int64_t now_ms,
         std::stop_token stop)
      : m_archive(archive)
      , m_path(path)
      , m_source(options.as_source.empty() ? path : options.as_source)
      , m_options(options)
      , m_now_ms(now_ms)
      , m_stop(std::move(stop)) {}

  // unsupported: it is a database, which holds many sessions (keep_database).
  Result<Kept> run();
  // The session of a database, where it has not changed since it was kept.
  Result<std::optional<Kept>> find_unchanged();

private:
  // How a file stands to what is kept of its session.
  enum class Standing {
    grown,    // it goes on where reading ended
    replaced, // it says something else than what is kept
    anew      // it is to be read from its start: a document, other rules, another reader
  };

  Result<std::optional<store::SessionRow>> find_by_path();
  FileIdentity as_known(FileIdentity identity) const;
  Result<std::optional<store::SessionRow>> find_by_words(const trace::SessionSummary& words);
  bool is_unchanged(const store::SessionRow& row, const FileIdentity& identity) const;
  bool is_trace(const SessionSource& source, std::string& reason) const;
  Result<bool> is_purged(const FileIdentity& identity, const trace::SessionSummary& words);
  bool is_current(const store::SessionRow& row) const;
  Result<std::string> reason_to_leave(const store::SessionRow& row, const SessionSource& source);
  Result<Standing>
  standing_of(SessionSource& source, const store::SessionRow& row, KeptState& state);
  Result<Kept> read(SessionSource& source, store::SessionRow row, std::optional<KeptState> state);
  std::string object_name(const SessionSource& source, const store::SessionRow& row) const;
  std::string project_of(const trace::SessionSummary& words, const store::SessionRow& row) const;
  Result<std::string> session_by_place(const trace::SessionSummary& words);
  std::string twin_of(const std::string& session) const;
  bool has_twin(const store::SessionRow& row) const;
  Result<void> read_records(SessionSource& source, Kept& kept, RecordIntake& intake);
  Result<void> set_aside(const store::SessionRow& row);
  Result<void> let_go(store::SessionRow row);
  Result<void> commit(Kept& kept, trace::SessionSummary words, const redact::Counts& counts);

  Archive& m_archive;
  const std::string& m_path;
  std::string m_source; // by which it is known
  const KeepOptions& m_options;
  std::int64_t m_now_ms;
  std::stop_token m_stop;
  bool m_is_twin = false; // another living file tells of the session, and something else
  std::optional<store::SessionRow> m_aside =
      {}; // what was kept, where the file says something else
};

// What a summary says, in a row.
void describe(store::SessionRow& row, const trace::SessionSummary& summary, const PriceOf& price);

// What was found before and now, by rule; what is definite was removed and is not among it.
std::vector<store::FindingRow> add_findings(std::vector<store::FindingRow> before,
                                            const redact::Counts& counts,
                                            const redact::RuleSet& rules);

} // namespace upskill::archive
