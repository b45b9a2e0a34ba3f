#pragma once
#include "skills/agent_events/agent_run.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::agent_events {

// Collects what the events of any agent say, within the bounds of agent_run.h.
// Owner: an EventReader. Thread: its. Lifetime: its.
class Recorder {
public:
  explicit Recorder(std::vector<std::string> placed)
      : m_placed(std::move(placed)) {}

  AgentRun run = {};

  // Text in place of what was said before; empty text changes nothing.
  void say(std::string_view text);
  // More of the same text, or the first of a new one where a tool was called in between.
  void say_more(std::string_view text);

  void begin_text() { m_is_new_text = true; }

  // A tool was called. The skills count once it succeeds, or at once where calls have no id; the
  // same id again is the same call.
  void call(std::string_view id, std::string_view tool, std::set<std::string> skills);
  void result(std::string_view id, bool has_succeeded);

  void used_skill(std::string_view name);
  void offered(std::string_view skill);
  void model(std::string_view name);
  void fail(std::string_view message);
  void done();
  // Something went wrong, and the agent goes on.
  void trouble(std::string_view message);
  // A status of HTTP; what is none is left out.
  void status(std::optional<std::int64_t> code);
  void finish();

private:
  std::vector<std::string> m_placed;
  std::map<std::string, std::set<std::string>, std::less<>> m_waiting = {}; // calls by id
  bool m_is_new_text = true;
};

// `a + b`, where what is unknown counts as nothing; never overflows.
std::optional<std::int64_t> sum(std::optional<std::int64_t> a, std::optional<std::int64_t> b);
// `of` without `parts`, at least 0; unknown where `of` is.
std::optional<std::int64_t> less(std::optional<std::int64_t> of, std::optional<std::int64_t> part);

} // namespace upskill::agent_events
