#pragma once
#include "protocol/types/describe.h"
#include "skills/trace/text.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace upskill::trace {

// The one model that every format is read into (facts: traces.md, section 0).
enum class EventKind : std::uint8_t { user, assistant, tool_call, tool_result, meta };

// What an event is within its kind. Only `prompt` is a person's words for certain.
enum class EventForm : std::uint8_t {
  // user
  prompt,    // typed by a person, also in the middle of a turn
  command,   // a slash command or a shell line of the person
  interrupt, // the person stopped the agent
  injected,  // put there by a program: reminders, hooks, the environment, what a command printed
  summary,   // what a compaction left of everything before
  // user or meta
  instructions, // AGENTS.md, CLAUDE.md, system and developer prompts
  skill,        // the text of a skill, or a list of skills
  // assistant
  text,     // said on the way, or it is not told
  answer,   // the last words of a turn, where the format tells
  thinking, // reasoning
  // tool_call, tool_result
  call,
  result,
  // meta
  session,    // the head of a file: the envelope says whose
  usage,      // tokens on their own
  model,      // from here on this model
  title,      // what the session is called
  compaction, // everything before was compressed
  error,      // the model's server or the agent failed
  rewind,     // `parent` and everything after it is taken back; `text` where it is so many turns
  state,      // known and of no interest: settings, snapshots, progress
  copy,       // known to stand elsewhere in the same file too
  unknown,    // a record of a type nobody knows: kept, `name` is its type
  unreadable  // a record that cannot be read: `text` is why
};

// Tokens of one answer. Nothing is unknown, never 0.
struct Usage {
  std::optional<std::int64_t> input = {};       // without what the cache served or took
  std::optional<std::int64_t> output = {};      // with reasoning
  std::optional<std::int64_t> cache_read = {};  // served by the cache
  std::optional<std::int64_t> cache_write = {}; // taken into it
  std::optional<double> cost = {};              // US dollars, where the agent itself tells
  bool is_total = false; // of the session so far, and not of one answer: the last one counts

  friend bool operator==(const Usage&, const Usage&) = default;
};

// What holds for all events of a record. Short strings are decoded, and valid UTF-8.
struct Envelope {
  std::uint64_t offset = 0; // of the record in its file, in bytes
  std::uint64_t length = 0; // of the record in its file, without what separates it from the next
  std::optional<std::int64_t> time_ms = {}; // Unix time
  std::string_view id = {};                 // of the record; the same in a copy of it (forks)
  std::string_view parent = {};             // the record it follows
  std::string_view session = {};            // the agent's own session id
  // The session that this one began as; of a record that is no head: the one that it is from.
  std::string_view forked_from = {};
  std::string_view agent = {}; // of a helper within the session (subagent); empty: the agent
  std::string_view turn = {};  // id of the turn
  std::string_view cwd = {};
  std::string_view branch = {};  // of git
  std::string_view version = {}; // of the program that wrote it
  std::string_view harness = {}; // where the format is of several programs: which
  bool is_sidechain = false;     // a helper's, not the conversation with the person
};

// One event. All views end when EventSink::take returns.
struct Event {
  EventKind kind = EventKind::meta;
  EventForm form = EventForm::unknown;
  std::uint32_t part = 0; // which event of its record
  const Envelope* envelope = nullptr;
  Text text = {};                // words; a call's input (json_value); a result's output
  std::string_view name = {};    // of the tool; of a record's type, where it is a meta event
  std::string_view call = {};    // joins a tool's call and result
  std::string_view message = {}; // one answer of a model may be several records: same id
  std::string_view model = {};
  std::string_view skill = {};                // that was at work, or is loaded by this event
  std::optional<bool> is_error = {};          // of a result
  std::optional<std::int32_t> exit_code = {}; // of a command
  std::optional<Usage> usage = {};            // of `message`; repeated in each of its records
  std::uint32_t images = 0;                   // that were left out of the text
};

// Takes events in the order of their file.
class EventSink {
public:
  virtual ~EventSink() = default;
  // Every view in it, and the envelope, ends when this returns.
  virtual void take(const Event& event) = 0;
};

} // namespace upskill::trace

template <> struct upskill::EnumNames<upskill::trace::EventKind> {
  static constexpr std::array<std::string_view, 5> names{
      "user", "assistant", "tool_call", "tool_result", "meta"};
};

template <> struct upskill::EnumNames<upskill::trace::EventForm> {
  static constexpr std::array<std::string_view, 23> names{
      "prompt",  "command", "interrupt", "injected", "summary",    "instructions",
      "skill",   "text",    "answer",    "thinking", "call",       "result",
      "session", "usage",   "model",     "title",    "compaction", "error",
      "rewind",  "state",   "copy",      "unknown",  "unreadable"};
};
