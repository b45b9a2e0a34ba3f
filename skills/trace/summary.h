#pragma once
#include "protocol/base/result.h"
#include "skills/trace/event.h"
#include "skills/trace/format.h"
#include "skills/trace/indexed_words.h"
#include "skills/trace/novelty.h"
#include "skills/trace/remarks.h"
#include "skills/trace/text_filter.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::trace {

struct ToolCount {
  std::uint64_t calls = 0;
  std::uint64_t errors = 0;

  friend bool operator==(const ToolCount&, const ToolCount&) = default;
};

struct SessionCounts {
  std::uint64_t records = 0;
  std::uint64_t prompts = 0; // of the person
  std::uint64_t answers = 0; // texts of the agent
  std::uint64_t calls = 0;
  std::uint64_t errors = 0; // of tools
  std::uint64_t interrupts = 0;
  std::uint64_t corrections = 0;
  std::uint64_t approvals = 0;
  std::uint64_t unknown = 0; // events of no known type
  std::uint64_t unreadable = 0;
  std::uint64_t replayed = 0; // events of the session it was forked from, which count for nothing

  friend bool operator==(const SessionCounts&, const SessionCounts&) = default;
};

// What a search finds a session by: what was said, run and failed. What tools gave that went well
// is not among it: there is a hundred times as much of it, and files and commands are found by
// their names. Cleaned, the beginning and the end of each part within its own bound, 256 KiB in
// all.
struct IndexText {
  std::string title = {};
  std::string prompts = {}; // of the person, one after the other
  std::string answers = {}; // of the agent
  std::string work = {};    // what tools were called with, and their errors

  friend bool operator==(const IndexText&, const IndexText&) = default;
};

// What a session is. All texts are bounded, cleaned where they are somebody's words, valid UTF-8.
struct SessionSummary {
  std::string harness = {};
  std::string session = {};
  std::string agent = {}; // the helper whose own file this is
  std::string forked_from = {};
  std::string first_record = {}; // id: copies of a session begin alike
  std::string cwd = {};          // the first one
  std::string branch = {};
  std::string version = {};
  std::string title = {}; // the last one, or how the first prompt begins
  std::vector<std::string> models = {};
  std::optional<std::int64_t> first_ms = {}; // Unix time
  std::optional<std::int64_t> last_ms = {};
  SessionCounts counts = {};
  // Records that repeat one answer are counted once, by the largest output. Nothing where the
  // format does not tell.
  Usage tokens = {};
  // The same by model, as prices are; only of answers that say whose they are.
  std::map<std::string, Usage> by_model = {};
  std::map<std::string, ToolCount> tools = {};
  std::map<std::string, std::uint64_t> skills = {};  // that were at work -> how often seen
  std::map<std::string, std::uint64_t> unknown = {}; // types nobody knows
  Outcome outcome = Outcome::unknown;
  IndexText index = {};
  bool is_helper = false; // a helper's own file

  friend bool operator==(const SessionSummary&, const SessionSummary&) = default;
};

// Computes what a session is from its events, in bounded memory. Its state can be kept, so that a
// file that grows is gone on with where its records were settled: the summary of a beginning,
// restored and given the rest, is that of the whole. Owner: whoever reads the session. Thread: any,
// one at a time.
class Summary : public EventSink {
public:
  // `filter` cleans every text before it is cut; it lives as long as this. Nothing: no cleaning.
  // `slots` bounds how long ago a record may be that is written again (Novelties).
  explicit Summary(Format format, TextFilter* filter = nullptr, std::size_t slots = k_kept_slots);

  void take(const Event& event) override;

  // Of the event that was taken last.
  Novelty novelty() const { return m_novelty; }

  SessionSummary summary() const;

  // Whether this is a helper's own file, as far as its events tell yet.
  bool is_helper() const { return m_seen.is_helper; }

  // JSON, at most some 600 KB; the format and the filter are not in it.
  std::string saved() const;
  // corrupt, where it is not what saved() gave.
  static Result<Summary>
  restored(std::string_view state, Format format, TextFilter* filter = nullptr);

  // Bounds. What is over them is counted where there is a count, and otherwise not kept.
  static constexpr std::size_t k_models = 32;
  static constexpr std::size_t k_tools = 256;
  static constexpr std::size_t k_skills = 64;
  static constexpr std::size_t k_unknown = 64;
  static constexpr std::size_t k_pending = 256;
  static constexpr std::size_t k_messages = 256;
  static constexpr std::size_t k_kept_slots = 512;    // as they are kept, 16 bytes each at most
  static constexpr std::size_t k_prompts = 96u << 10; // bytes that are searched
  static constexpr std::size_t k_answers = 96u << 10;
  static constexpr std::size_t k_work = 63u << 10;
  static constexpr std::size_t k_title = 200;
  static constexpr std::size_t k_first_prompt = 80; // bytes of it that make a title

private:
  // A call that has no result yet.
  struct Pending {
    std::uint64_t call = 0; // stable_hash
    std::string tool = {};
    std::string skill = {}; // that it reads

    friend bool operator==(const Pending&, const Pending&) = default;
  };

  // An answer whose tokens were counted; its other records may follow.
  struct Counted {
    std::uint64_t message = 0; // stable_hash
    Usage usage = {};
  };
  struct State; // reads and writes what is kept

  void take_envelope(const Event& event);
  void take_replayed(const Event& event);
  void take_user(const Event& event);
  void take_prompt(const Event& event);
  void take_assistant(const Event& event);
  void take_call(const Event& event);
  void take_result(const Event& event);
  void take_meta(const Event& event);
  void take_usage(const Event& event);
  void count(std::string_view model, const Usage& usage, const Usage& counted);
  void see_skill(std::string_view name);
  ToolCount* tool(std::string_view name);
  bool is_aside(const Event& event) const;

  Format m_format;
  TextFilter* m_filter;
  SessionSummary m_seen = {}; // but title, outcome, index
  IndexedWords m_prompts{k_prompts};
  IndexedWords m_answers{k_answers};
  IndexedWords m_work{k_work};
  std::string m_title = {}; // that the session was given
  std::string m_beginning = {};
  std::optional<std::uint64_t> m_record = {}; // offset of the last one
  std::optional<std::uint64_t> m_prompt = {}; // offset of the last record that is one
  bool m_is_remarked = false;                 // words of that record were looked at
  bool m_is_decided = false;                  // whether this is a helper's file
  Course m_course = {};                       // since the last prompt
  Course m_before = {};                       // up to it
  Remark m_remark = Remark::none;             // the last prompt's
  std::vector<Pending> m_pending = {};
  std::vector<Counted> m_counted = {};
  std::optional<Usage> m_inherited = {}; // the total of what was replayed
  Novelties m_novelties;
  Novelty m_novelty = Novelty::fresh;
};

} // namespace upskill::trace
