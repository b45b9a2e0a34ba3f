#pragma once
#include "protocol/types/describe.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The rows of traces.db. Times are Unix milliseconds, sizes bytes; an id of 0 is one that is not
// stored yet.
namespace upskill::store {

inline constexpr std::size_t k_max_trace_name = 1024;         // of a harness, session, helper, rule
inline constexpr std::size_t k_max_trace_path = 4096;         // of a source, a project, a folder
inline constexpr std::size_t k_max_trace_label = 1024;        // of a title: longer ones are cut
inline constexpr std::size_t k_max_trace_list = 1000;         // models, skills, tools of a session
inline constexpr std::size_t k_max_trace_state = 16u << 20;   // of SessionRow::state
inline constexpr std::size_t k_max_index_text = 256u << 10;   // of what is indexed of a session
inline constexpr std::size_t k_max_search_hits = 100;         // of one search
inline constexpr std::size_t k_max_trace_setting = 64u << 10; // of one setting's value
inline constexpr std::size_t k_max_removed = 100;             // sessions at once, at 1.5 ms each
inline constexpr std::int64_t k_max_purged_marks = 100'000;   // that are remembered

struct SessionCounts {
  std::int64_t records = 0;
  std::int64_t prompts = 0;
  std::int64_t answers = 0;
  std::int64_t tool_calls = 0;
  std::int64_t errors = 0;
  std::int64_t interrupts = 0;
  std::int64_t corrections = 0;
  std::int64_t unknown = 0;
  std::int64_t unreadable = 0;

  friend bool operator==(const SessionCounts&, const SessionCounts&) = default;
};

// Nothing is not known, never 0.
struct SessionTokens {
  std::optional<std::int64_t> input = {};
  std::optional<std::int64_t> output = {};
  std::optional<std::int64_t> cache_read = {};
  std::optional<std::int64_t> cache_write = {};
  std::optional<double> cost = {}; // US dollars

  friend bool operator==(const SessionTokens&, const SessionTokens&) = default;
};

struct SessionSkill {
  std::string skill = {};
  std::int64_t uses = 0;

  friend bool operator==(const SessionSkill&, const SessionSkill&) = default;
};

struct SessionTool {
  std::string tool = {};
  std::int64_t calls = 0;
  std::int64_t errors = 0;

  friend bool operator==(const SessionTool&, const SessionTool&) = default;
};

// One session of an agent, or of a helper (subagent) within one.
struct SessionRow {
  std::int64_t id = 0;
  std::string harness = {}; // the program: `claude`
  std::string session = {}; // the agent's own id of it, any bytes
  std::string agent = {};   // the helper's id; empty: it is the agent's own session
  std::string forked_from = {};
  std::string format = {};
  std::string source = {}; // the agent's file
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t source_size = 0;
  std::int64_t resume_offset = 0;  // in the source
  std::string object = {};         // TraceObjects' name; empty: nothing is kept
  std::int64_t object_size = 0;    // compressed, committed
  std::int64_t text_size = 0;      // decompressed
  std::int64_t reader_version = 0; // that it was read with
  std::string rules_version = {};  // of redaction, that it was scanned with
  std::string project = {};        // working directory
  std::string branch = {};
  std::string title = {};
  std::string version = {}; // of the program that wrote it
  std::vector<std::string> models = {};
  std::optional<std::int64_t> started_ms = {};
  std::optional<std::int64_t> ended_ms = {};
  std::int64_t updated_ms = 0;  // when we last wrote it
  std::int64_t imported_ms = 0; // when it came; what replaces it keeps the first
  SessionCounts counts = {};
  SessionTokens tokens = {};
  std::string outcome = {};
  std::int64_t redacted = 0;             // secrets that were certain, and are gone
  std::int64_t candidates = 0;           // what may be one, and stands there
  std::string first_id = {};             // of its first record: forks share it
  std::string state = {};                // the caller's, who alone reads it; any bytes
  bool is_raw = false;                   // kept as it was, secrets and all
  std::vector<SessionSkill> skills = {}; // sorted by name when read
  std::vector<SessionTool> tools = {};   // the same

  // When something last happened in it, as far as is known.
  std::int64_t active_ms() const {
    return ended_ms ? *ended_ms : started_ms ? *started_ms : updated_ms;
  }

  friend bool operator==(const SessionRow&, const SessionRow&) = default;
};

// What is found by search, and nothing else of a session.
struct IndexText {
  std::string title = {};
  std::string prompts = {};
  std::string answers = {};
  std::string work = {}; // errors and commands

  friend bool operator==(const IndexText&, const IndexText&) = default;
};

// All that is given must hold.
struct SessionFilter {
  // Words that must all occur; `"several words"` as they stand, `begin*`, `-without`. Upper and
  // lower case and accents are the same. Never wrong: what is no word is not looked for.
  std::string text = {};
  std::string harness = {};
  std::string session = {};
  std::string project = {};                  // that folder, or below it
  std::optional<std::int64_t> since_ms = {}; // something happened then or later
  std::optional<std::int64_t> until_ms = {}; // it had begun before
  std::string tool = {};
  std::string skill = {};
  std::string outcome = {};
};

// A session's place in the list of all: newest first, and by id what is as old.
struct SessionPosition {
  std::int64_t active_ms = 0;
  std::int64_t id = 0;
};

enum class IndexField { title, prompts, answers, work };

// A part of a snippet that was searched for; bytes.
struct SnippetMark {
  std::size_t begin = 0;
  std::size_t length = 0;

  friend bool operator==(const SnippetMark&, const SnippetMark&) = default;
};

// Where in a session it was found, on one line.
struct Snippet {
  IndexField field = IndexField::prompts;
  std::string text = {};
  std::vector<SnippetMark> marks = {}; // in order, none within another
  bool begins_within = false;          // there is more before it
  bool ends_within = false;            // there is more behind it
};

struct SearchHit {
  SessionRow session; // without its state
  double score = 0;   // of bm25: the smaller, the better
  Snippet snippet;
};

// What is left of a session that was removed: its object is the caller's to remove.
struct RemovedSession {
  std::int64_t id = 0;
  std::string key = {};
  std::string object = {}; // empty: it has none
  std::int64_t object_size = 0;

  friend bool operator==(const RemovedSession&, const RemovedSession&) = default;
};

// Says that a session was removed on purpose, so that finding its source again does not bring it
// back.
struct PurgedMark {
  std::string key = {};
  std::string source = {};
  std::int64_t source_size = 0; // when it was removed: a source that grew has gone on
  std::int64_t purged_ms = 0;

  friend bool operator==(const PurgedMark&, const PurgedMark&) = default;
};

// What a person wants removed; what is not given takes no part.
struct PurgeFilter {
  std::string harness = {};
  std::string project = {};                   // that folder, or below it
  std::optional<std::int64_t> before_ms = {}; // nothing happened in it then or later
};

// How much is kept. Age counts from the last activity, or from the import where that is later: an
// old session that was imported by hand is not gone at once.
struct TraceLimits {
  std::optional<std::int64_t> before_ms = {}; // older ones go
  std::int64_t bytes = 0;                     // of all objects; 0: no limit
  std::int64_t raw_bytes = 0;                 // of those that are raw; 0: no limit
};

struct TraceTotals {
  std::int64_t sessions = 0; // with those of helpers
  std::int64_t helpers = 0;
  std::int64_t object_bytes = 0;
  std::int64_t raw_bytes = 0; // part of object_bytes
  std::int64_t text_bytes = 0;
  std::int64_t blocked = 0; // sessions that may not be sent
  std::int64_t database_bytes = 0;

  friend bool operator==(const TraceTotals&, const TraceTotals&) = default;
};

enum class FindingState {
  flagged, // nobody has said that it is none: the session is not sent
  allowed  // a person has
};

// What one rule of redaction found in a session, without being certain.
struct FindingRow {
  std::string rule = {};
  std::int64_t count = 0;
  FindingState state = FindingState::flagged;

  friend bool operator==(const FindingRow&, const FindingRow&) = default;
};

enum class Capture { off, on };

// Whether sessions of an agent (empty: any) in a folder and below (empty: any) are captured.
struct CaptureRule {
  std::string agent = {};
  std::string folder = {};
  Capture capture = Capture::off;

  friend bool operator==(const CaptureRule&, const CaptureRule&) = default;
};

} // namespace upskill::store

template <> struct upskill::EnumNames<upskill::store::FindingState> {
  static constexpr std::array<std::string_view, 2> names{"flagged", "allowed"};
};

template <> struct upskill::EnumNames<upskill::store::Capture> {
  static constexpr std::array<std::string_view, 2> names{"off", "on"};
};

template <> struct upskill::EnumNames<upskill::store::IndexField> {
  static constexpr std::array<std::string_view, 4> names{"title", "prompts", "answers", "work"};
};
