#include "skills/config/read_watch.h"

#include "protocol/base/bounds.h"
#include "skills/config/tell_findings.h"
#include "skills/regression/settings_file.h"
#include "skills/regression/yaml_fields.h"

#include <array>

namespace upskill::config {
namespace {

using regression::YamlFields;

constexpr std::size_t k_max_watched_skills = 1000; // that have settings of their own
constexpr std::size_t k_max_hook_words = 100;
constexpr std::size_t k_max_hook_word = 4096;     // bytes
constexpr std::int64_t k_most_ask_above = 10'000; // skills at once

void read_skills(YamlFields& fields, const document::Yaml* written, Watch& watch) {
  std::optional<YamlFields> skills = fields.inner("skills");
  if (!skills) {
    return;
  }
  if (written->members.size() > k_max_watched_skills) {
    fields.refuse("skills", "has more than " + std::to_string(k_max_watched_skills) + " entries");
    return;
  }
  for (const document::YamlMember& member : written->members) {
    if (member.key.empty() || member.key.size() > k_max_file_name) {
      skills->refuse(member.key, "is not a skill's name");
      return;
    }
    if (std::optional<YamlFields> own = skills->inner(member.key)) {
      watch.skills.emplace(member.key, regression::read_settings(*own));
      own->warn_of_others();
    }
  }
}

// A program that runs, and messages on the screen, are nothing that a repository decides.
void read_own(YamlFields& fields, Trust trust, Watch& watch) {
  if (trust == Trust::user) {
    watch.notify = fields.flag("notify");
    watch.hook = fields.texts("hook", k_max_hook_words, k_max_hook_word);
    return;
  }
  for (std::string_view key : k_watch_refused) {
    if (fields.find(key) != nullptr) {
      fields.warn(key, "is not taken from a project's configuration; the user's own may say it");
    }
  }
}

} // namespace

Result<Watch>
read_watch(const document::Yaml& mapping, Trust trust, std::vector<std::string>& warnings) {
  eval::Findings findings;
  YamlFields fields(mapping, "line ", "watch.", findings);
  Watch watch;
  watch.all = regression::read_settings(fields);
  watch.ask_above = fields.whole("ask_above", 1, k_most_ask_above);
  read_own(fields, trust, watch);
  read_skills(fields, fields.find("skills"), watch);
  fields.warn_of_others();
  TRY(tell_findings(std::move(findings), warnings));
  return watch;
}

} // namespace upskill::config
