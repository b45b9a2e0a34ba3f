#pragma once
#include "skills/trace/json_record.h"

#include <vector>

namespace upskill::trace {

struct CopilotCall {
  std::string_view id = {};
  std::string_view name = {};
  Text input = {};
};

// What the data of a record says. A member means the same in all types that have it, so that they
// may come in any order. Strings are as they stand.
struct CopilotData {
  std::string_view session = {};
  std::string_view version = {};
  std::string_view cwd = {};
  std::string_view branch = {};
  std::string_view turn = {};
  std::string_view content = {};
  std::string_view words = {}; // a message, a title, a summary
  std::string_view reasoning = {};
  std::string_view source = {};
  std::string_view message = {}; // its id
  std::string_view model = {};
  std::string_view phase = {};
  std::string_view name = {};
  std::string_view rewind = {}; // that record and all after it are taken back
  std::string_view parent_call = {};
  CopilotCall call = {};
  std::vector<CopilotCall> calls = {};
  std::string_view result = {};
  std::string_view failure = {};
  std::optional<bool> is_success = {};
  std::optional<std::int32_t> exit_code = {};
  std::optional<Usage> usage = {};
  std::optional<Usage> total = {};
  std::uint32_t images = 0;
};

// One line of events.jsonl. Only Copilot's .cpp files include this. Owner: its reader, which reads
// one after the other into it. Views end with the record.
class CopilotRecord {
public:
  // False where the JSON is broken.
  bool read(ondemand::object object);

  std::string_view type = {};
  std::string_view id = {};
  std::string_view parent = {};
  std::string_view agent = {}; // empty: the agent itself
  std::optional<std::int64_t> time_ms = {};
  CopilotData data = {};

private:
  void check(bool is_sound) { m_is_sound = m_is_sound && is_sound; }

  void read_member(std::string_view key, ondemand::value& value);
  void read_session_member(std::string_view key, ondemand::value& value);
  void read_tool_member(std::string_view key, ondemand::value& value);
  void read_context(ondemand::value& value);
  void read_attachment(ondemand::value& value);
  void read_request(ondemand::value& value);
  void read_result(ondemand::value& value);
  void read_error(ondemand::value& value);
  void read_metrics(ondemand::value& value);

  bool m_is_sound = true;
};

} // namespace upskill::trace
