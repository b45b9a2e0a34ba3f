#pragma once
#include "skills/agent_events/agent_run.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::agent_events {

class Recorder;

// Reads what an agent prints while it runs headless, one JSON object a line, in pieces of any size.
// Lines that are no JSON objects are the agent's chatter; events it does not know are counted.
// Nothing that is printed makes it fail, or keep more than the bounds of agent_run.h.
// Owner: one run. Thread: any, one at a time. Lifetime: the run's.
class EventReader {
public:
  // `placed` names the skills that were given to the agent: what `skills/*/SKILL.md` stands for.
  explicit EventReader(Agent agent, std::vector<std::string> placed = {});
  ~EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  void take(std::string_view bytes);
  // A line without its end.
  void take_line(std::string_view line);
  // What Copilot writes to its usage file, since its events tell no tokens; none from any other.
  void take_usage_file(std::string_view text);
  // The end of the stream. Once.
  AgentRun finish();

private:
  Agent m_agent;
  std::unique_ptr<Recorder> m_recorder;
  std::string m_line = {}; // what came of a line that has not ended
  bool m_is_too_long = false;
};

} // namespace upskill::agent_events
