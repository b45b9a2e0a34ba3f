#include "skills/eval/run_csv.h"

#include <charconv>
#include <cmath>

namespace upskill::eval {
namespace {

constexpr std::string_view k_header =
    "batch_id,run_number,model,task,timestamp,passed,assertions_passed,assertions_total,"
    "input_tokens,output_tokens,total_tokens,conversation_span_ms,llm_time_ms,tool_time_ms,turns,"
    "tool_calls,tool_errors,mcp_calls,execute_calls,error_message,session_id,session_history_file,"
    "run_type,skill_name,skill_hash,cases_hash,student\r\n";

bool is_number(std::string_view text) {
  double value = 0;
  text.remove_prefix(text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc{} && read.ptr == end && std::isfinite(value);
}

bool is_formula(std::string_view text) {
  constexpr std::string_view k_begins = "=+-@\t\r\n";
  return !text.empty() && k_begins.find(text.front()) != std::string_view::npos && !is_number(text);
}

// One line of cells.
class Row {
public:
  explicit Row(std::string& out)
      : m_out(out) {}

  void text(std::string_view value) {
    separate();
    m_out += csv_cell(value);
  }

  void whole(std::optional<std::int64_t> value) {
    separate();
    m_out += value ? std::to_string(*value) : std::string();
  }

  void real(std::optional<double> value) {
    separate();
    char digits[32];
    if (value) {
      auto written = std::to_chars(digits, digits + sizeof digits, *value);
      m_out.append(digits, written.ptr);
    }
  }

  void end() { m_out += "\r\n"; }

private:
  void separate() {
    m_out += m_first ? "" : ",";
    m_first = false;
  }

  std::string& m_out;
  bool m_first = true;
};

} // namespace

std::string csv_cell(std::string_view text) {
  std::string cell = is_formula(text) ? "'" : "";
  cell += text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos) {
    return cell;
  }
  std::string quoted = "\"";
  for (char c : cell) {
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return quoted + "\"";
}

std::string results_csv(std::span<const RunResult> runs) {
  std::string out(k_header);
  for (const RunResult& run : runs) {
    Row row(out);
    row.text(run.metadata.batch_id);
    row.whole(run.metadata.run_number);
    row.text(run.metadata.model);
    row.text(run.metadata.task);
    row.text(run.metadata.timestamp);
    row.text(run.passed ? "True" : "False");
    row.whole(run.assertions_passed);
    row.whole(run.assertions_total);
    row.whole(run.stats.input_tokens);
    row.whole(run.stats.output_tokens);
    row.whole(run.stats.total_tokens);
    row.real(run.stats.conversation_span_ms);
    row.real(run.stats.llm_time_ms);
    row.real(run.stats.tool_time_ms);
    row.whole(run.stats.turns);
    row.whole(run.stats.tool_calls);
    row.whole(run.stats.tool_errors);
    row.whole(run.stats.mcp_calls);
    row.whole(run.stats.execute_calls);
    row.text(run.error_message);
    row.text(run.session_id);
    row.text(run.session_history_file);
    row.text(run.arm ? enum_name(*run.arm) : "");
    row.text(run.skill_name);
    row.text(run.skill_hash);
    row.text(run.cases_hash);
    row.text(run.student);
    row.end();
  }
  return out;
}

} // namespace upskill::eval
