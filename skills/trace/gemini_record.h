#pragma once
#include "skills/trace/json_record.h"

#include <vector>

namespace upskill::trace {

// Of a message's content, or of a tool's result.
struct GeminiPart {
  std::string_view text = {};
  bool is_thought = false;
  bool is_result = false; // of a tool, which stands at its call too
};

// Some of the parts of a record, in the order of their list.
struct GeminiRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct GeminiCall {
  std::string_view id = {};
  std::string_view name = {};
  std::string_view status = {};
  std::string_view shown = {}; // the result as a person saw it
  Text input = {};
  GeminiRange result = {};
  bool has_result = false;
  bool has_failed = false;
};

// A message that is written again with the whole history.
struct GeminiCopy {
  std::string_view type = {};
  std::string_view id = {};
  GeminiRange content = {};
};

// One record of the Gemini CLI: a message, the head, or a control line. Strings are as they stand.
// Only Gemini's .cpp files include this. Owner: its reader, which reads one after the other into
// it. Views end with the record.
class GeminiRecord {
public:
  // False where the JSON is broken.
  bool read(ondemand::object object);

  std::span<const GeminiPart> of(GeminiRange range) const {
    return std::span(m_parts).subspan(range.begin, range.end - range.begin);
  }

  std::string_view type = {};
  std::string_view id = {};
  std::string_view model = {};
  std::string_view session = {};
  std::string_view folder = {};
  std::string_view title = {};
  std::string_view rewind = {}; // `$rewindTo`: that message and all after it are taken back
  std::optional<std::int64_t> time_ms = {};
  std::optional<std::int64_t> started_ms = {};
  std::optional<Usage> usage = {};
  GeminiRange content = {};
  GeminiRange shown = {}; // what was typed, where the content has files and commands filled in
  std::vector<std::string_view> thoughts = {};
  std::vector<GeminiCall> calls = {};
  std::vector<GeminiCopy> copies = {};
  std::uint32_t images = 0;
  bool is_head = false;
  bool is_change = false; // `$set`
  bool is_sidechain = false;

private:
  void check(bool is_sound) { m_is_sound = m_is_sound && is_sound; }

  void read_member(std::string_view key, ondemand::value& value);
  void read_head_member(std::string_view key, ondemand::value& value);
  void read_change(ondemand::value& value);
  void read_copy(ondemand::value& value);
  GeminiRange read_parts(ondemand::value& value);
  bool read_part(ondemand::value& value);
  std::string_view read_response(ondemand::value& value);
  void read_thought(ondemand::value& value);
  void read_call(ondemand::value& value);
  void read_usage(ondemand::value& value);

  std::vector<GeminiPart> m_parts = {};
  bool m_has_failed = false; // a response that was read says so
  bool m_is_sound = true;
};

} // namespace upskill::trace
