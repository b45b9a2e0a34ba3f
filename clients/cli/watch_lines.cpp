#include "clients/cli/watch_lines.h"

#include "clients/cli/text.h"
#include "clients/cli/watch_parts.h"
#include "clients/cli/watch_view.h"
#include "protocol/codec/codec.h"

namespace upskill::cli {
namespace {

// What makes another line for people: not how far a test is.
std::string standing(const WatchedSkill& skill) {
  return std::string(word_of(skill)) + "\n" + std::string(enum_name(skill.reason)) + "\n"
         + skill.hash + "\n" + skill.accepted + "\n" + skill.why;
}

} // namespace

std::string plain_line(const WatchedSkill& skill, std::string_view home) {
  std::string line;
  if (skill.at.size() > 19 && skill.at[10] == 'T') {
    line = clean_line(skill.at.substr(11, 8)) + " ";
  }
  line += name_of(skill, home) + " " + std::string(word_of(skill));
  const WatchedSubject* subject = telling_subject(skill);
  if (std::string rates = subject == nullptr ? "" : rates_of(*subject, "->"); !rates.empty()) {
    line += " " + rates + ", ";
    line += subject->most > 0 ? std::to_string(subject->samples) + " of "
                                    + count(subject->most, "sample", "samples")
                              : count(subject->samples, "sample", "samples");
  }
  std::string why = clean_line(skill.why);
  return why.empty() ? line : line + ": " + why;
}

std::vector<std::string> WatchLines::take(const WatchResult& result) {
  std::vector<std::string> lines;
  std::map<std::string, std::string> now;
  for (const WatchedSkill& skill : result.skills) {
    std::string key = key_of(skill);
    std::string told = m_json ? encode(skill) : standing(skill);
    auto before = m_told.find(key);
    if (before == m_told.end() || before->second != told) {
      lines.push_back(m_json ? "{\"generation\":" + std::to_string(result.generation) + ","
                                   + told.substr(1)
                             : plain_line(skill, m_home));
    }
    now.emplace(std::move(key), std::move(told));
  }
  m_told = std::move(now);
  return lines;
}

} // namespace upskill::cli
