#pragma once
#include "protocol/types/watch_reports.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::cli {

// "12:03:04 pdf REGRESSED 95% -> 57%, 24 of 60 samples: why".
std::string plain_line(const WatchedSkill& skill, std::string_view home);

// Remembers what was told of each skill, so that only what is new is told again.
class WatchLines {
public:
  // `json`: a line is the skill as an object with the `generation`, for each change of it; else it
  // is for people, for each change of how it stands.
  WatchLines(bool json, std::string home)
      : m_json(json)
      , m_home(std::move(home)) {}

  // The lines of what is new in it, without line ends.
  std::vector<std::string> take(const WatchResult& result);

private:
  bool m_json;
  std::string m_home;
  std::map<std::string, std::string> m_told = {}; // by skill
};

} // namespace upskill::cli
