#pragma once
#include "clients/connect/call.h"
#include "clients/connect/line_stream.h"
#include "protocol/base/paths.h"
#include "protocol/types/watch_reports.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::cli {

// A connection to the daemon over which several questions are under way at once, and none is waited
// for. When the daemon goes, what was asked is answered `unavailable`, and the connection is made
// anew, with a growing pause between tries; no daemon is started, because a person may have ended
// it.
// Owner: a follower. Thread: one. Lifetime: that of the command.
class WatchLink {
public:
  using OnAnswer = std::function<void(const Result<connect::CallReply>&)>;

  // `context`: a CallContext as JSON.
  WatchLink(Places places, std::string context, UniqueFd socket);

  bool is_open() const { return m_stream.has_value(); }

  // To be polled for reading; negative while there is none.
  int descriptor() const { return m_stream ? m_stream->descriptor() : -1; }

  // When advance() has something to do without news on the descriptor, in milliseconds; negative:
  // never.
  long limit_ms() const;

  void ask(std::string_view method, std::string arguments, OnAnswer on_answer);
  // Hands out the answers that have come, and connects when that is due.
  void advance();

  // For how long an answer has been due without any message, in milliseconds.
  long silent_ms() const;

private:
  void lose(const Error& error);
  void take_line(std::string_view line);

  Places m_places;
  std::string m_context;
  std::optional<connect::LineStream> m_stream;
  std::map<std::int64_t, OnAnswer> m_asked = {};
  std::int64_t m_calls = 0;
  long m_heard_at = 0;
  long m_pause_ms;
  long m_next_try = 0;
};

// Keeps one question for news of watched skills open, and asks again after each answer: at once
// where the daemon waited for news, after a pause where it did not. Owner: a follower; the link
// outlives it.
class WatchNews {
public:
  using OnNews = std::function<void(WatchResult)>;
  // `unavailable`: the daemon has gone, and is looked for.
  using OnProblem = std::function<void(const Error&)>;

  WatchNews(WatchLink& link, std::vector<std::string> skills, OnNews on_news, OnProblem on_problem);

  // Asks where that is due.
  void advance();
  // When it is, in milliseconds; negative while an answer is awaited.
  long limit_ms() const;

private:
  void hear(const Result<connect::CallReply>& reply);

  WatchLink& m_link;
  std::vector<std::string> m_skills;
  OnNews m_on_news;
  OnProblem m_on_problem;
  std::optional<std::int64_t> m_after = {}; // generation that is known
  bool m_is_asking = false;
  bool m_is_lost = false; // the daemon, and it was told
  long m_asked_at = 0;
  long m_next = 0;
};

} // namespace upskill::cli
