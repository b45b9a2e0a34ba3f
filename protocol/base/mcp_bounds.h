#pragma once
#include <chrono>
#include <cstddef>
#include <string_view>

// What the daemon grants its clients, beside the bounds of any message (bounds.h). The reference of
// the protocol is written from these constants (clients/cli/mcp_limits.cpp).
namespace upskill {

inline constexpr std::size_t k_max_cursor = 16'384;   // bytes: a path and a name, in hexadecimal
inline constexpr std::size_t k_max_completions = 100; // values of one answer (MCP facts, section 4)
inline constexpr std::size_t k_reviewed_text = 64u << 10; // bytes of SKILL.md in `review_skill`
inline constexpr std::size_t k_max_reports = 10;          // of progress, of one call in a second
inline constexpr std::size_t k_max_logs = 1000;           // log messages of one call
// For a person to answer, and for a client to come back with a `requestState`.
inline constexpr auto k_answer_limit = std::chrono::hours(1);

// What a client does not read.
inline constexpr std::size_t k_backed_up = 1u << 20;   // bytes: nothing optional is sent any more
inline constexpr std::size_t k_max_unread = 64u << 20; // bytes: its end
inline constexpr auto k_write_limit = std::chrono::seconds(30); // to read anything of it

inline constexpr std::size_t k_running_jobs = 4;
inline constexpr std::size_t k_unfinished_jobs = 1024;
inline constexpr std::size_t k_finished_jobs = 1000;           // that are kept,
inline constexpr auto k_job_kept = std::chrono::hours(24);     // so long; also its questions
inline constexpr std::size_t k_max_job_arguments = 256u << 10; // bytes
inline constexpr std::size_t k_all_job_arguments = 32u << 20;  // bytes, of all unfinished jobs
inline constexpr std::size_t k_max_job_result = 8u << 20;      // bytes
inline constexpr std::size_t k_max_job_requests = 32;          // questions at a time
inline constexpr std::size_t k_max_job_answers = 256u << 10;   // bytes, of all to one question time

inline constexpr std::string_view k_default_http = "127.0.0.1:4147"; // where `--http` alone serves
inline constexpr std::size_t k_max_http_head = 16u << 10;            // bytes
inline constexpr auto k_http_head_limit = std::chrono::seconds(10);
inline constexpr auto k_http_body_limit = std::chrono::seconds(30);
inline constexpr auto k_http_idle_limit = std::chrono::seconds(75); // between two requests
inline constexpr std::size_t k_max_http_hook = 1u << 20; // bytes: what an agent's hook tells
inline constexpr std::size_t k_max_http_connections = 1024;
inline constexpr std::size_t k_max_http_strangers = 64; // connections that have shown no token
inline constexpr std::size_t k_max_http_sessions = 256; // legacy
inline constexpr auto k_http_session_kept = std::chrono::hours(1);   // without use
inline constexpr std::size_t k_max_http_streams = 16;                // opened by GET, of a session
inline constexpr auto k_http_stream_kept = std::chrono::seconds(60); // after its connection broke

} // namespace upskill
