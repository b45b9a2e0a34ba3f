#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace upskill::agent_events {

// The coding agents whose streams are read.
enum class Agent { claude_code, codex, gemini, opencode, copilot, cursor };

inline constexpr std::size_t k_max_event = 4u << 20;  // bytes of one line
inline constexpr std::size_t k_max_answer = 4u << 20; // bytes
inline constexpr std::size_t k_max_failure = 2048;    // bytes of what went wrong
inline constexpr std::size_t k_max_name = 200;        // bytes of a tool, a skill, a model
inline constexpr std::size_t k_max_names = 10'000;    // of each kind

// Tokens of a whole run. What was not told is unknown, never 0.
struct Usage {
  std::optional<std::int64_t> input = {}; // without what the cache served or took
  std::optional<std::int64_t> cache_read = {};
  std::optional<std::int64_t> cache_write = {};
  std::optional<std::int64_t> output = {}; // with reasoning
  std::optional<std::int64_t> reasoning = {};

  friend bool operator==(const Usage&, const Usage&) = default;
};

enum class Ending {
  cut_off, // the stream ended before the agent said that it is done
  done,
  failed // it says so itself
};

// What one run of an agent was, whichever agent it is.
struct AgentRun {
  std::string answer = {};               // its last words
  std::vector<std::string> tools = {};   // the calls in their order, by the agent's own names
  std::int64_t tool_calls = 0;           // all of them, also beyond k_max_names
  std::set<std::string> skills = {};     // that it has read, by name
  std::vector<std::string> offered = {}; // skills that it says it was offered
  Usage usage = {};
  std::optional<double> cost = {};      // US dollars
  std::string cost_basis = {};          // where the prices come from: `list`, `agent`
  std::vector<std::string> models = {}; // as they were resolved
  std::string agent_version = {};
  std::optional<std::int64_t> turns = {}; // as the agent counts them
  Ending ending = Ending::cut_off;
  std::string failure = {};        // what went wrong last, in the agent's words
  std::optional<int> status = {};  // of HTTP, where it tells
  std::int64_t broken_events = 0;  // lines that should have been events: cut, too long, no JSON
  std::int64_t unknown_events = 0; // that this version does not know
};

// Which skills were used: a use that was seen counts, none is only known of a run that ended
// properly and whose events could all be read.
std::optional<std::set<std::string>> skills_used(const AgentRun& run);
// The same for tools, where one that was missed would count too.
std::optional<std::set<std::string>> tools_used(const AgentRun& run);

} // namespace upskill::agent_events
