#pragma once
#include "protocol/types/describe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill {

enum class JobState { working, input_required, completed, failed, cancelled };

template <> struct EnumNames<JobState> {
  static constexpr std::array<std::string_view, 5> names{
      "working", "input_required", "completed", "failed", "cancelled"};
};

enum class JobAction { list, start, show, answer, cancel };

template <> struct EnumNames<JobAction> {
  static constexpr std::array<std::string_view, 5> names{
      "list", "start", "show", "answer", "cancel"};
};

struct JobParams {
  JobAction action = JobAction::list;
  std::string id = {};
  std::string tool = {};
  JsonText arguments = {};
  JsonText answers = {};
  std::int64_t wait = 0;
  std::int64_t limit = 20;
  std::string cursor = {};

  static void describe(auto& f) {
    f.optional(&JobParams::action, "action", "What to do; `list` by default.");
    f.optional(&JobParams::id, "id", "The job to show, answer or cancel.");
    f.optional(&JobParams::tool, "tool", "start: the tool to run.");
    f.optional(&JobParams::arguments, "arguments", "start: an object, the tool's arguments.");
    f.optional(&JobParams::answers,
               "answers",
               "answer: an object, each question's key with "
               "{\"action\":\"accept\",\"content\":{...}}; action may be decline or cancel.");
    f.optional(&JobParams::wait,
               "wait",
               "Seconds to wait, at most 60, for the job to end or to ask something.");
    f.optional(&JobParams::limit, "limit", "list: at most this many.");
    f.optional(&JobParams::cursor, "cursor", "list: next_cursor of the page before.");
  }
};

// Something that a job wants to know before it goes on.
struct JobQuestion {
  std::string key;
  std::string kind;
  std::string message = {};
  JsonText schema = {};
  JsonText params = {};

  static void describe(auto& f) {
    f.required(&JobQuestion::key, "key", "Names the question in `answers`.");
    f.required(&JobQuestion::kind, "kind", "`elicitation`, `sampling` or `roots`.");
    f.optional(&JobQuestion::message, "message", "What is asked.");
    f.optional(&JobQuestion::schema, "schema", "JSON Schema of the answer's `content`.");
    f.optional(&JobQuestion::params, "params", "Of a question that is no elicitation.");
  }
};

struct JobSummary {
  std::string id;
  std::string tool;
  JobState state = JobState::working;
  std::string message = {};
  std::optional<double> progress = {};
  std::optional<double> total = {};
  std::string created_at;
  std::string updated_at;
  std::vector<JobQuestion> questions = {};
  JsonText result = {};
  std::string error = {};
  std::string hint = {};

  static void describe(auto& f) {
    f.required(&JobSummary::id, "id", "Names the job.");
    f.required(&JobSummary::tool, "tool", "What it runs.");
    f.required(&JobSummary::state, "state", "`input_required`: it waits for answers.");
    f.optional(&JobSummary::message, "message", "What it does now.");
    f.optional(&JobSummary::progress, "progress", "How much of `total` is done.");
    f.optional(&JobSummary::total, "total", "When `progress` will be all of it.");
    f.required(&JobSummary::created_at, "created_at", "RFC 3339 in UTC.");
    f.required(&JobSummary::updated_at, "updated_at", "Of its last change.");
    f.optional(&JobSummary::questions, "questions", "What it wants to know; not in lists.");
    f.optional(&JobSummary::result, "result", "What the tool answered; not in lists.");
    f.optional(&JobSummary::error, "error", "Why it failed; not in lists.");
    f.optional(&JobSummary::hint, "hint", "What to do next.");
  }
};

struct JobResult {
  std::vector<JobSummary> jobs = {};
  std::string next_cursor = {};

  static void describe(auto& f) {
    f.required(&JobResult::jobs, "jobs", "list: newest first; else the one job.");
    f.optional(&JobResult::next_cursor, "next_cursor", "There are more: pass it as `cursor`.");
  }
};

} // namespace upskill
