#pragma once
#include "daemon/models/model.h"
#include "daemon/proxy/agent_wire.h"
#include "daemon/proxy/usage_reader.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::proxy {

// A skill whose text is looked for in prompts.
struct WatchedSkill {
  std::string name = {};
  std::string description = {};
  std::string body = {}; // SKILL.md after its front matter
};

// What a run of an agent was seen to do, whatever it says itself. What is not known is none.
struct Measured {
  std::uint64_t requests = 0; // that a model was to answer
  std::uint64_t failed = 0;   // of them: with an error, cut off, or not at all
  std::uint64_t refused = 0;  // not let through
  models::Usage usage = {};   // of all that were answered; none where one did not tell
  std::optional<double> cost = {};
  std::vector<std::string> models = {}; // that answered, as they are named, each once
  std::set<std::string> described = {}; // skills whose description was in a prompt
  std::set<std::string> read = {};      // skills whose body was

  friend bool operator==(const Measured&, const Measured&) = default;
};

// Adds up what goes through the proxy of one run.
// Owner: a Proxy. Thread: its executor's. Lifetime: the run's.
class Recording {
public:
  Recording(std::vector<WatchedSkill> skills, const Upstream& upstream);

  void take_request(std::string_view body);
  void take_answer(AgentWire wire, int status, const UsageReader& reader);

  // No answer came.
  void take_failure() { ++m_measured.failed; }

  void take_refusal() { ++m_measured.refused; }

  const Measured& measured() const { return m_measured; }

private:
  // The pieces of a text by which it is known.
  struct Mark {
    std::string name;
    std::string description;
    std::string body;
  };

  std::vector<Mark> m_marks;
  std::string m_base_url;
  bool m_is_first = true;
  Measured m_measured;
};

// A piece of a skill's text that tells it from others: its longest line, with one blank for
// several, of at most 160 bytes. Empty where it is too short to prove anything.
std::string mark_of(std::string_view text);

// All texts within a JSON document, each in a line of its own, with one blank for several and
// without the escapes of XML; what is no JSON, as it is.
std::string texts_in(std::string_view json);

} // namespace upskill::proxy
