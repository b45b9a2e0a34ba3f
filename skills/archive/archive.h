#pragma once
#include "protocol/base/paths.h"
#include "protocol/base/result.h"
#include "skills/archive/record_intake.h"
#include "skills/redact/rule_set.h"
#include "skills/store/trace_objects.h"
#include "skills/store/trace_store.h"
#include "skills/trace/event.h"
#include "skills/trace/summary.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace upskill::archive {

// The version of the readers: what an older one read is read again from what is kept.
inline constexpr std::int64_t k_reader_version = 2;

// What an answer costs by its model's list price, US dollars; nothing where that is not known.
using PriceOf = std::function<std::optional<double>(std::string_view model, const trace::Usage&)>;

struct ArchiveOptions {
  std::string database = {}; // path of traces.db
  std::string objects = {};  // folder of what is kept
  redact::RuleSet rules;
  PriceOf price = {}; // none: only what agents tell themselves
};

// Whether a session is to be kept, by its agent and the folder where it ran (empty: not told).
using IsWanted = std::function<bool(std::string_view agent, std::string_view folder)>;

struct KeepOptions {
  std::string agent = {}; // that keeps its sessions where the file lies; empty: not known
  Secrets secrets = Secrets::removed;
  bool is_named = false;     // a person named this very file: it is read whatever it is
  bool is_forced = false;    // also what did not change
  bool is_rehearsal = false; // nothing is stored
  IsWanted is_wanted = {};   // none: all are
  // The folder where a session ran decides whether it is wanted: one whose records will tell that
  // is not kept before they do.
  bool waits_for_folder = false;
  // Of a session that a database held: what it is known by, and when it changed (Unix time).
  std::string as_source = {};
  std::optional<std::int64_t> as_changed_ms = {};
};

enum class KeepState { imported, updated, unchanged, skipped };

// What became of one session of a file.
struct Kept {
  KeepState state = KeepState::skipped;
  store::SessionRow row = {};
  std::uint64_t events = 0;              // that were read now
  std::uint64_t bytes = 0;               // of the file, that were read now
  std::int64_t redacted = 0;             // secrets that were removed now
  std::vector<std::string> flagged = {}; // rules that found what may be a secret, not allowed
  std::string reason = {};               // why it was skipped; or what could not be read of it
};

// What a reading of a kept session told beside its events.
struct Reading {
  std::uint64_t resume_offset = 0;   // in its text
  std::optional<Error> problem = {}; // what is before it was read
};

// What became of sessions that were to be scanned again.
struct Repaired {
  std::size_t sessions = 0;               // that were looked at
  std::int64_t last = 0;                  // the id of the last one
  std::vector<std::string> problems = {}; // of those that stay as they were
};

// Sessions that are kept: what is known of them (traces.db) and what they say (zstd objects), both
// without secrets unless a person asked for them.
// Owner: the daemon. Thread: one at a time. Time is a parameter.
class Archive {
public:
  // Errors as of TraceStore::open and TraceObjects::open.
  static Result<Archive> open(ArchiveOptions options);

  store::TraceStore& store() { return m_store; }

  store::TraceObjects& objects() { return m_objects; }

  const redact::RuleSet& rules() const { return m_rules; }

  // A folder for what is needed for the time of a call.
  const std::string& scratch() const { return m_scratch; }

  // Takes what is new of a session's file, or all of it; of a database of sessions, each of them.
  // The file is only read. Errors as of open_bytes, and those of the store: one file's failure says
  // nothing of the next.
  Result<std::vector<Kept>> keep(const std::string& path,
                                 const KeepOptions& options,
                                 std::int64_t now_ms,
                                 std::stop_token stop);

  // Gives the events of a kept session to `sink`, from an offset of its text on (0, or where a
  // record begins), as records without secrets, whatever is kept.
  Result<Reading> read(const store::SessionRow& row,
                       std::uint64_t from,
                       trace::EventSink& sink,
                       std::stop_token stop);

  // Forgets a session and what it said.
  Result<void> remove(const store::SessionRow& row, std::int64_t now_ms);

  // Scans again what was scanned with other rules, or read by an older reader, at most `limit`
  // sessions with larger ids than `after`; secrets that are found now are taken out of what is
  // kept. One that is damaged is told, and the others are done. What the database still holds of
  // them goes with TraceStore::compact.
  Result<Repaired>
  repair(std::int64_t after, std::size_t limit, std::int64_t now_ms, std::stop_token stop);

  // Those that are kept with their secrets since before that time: they are taken out.
  Result<Repaired> clean_raw(std::int64_t before_ms, std::int64_t now_ms, std::stop_token stop);

private:
  friend class Intake;

  Archive(store::TraceStore store, store::TraceObjects objects, ArchiveOptions options)
      : m_store(std::move(store))
      , m_objects(std::move(objects))
      , m_scratch(parent_path(options.database))
      , m_rules(std::move(options.rules))
      , m_price(std::move(options.price)) {}

  Result<void>
  scan_again(store::SessionRow row, Secrets secrets, std::int64_t now_ms, std::stop_token stop);
  Result<void> scan_one(std::int64_t id,
                        std::optional<Secrets> secrets,
                        std::int64_t now_ms,
                        const std::stop_token& stop,
                        Repaired& repaired);

  store::TraceStore m_store;
  store::TraceObjects m_objects;
  std::string m_scratch;
  redact::RuleSet m_rules;
  PriceOf m_price;
};

} // namespace upskill::archive
