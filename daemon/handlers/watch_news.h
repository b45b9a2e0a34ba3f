#pragma once
#include "protocol/base/result.h"
#include "protocol/types/watch_reports.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// What of a watched skill is news to a person, and in which words.
namespace upskill::daemon {

// What a person was told of a skill.
struct ToldSkill {
  std::string skill;
  std::string project = {};
  std::string hash = {};     // of the version that had the last verdict
  std::string accepted = {}; // of the one that it was held against
  WatchVerdict verdict = WatchVerdict::undecided;
  WatchReason reason = WatchReason::unfinished;
  bool is_down = false;                 // REGRESSED, and not OK since
  std::vector<std::string> waited = {}; // versions that waited for a word, newest last
  std::string error = {};               // what kept it from being used; empty: nothing does

  static void describe(auto& f) {
    f.required(&ToldSkill::skill, "skill", "");
    f.optional(&ToldSkill::project, "project", "");
    f.optional(&ToldSkill::hash, "hash", "");
    f.optional(&ToldSkill::accepted, "accepted", "");
    f.required(&ToldSkill::verdict, "verdict", "");
    f.required(&ToldSkill::reason, "reason", "");
    f.optional(&ToldSkill::is_down, "is_down", "");
    f.optional(&ToldSkill::waited, "waited", "");
    f.optional(&ToldSkill::error, "error", "");
  }

  friend bool operator==(const ToldSkill&, const ToldSkill&) = default;
};

// As JSON that only we read.
std::string write_told(const std::vector<ToldSkill>& skills);
// corrupt where it is none of ours.
Result<std::vector<ToldSkill>> read_told(std::string_view json);

enum class Urgency { low, normal, critical };

// A message on the screen.
struct Popup {
  std::string title;
  std::string body = {};
  Urgency urgency = Urgency::normal;

  friend bool operator==(const Popup&, const Popup&) = default;
};

struct WatchNews {
  std::vector<Popup> popups = {};
  bool is_verdict = false; // which the person's own program is given

  bool none() const { return popups.empty() && !is_verdict; }
};

// What is news in `now`, of whose problems the first `errors` keep the skill from being used.
// `told` becomes what is told with it.
WatchNews news_of(ToldSkill& told, const WatchedSkill& now, std::size_t errors);

// The same in one message where there are more than a person would read one by one.
std::vector<Popup> bundled(std::vector<Popup> popups);

// The words for notify-send after its name. Whatever the message says is none of its options, and
// no markup to whoever shows it.
std::vector<std::string> notify_words(const Popup& popup);

} // namespace upskill::daemon
