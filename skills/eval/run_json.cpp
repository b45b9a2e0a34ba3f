#include "skills/eval/run_json.h"

#include "protocol/base/utf8.h"
#include "skills/eval/json_text.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace upskill::eval {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t k_max_name = 256;   // bytes kept of a skill's or a model's name
constexpr std::size_t k_max_words = 1000; // of any other text
constexpr double k_largest = 9e15;        // a whole number that a double still holds

// Every file as upskill indents it. Names are others' bytes.
std::string text_of(const ordered_json& document) {
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

// Calls f(stats.member, "name") for each, in the order of the file.
void each_stat(auto& stats, auto&& f) {
  f(stats.conversation_span_ms, "conversation_span_ms");
  f(stats.llm_time_ms, "llm_time_ms");
  f(stats.tool_time_ms, "tool_time_ms");
  f(stats.turns, "turns");
  f(stats.tool_calls, "tool_calls");
  f(stats.tool_errors, "tool_errors");
  f(stats.mcp_calls, "mcp_calls");
  f(stats.execute_calls, "execute_calls");
  f(stats.input_tokens, "input_tokens");
  f(stats.output_tokens, "output_tokens");
  f(stats.total_tokens, "total_tokens");
}

ordered_json document_of(const RunMetadata& metadata) {
  return {{"model", metadata.model},
          {"task", metadata.task},
          {"batch_id", metadata.batch_id},
          {"run_number", metadata.run_number},
          {"timestamp", metadata.timestamp}};
}

ordered_json document_of(const RunResult& run) {
  ordered_json stats = ordered_json::object();
  each_stat(run.stats, [&](const auto& value, const char* name) {
    if (value) {
      stats[name] = *value;
    }
  });
  ordered_json document{{"metadata", document_of(run.metadata)},
                        {"stats", std::move(stats)},
                        {"passed", run.passed},
                        {"assertions_passed", run.assertions_passed},
                        {"assertions_total", run.assertions_total},
                        {"error_message", text_or_null(run.error_message)},
                        {"session_id", text_or_null(run.session_id)},
                        {"session_history_file", text_or_null(run.session_history_file)}};
  if (run.arm) {
    document["run_type"] = enum_name(*run.arm);
  }
  if (!run.skill_name.empty()) {
    document["skill_name"] = run.skill_name;
  }
  auto ours = [&](const char* name, const std::string& text) {
    if (!text.empty()) {
      document[name] = text;
    }
  };
  ours("skill_hash", run.skill_hash);
  ours("cases_hash", run.cases_hash);
  ours("student", run.student);
  ours("against", run.against);
  return document;
}

// The fields of one object. Keeps the first problem.
class Members {
public:
  Members(const json& object, std::string& problem)
      : m_object(object)
      , m_problem(problem) {}

  std::string text(const char* name, std::size_t limit = k_max_words) {
    const json* value = find(name);
    if (value == nullptr) {
      return {};
    }
    if (!value->is_string()) {
      report(name, "is no text");
      return {};
    }
    return to_valid_utf8(utf8_prefix(value->get_ref<const std::string&>(), limit));
  }

  bool flag(const char* name) {
    const json* value = find(name);
    if (value != nullptr && !value->is_boolean()) {
      report(name, "is neither true nor false");
      return false;
    }
    return value != nullptr && value->get<bool>();
  }

  void read(std::optional<double>& out, const char* name) {
    if (const json* value = find(name)) {
      double number = value->is_number() ? value->get<double>() : -1;
      if (!(number >= 0 && number <= k_largest)) {
        report(name, "is no number from 0 on");
        return;
      }
      out = number;
    }
  }

  void read(std::optional<std::int64_t>& out, const char* name) {
    std::optional<double> number;
    read(number, name);
    if (number && *number != std::floor(*number)) {
      report(name, "is no whole number");
    } else if (number) {
      out = static_cast<std::int64_t>(*number);
    }
  }

  std::int64_t count(const char* name) {
    std::optional<std::int64_t> number;
    read(number, name);
    return number.value_or(0);
  }

  // An object; null where it is absent.
  const json* object(const char* name) {
    const json* value = find(name);
    if (value != nullptr && !value->is_object()) {
      report(name, "is no object");
      return nullptr;
    }
    return value;
  }

private:
  const json* find(const char* name) {
    auto at = m_object.find(name);
    return at == m_object.end() || at->is_null() ? nullptr : &*at;
  }

  void report(const char* name, const char* what) {
    if (m_problem.empty()) {
      m_problem = "`" + std::string(name) + "` " + what;
    }
  }

  const json& m_object;
  std::string& m_problem;
};

Result<json> object_in(std::string_view text) {
  if (text.size() > k_max_run_file) {
    return fail(ErrorCode::too_large, "has more than " + std::to_string(k_max_run_file) + " bytes");
  }
  try {
    json document = parse_shallow(text);
    if (document.is_object()) {
      return document;
    }
  } catch (const json::exception&) {
    // A number that no double holds.
  }
  return fail(ErrorCode::invalid_argument, "is no JSON object");
}

RunMetadata read_metadata(const json& object, std::string& problem) {
  Members members(object, problem);
  RunMetadata metadata;
  metadata.model = members.text("model", k_max_name);
  metadata.task = members.text("task");
  metadata.batch_id = members.text("batch_id", k_max_name);
  metadata.run_number = members.count("run_number");
  metadata.timestamp = members.text("timestamp", k_max_name);
  return metadata;
}

std::optional<EvalArm> arm_of(std::string_view run_type) {
  for (EvalArm arm : {EvalArm::with_skill, EvalArm::baseline}) {
    if (run_type == enum_name(arm)) {
      return arm;
    }
  }
  return std::nullopt;
}

} // namespace

std::string run_metadata_json(const RunMetadata& metadata) {
  return text_of(document_of(metadata));
}

std::string run_result_json(const RunResult& run) {
  return text_of(document_of(run));
}

std::string batch_summary_json(const BatchSummary& summary) {
  ordered_json results = ordered_json::array();
  for (const RunResult& run : summary.results) {
    results.push_back(document_of(run));
  }
  return text_of({{"batch_id", summary.batch_id},
                  {"model", summary.model},
                  {"task", summary.task},
                  {"total_runs", summary.total_runs},
                  {"passed_runs", summary.passed_runs},
                  {"results", std::move(results)}});
}

Result<RunResult> read_run(std::string_view result, std::string_view metadata) {
  TRY_ASSIGN(json document, object_in(result));
  std::string problem;
  Members members(document, problem);
  RunResult run;
  if (const json* object = members.object("metadata")) {
    run.metadata = read_metadata(*object, problem);
  } else if (!metadata.empty()) {
    TRY_ASSIGN(json separate, object_in(metadata));
    run.metadata = read_metadata(separate, problem);
  }
  if (const json* object = members.object("stats")) {
    Members stats(*object, problem);
    each_stat(run.stats, [&](auto& value, const char* name) { stats.read(value, name); });
  }
  run.passed = members.flag("passed");
  run.assertions_passed = members.count("assertions_passed");
  run.assertions_total = members.count("assertions_total");
  run.error_message = members.text("error_message");
  run.session_id = members.text("session_id");
  run.session_history_file = members.text("session_history_file");
  run.arm = arm_of(members.text("run_type", k_max_name));
  run.skill_name = members.text("skill_name", k_max_name);
  run.skill_hash = members.text("skill_hash", k_max_name);
  run.cases_hash = members.text("cases_hash", k_max_name);
  run.student = members.text("student", k_max_name);
  run.against = members.text("against");
  if (problem.empty() && run.assertions_passed > run.assertions_total) {
    problem = "`assertions_passed` is more than `assertions_total`";
  }
  if (!problem.empty()) {
    return fail(ErrorCode::invalid_argument, std::move(problem));
  }
  return run;
}

} // namespace upskill::eval
