#pragma once
#include "clients/cli/page.h"
#include "clients/cli/watch_keys.h"
#include "protocol/types/server.h"
#include "protocol/types/sync.h"
#include "protocol/types/watch_reports.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill::cli {

// What a key or an answer leads to. Accepting and undoing look first and ask the person then.
enum class WatchAct { none, quit, run, cancel, plan_accept, accept, find_undo, plan_undo, undo };

struct WatchOrder {
  WatchAct act = WatchAct::none;
  std::string skill = {};
  std::string project = {};
  std::int64_t entry = 0;  // of the sync log, of an undo
  bool is_testing = false; // when the key was pressed
};

struct WatchQuestion {
  std::string text = {};
  WatchOrder yes = {};
};

// What has become of a skill, and when.
struct WatchMoment {
  std::string time = {}; // RFC 3339 in UTC
  std::string skill = {};
  std::string word = {};
  std::string text = {};
  Tint tint = Tint::plain;
};

// Everything that the picture is made of. Others wrote the texts in it: they are cleaned when they
// are drawn.
struct WatchView {
  std::vector<WatchedSkill> skills = {}; // those that need a person first
  std::vector<std::string> warnings = {};
  bool is_told = false;    // the daemon has answered once
  std::string chosen = {}; // key of the skill that a person has selected; empty: the first
  bool shows_detail = true;
  bool shows_help = false;
  std::optional<DaemonStatusResult> status = {};
  std::vector<HistoryEntry> synced = {}; // newest first
  std::vector<WatchMoment> moments = {}; // newest first, at most k_most_moments
  std::string said = {};                 // what came of the last key
  Tint said_tint = Tint::plain;
  std::optional<WatchQuestion> question = {};
  std::string trouble = {}; // why nothing is heard of the daemon
  std::size_t rows = 10;    // skills that the picture has room for
};

inline constexpr std::size_t k_most_moments = 100;

// Tells skills apart: of the same name in two projects.
std::string key_of(const WatchedSkill& skill);

// The place of the selected skill among them; the first where it is gone.
std::size_t selected_place(const WatchView& view);
// Null where there is no skill.
const WatchedSkill* selected_skill(const WatchView& view);

// The daemon told how all stand.
void take_news(WatchView& view, WatchResult result);

// It told how these of them stand.
void take_some(WatchView& view, const std::vector<WatchedSkill>& skills);

// A person pressed a key: what is to be asked of the daemon now.
WatchOrder press(WatchView& view, Key key);

void say(WatchView& view, std::string text, Tint tint = Tint::plain);

} // namespace upskill::cli
