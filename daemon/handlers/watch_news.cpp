#include "daemon/handlers/watch_news.h"

#include "daemon/handlers/plain_line.h"
#include "protocol/codec/codec.h"
#include "protocol/rpc/simdjson_reader.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_waited = 16; // versions of a skill that are remembered
constexpr std::size_t k_most_apart = 3;   // messages at a time
constexpr std::size_t k_most_named = 5;   // titles in a message of many
constexpr std::size_t k_max_name = 100;   // bytes
constexpr std::size_t k_max_error = 300;  // bytes
constexpr std::size_t k_max_title = 160;  // bytes
constexpr std::size_t k_max_body = 500;   // bytes, before it is escaped

// All skills that something was told of.
struct ToldFile {
  std::vector<ToldSkill> skills = {};

  static void describe(auto& f) { f.required(&ToldFile::skills, "skills", ""); }
};

bool is_waiting(const WatchedSkill& now) {
  return now.verdict == WatchVerdict::undecided && now.state == WatchState::waiting
         && now.reason == WatchReason::waiting;
}

// A test is over, or waits for a word; what a person has ended or switched off is none.
bool has_verdict(const WatchedSkill& now) {
  if (now.hash.empty() || now.accepted.empty()) {
    return false;
  }
  if (now.verdict != WatchVerdict::undecided) {
    return now.state == WatchState::idle || now.state == WatchState::waiting;
  }
  return is_waiting(now)
         || (now.state == WatchState::idle && now.reason != WatchReason::unfinished
             && now.reason != WatchReason::waiting && now.reason != WatchReason::cancelled);
}

std::string body_of(const WatchedSkill& now, std::string text) {
  return now.project.empty() ? text : std::move(text) + ", in " + now.project;
}

Popup popup(const WatchedSkill& now, std::string_view what, std::string body, Urgency urgency) {
  return {plain_line(now.skill, k_max_name) + ": " + std::string(what),
          body_of(now, std::move(body)),
          urgency};
}

void tell_error(ToldSkill& told, const WatchedSkill& now, std::size_t errors, WatchNews& news) {
  std::string error;
  if (errors > 0 && !now.problems.empty()) {
    error = plain_line(now.problems.front(), k_max_error);
  }
  if (!error.empty() && error != told.error) {
    std::string body = error;
    if (errors > 1) {
      body += ", and " + std::to_string(errors - 1) + " more";
    }
    news.popups.push_back(
        popup(now, "cannot be used as it is", std::move(body), Urgency::critical));
  }
  told.error = std::move(error);
}

void tell_verdict(ToldSkill& told, const WatchedSkill& now, WatchNews& news) {
  switch (now.verdict) {
  case WatchVerdict::regressed:
    news.popups.push_back(popup(now, "REGRESSED", now.why, Urgency::critical));
    told.is_down = true;
    return;
  case WatchVerdict::ok: {
    // Who accepts the very version that was called worse knows.
    const bool was_accepted = now.hash == now.accepted && now.hash == told.hash;
    if (told.is_down && !was_accepted) {
      news.popups.push_back(popup(now, "OK again", now.why, Urgency::low));
    }
    told.is_down = false;
    return;
  }
  case WatchVerdict::undecided:
    break;
  }
  if (!is_waiting(now) || std::ranges::find(told.waited, now.hash) != told.waited.end()) {
    return;
  }
  news.popups.push_back(popup(
      now, "waits for a word", now.why + "; `upskill watch run` has it tested", Urgency::normal));
  told.waited.push_back(now.hash);
  if (told.waited.size() > k_most_waited) {
    told.waited.erase(told.waited.begin());
  }
}

// Servers may take a body for markup, and notify-send itself takes `\074` in it for `<`.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '\\':
      out += "&#92;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

std::string_view urgency_word(Urgency urgency) {
  switch (urgency) {
  case Urgency::low:
    return "low";
  case Urgency::normal:
    return "normal";
  case Urgency::critical:
    break;
  }
  return "critical";
}

} // namespace

std::string write_told(const std::vector<ToldSkill>& skills) {
  return encode(ToldFile{skills});
}

Result<std::vector<ToldSkill>> read_told(std::string_view json) {
  rpc::JsonParser parser;
  Result<ToldFile> file = fail(ErrorCode::corrupt, "nothing was read");
  Result<void> read = parser.read(
      json, "what was told", [&](JsonReader& reader) { file = decode<ToldFile>(reader, "told"); });
  if (!read || !file) {
    return fail(ErrorCode::corrupt, (read ? file.error() : read.error()).message);
  }
  return std::move(file->skills);
}

WatchNews news_of(ToldSkill& told, const WatchedSkill& now, std::size_t errors) {
  WatchNews news;
  if (now.state == WatchState::gone || now.state == WatchState::looking || now.hash.empty()) {
    return news;
  }
  told.skill = now.skill;
  told.project = now.project;
  tell_error(told, now, errors, news);
  const bool is_same = told.hash == now.hash && told.accepted == now.accepted
                       && told.verdict == now.verdict && told.reason == now.reason;
  // The accepted version itself, where nothing was told before: it is as it was.
  const bool is_first = told.hash.empty() && now.hash == now.accepted;
  if (!has_verdict(now) || is_same || is_first) {
    return news;
  }
  news.is_verdict = true;
  tell_verdict(told, now, news);
  told.hash = now.hash;
  told.accepted = now.accepted;
  told.verdict = now.verdict;
  told.reason = now.reason;
  return news;
}

std::vector<Popup> bundled(std::vector<Popup> popups) {
  if (popups.size() <= k_most_apart) {
    return popups;
  }
  std::ranges::stable_sort(popups, std::ranges::greater(), &Popup::urgency);
  Popup all{std::to_string(popups.size()) + " messages of watched skills"};
  all.urgency = popups.front().urgency;
  for (std::size_t i = 0; i < std::min(popups.size(), k_most_named); ++i) {
    all.body += (i == 0 ? "" : ", ") + popups[i].title;
  }
  if (popups.size() > k_most_named) {
    all.body += " and " + std::to_string(popups.size() - k_most_named) + " more";
  }
  all.body += "; `upskill watch status` shows all";
  return {std::move(all)};
}

std::vector<std::string> notify_words(const Popup& popup) {
  return {"--app-name=upskill",
          "--urgency=" + std::string(urgency_word(popup.urgency)),
          "--",
          plain_line(popup.title, k_max_title),
          escaped(plain_line(popup.body, k_max_body))};
}

} // namespace upskill::daemon
