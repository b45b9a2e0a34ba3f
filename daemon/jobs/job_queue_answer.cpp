#include "daemon/await.h"
#include "daemon/jobs/job_queue.h"
#include "protocol/rpc/simdjson_reader.h"

#include <algorithm>

namespace upskill::jobs {
namespace {

using Responses = std::vector<std::pair<std::string, std::string>>; // key, JSON object

Result<Responses> responses_in(const std::string& json) {
  if (json.size() > k_max_job_answers) {
    return fail(ErrorCode::too_large,
                "answers have at most " + std::to_string(k_max_job_answers) + " bytes");
  }
  Responses responses;
  std::string problem;
  bool is_object = false;
  rpc::JsonParser parser;
  TRY(parser.read(json, "answers", [&](JsonReader& reader) {
    is_object = reader.each_field([&](std::string_view key, JsonReader& value) {
      auto is_same = [&](const auto& other) { return other.first == key; };
      if (value.kind() != JsonKind::object) {
        problem = "answers." + std::string(key) + ": expected an object";
      } else if (std::ranges::any_of(responses, is_same)) {
        problem = "answers." + std::string(key) + ": is given twice";
      } else if (std::optional<std::string> text = value.raw()) {
        responses.emplace_back(key, std::move(*text));
      }
    });
  }));
  if (!is_object) {
    problem = "answers: expected an object";
  }
  if (!problem.empty()) {
    return fail(ErrorCode::invalid_argument,
                std::move(problem),
                R"(answer each key with {"action":"accept","content":{...}})");
  }
  return responses;
}

JobAnswered all_unknown(Responses responses) {
  JobAnswered answered;
  for (auto& [key, json] : responses) {
    answered.unknown.push_back(std::move(key));
  }
  return answered;
}

} // namespace

asio::awaitable<Result<JobAnswered>>
JobQueue::answer(std::string id, std::string owner, std::string responses) {
  // Whose job it is comes first: a stranger learns nothing from how the answers are taken.
  AWAIT(Result<Job> job, find(id, owner));
  CO_TRY(job);
  CO_TRY_ASSIGN(Responses given, responses_in(responses));
  Entry* entry = entry_of(id);
  if (entry == nullptr || entry->is_ending || entry->job.state != JobState::input_required) {
    co_return all_unknown(std::move(given));
  }
  JobAnswered answered;
  std::vector<mcp::InputRequest>& open = entry->job.requests;
  std::size_t before = open.size();
  for (auto& [key, json] : given) {
    auto asked = std::ranges::find(open, key, &mcp::InputRequest::key);
    if (asked == open.end()) {
      answered.unknown.push_back(std::move(key));
      continue;
    }
    open.erase(asked);
    entry->answers.emplace_back(std::move(key), std::move(json));
  }
  answered.open = open.size();
  if (open.size() == before) {
    co_return answered;
  }
  entry->job.updated_ms = m_options.now_ms();
  if (open.empty()) {
    entry->job.state = JobState::working;
  }
  Journal::Ticket ticket = m_journal.update(to_row(entry->job));
  if (open.empty()) {
    line_up(*entry);
  } else {
    tell(entry->job);
  }
  AWAIT(Result<void> written, m_journal.written(std::move(ticket)));
  if (!written) {
    // Nothing is lost by it: a job that waits does not outlive the daemon anyway.
    m_log.error("jobs: answers to {} could not be written: {}", id, written.error().message);
  }
  co_return answered;
}

} // namespace upskill::jobs
