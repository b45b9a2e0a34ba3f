#pragma once
#include "skills/trace/json_record.h"

#include <vector>

namespace upskill::trace {

// What a payload, or the item in one, says. A member means the same in all types that have it, so
// that they may come in any order. Strings are as they stand.
struct CodexItem {
  std::string_view type = {};
  std::string_view role = {};
  std::string_view phase = {};
  std::string_view name = {};
  std::string_view tool_space = {};
  std::string_view call = {};
  std::string_view id = {};
  std::string_view words = {}; // that are no list of parts
  std::string_view reason = {};
  std::string_view model = {};
  std::string_view turns = {}; // how many
  Text input = {};             // of a tool
  std::optional<bool> is_success = {};
  std::optional<std::int32_t> exit_code = {};
  std::optional<Usage> total = {};
  std::optional<Usage> last = {};
};

// Where a session comes from.
struct CodexOrigin {
  std::string_view cwd = {};
  std::string_view version = {};
  std::string_view originator = {};
  std::string_view branch = {};
  std::string_view forked_from = {};
  std::string_view parent = {}; // the session that started this one as its helper
  std::string_view nickname = {};
  std::string_view agent_role = {};
  bool is_helper = false;
};

// One line of a rollout. Only Codex's .cpp files include this. Owner: its reader, which reads one
// after the other into it. Views end with the record, or with the batch that was given.
class CodexRecord {
public:
  // False where the JSON is broken. What had to be decoded is kept in `batch`.
  bool read(ondemand::object object, EventBatch& batch);

  std::string_view type = {};
  std::string_view turn = {};
  std::optional<std::int64_t> time_ms = {};
  CodexItem payload = {};
  CodexItem item = {}; // within the payload
  CodexOrigin origin = {};
  std::vector<std::string_view> parts = {}; // of the content, the summary or the output of either
  std::uint32_t images = 0;                 // among them, and beside a person's words

private:
  void check(bool is_sound) { m_is_sound = m_is_sound && is_sound; }

  void read_payload_member(std::string_view key, ondemand::value& value);
  bool read_origin_member(std::string_view key, ondemand::value& value);
  void read_source(ondemand::value& source);
  void read_member(std::string_view key, ondemand::value& value, CodexItem& into);
  void read_detail(std::string_view key, ondemand::value& value, CodexItem& into);
  void read_parts(ondemand::value& value);
  void read_output(ondemand::value& value, CodexItem& into);
  void read_outcome(std::string_view& part, CodexItem& into);
  std::optional<Usage> read_usage(ondemand::value& value);

  EventBatch* m_batch = nullptr;
  bool m_is_sound = true;
};

} // namespace upskill::trace
