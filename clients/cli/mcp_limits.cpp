#include "clients/cli/mcp_reference.h"
#include "clients/cli/text.h"
#include "protocol/base/bounds.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/http/event_log.h"
#include "protocol/mcp/questions.h"
#include "protocol/mcp/subscriptions.h"
#include "protocol/mcp/uri.h"
#include "protocol/rpc/message.h"

#include <chrono>

// Every number is written from the constant that the daemon goes by.
namespace upskill::cli {
namespace {

using Questions = mcp::Questions;
using Subscriptions = mcp::Subscriptions;
using EventLog = http::EventLog;

std::string count(std::size_t number) {
  return grouped(static_cast<long long>(number));
}

std::string bytes(std::size_t number) {
  if (number % (1u << 20) == 0) {
    return count(number >> 20) + " MiB";
  }
  return number % (16u << 10) == 0 ? count(number >> 10) + " KiB" : count(number) + " bytes";
}

std::string time(std::chrono::seconds time) {
  auto hours = std::chrono::duration_cast<std::chrono::hours>(time);
  return hours == time && hours.count() > 0 ? std::to_string(hours.count()) + " h"
                                            : std::to_string(time.count()) + " s";
}

} // namespace

std::vector<McpLimit> mcp_limits() {
  return {
      {"one message", bytes(k_max_line) + ", nested at most " + count(k_max_json_depth) + " deep"},
      {"members of an envelope, of `params`, of `_meta`", count(rpc::k_max_members) + " each"},
      {"a request's id, a progress token", bytes(rpc::k_max_id_bytes)},
      {"a cursor", bytes(k_max_cursor)},
      {"a URI", bytes(mcp::k_max_uri)},
      {"calls of one client in flight",
       count(k_max_calls_in_flight) + "; over HTTP a modern request is a client of its own"},
      {"what calls make the server hold until they are answered",
       bytes(k_max_held_bytes) + " a client, " + bytes(k_max_held_bytes_all) + " in all"},
      {"messages of a batch (2025-03-26)", count(rpc::k_max_batch)},
      {"clients of one daemon, besides those of HTTP", count(k_max_clients)},
      {"what a client does not read",
       bytes(k_max_unread) + ", and " + time(k_write_limit) + " without reading any of it; beyond "
           + bytes(k_backed_up) + " no progress and no log messages"},
      {"one page of `resources/list` or `resources/directory/read`",
       count(k_resource_page) + " entries or " + bytes(k_resource_page_bytes)},
      {"one page of `skills/list`",
       count(k_mcp_skill_page) + " skills or " + bytes(k_mcp_skill_page_bytes)},
      {"a resource that is read", bytes(k_mcp_skill_bytes)},
      {"a skill that `skills/list` shows",
       count(k_mcp_skill_resources) + " files, " + bytes(k_mcp_skill_bytes)},
      {"values of one completion", count(k_max_completions)},
      {"`notifications/progress`", count(k_max_reports) + " a second for a call"},
      {"`notifications/message`", count(k_max_logs) + " for a call"},
      {"SKILL.md in the prompt `review_skill`", bytes(k_reviewed_text)},
      {"subscriptions of one client",
       count(Subscriptions::k_max_listens) + " `subscriptions/listen` of "
           + count(Subscriptions::k_max_uris)
           + " URIs each; legacy: " + count(Subscriptions::k_max_uris) + " URIs"},
      {"what a call asks the client",
       count(Questions::k_max_at_once)
           + " things at once; legacy: " + count(Questions::k_max_rounds) + " times, answers of "
           + bytes(Questions::k_max_bytes) + " in all"},
      {"an answer to that, a `requestState`", time(k_answer_limit)},
      {"jobs", count(k_running_jobs) + " run at once, " + count(k_unfinished_jobs) + " unfinished"},
      {"arguments of a job",
       bytes(k_max_job_arguments) + "; of all unfinished ones " + bytes(k_all_job_arguments)},
      {"the result of a job", bytes(k_max_job_result)},
      {"what a job asks",
       count(k_max_job_requests) + " things at once, answers of " + bytes(k_max_job_answers)
           + ", within " + time(k_job_kept)},
      {"a job that has ended",
       "kept " + time(k_job_kept) + ", the newest " + count(k_finished_jobs)},
      {"HTTP: the head of a request",
       bytes(k_max_http_head) + " within " + time(k_http_head_limit)},
      {"HTTP: a body", bytes(k_max_line) + " within " + time(k_http_body_limit)},
      {"HTTP: what an agent's hook tells at `/hook`", bytes(k_max_http_hook)},
      {"HTTP: a connection between two requests", time(k_http_idle_limit)},
      {"HTTP: connections",
       count(k_max_http_connections) + ", " + count(k_max_http_strangers)
           + " of them without having shown the token; the longest idle makes room"},
      {"HTTP: sessions (legacy)",
       count(k_max_http_sessions) + ", the longest unused makes room; kept "
           + time(k_http_session_kept) + " without use"},
      {"HTTP: streams of a session by GET", count(k_max_http_streams)},
      {"HTTP: events to be resumed",
       "kept " + time(EventLog::k_kept) + " after the end of their stream, "
           + count(EventLog::k_max_ended) + " streams and " + bytes(EventLog::k_max_ended_bytes)
           + "; of one that goes on " + bytes(EventLog::k_max_open_bytes)},
      {"HTTP: a stream by GET whose connection broke", "goes on for " + time(k_http_stream_kept)},
  };
}

} // namespace upskill::cli
