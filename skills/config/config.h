#pragma once
#include "protocol/base/result.h"
#include "skills/regression/settings.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::config {

inline constexpr std::size_t k_max_config = 64u << 10; // bytes of a configuration

// Whose words a configuration is. A project's may be those of whoever wrote the repository.
enum class Trust { user, project };

// What a configuration says of watching skills (skills/regression); watch.h says what counts.
struct Watch {
  regression::WatchSettings all = {}; // its budget is that of all skills together, too
  std::map<std::string, regression::WatchSettings, std::less<>> skills = {}; // by name: its own
  std::optional<std::int64_t> ask_above = {}; // skills at once, else k_ask_above
  std::optional<bool> notify = {};            // notify-send at a verdict; else where it is there
  std::vector<std::string> hook = {};         // the words of a program that is run at a verdict
};

inline constexpr std::int64_t k_ask_above = 20;

// What of `watch` a project may not say.
inline constexpr std::array<std::string_view, 2> k_watch_refused{"notify", "hook"};

// What an agent may do where it installs and its client cannot ask the person.
enum class AgentInstall { ask, refuse, allow };

// What the user's configuration says of installing skills.
struct Install {
  std::vector<std::string> sources = {}; // that `find` looks in, as a person names them
  std::vector<std::string> private_hosts =
      {}; // `host` or `host:port`, lower case: where redirects,
          // indexes and agents may lead although it is private
  AgentInstall agents = AgentInstall::ask;

  friend bool operator==(const Install&, const Install&) = default;
};

// What upskill's configuration says, with its defaults, and what is ours: `judge_model`, `watch`,
// `install`.
// Paths are as they were written, relative to the caller's folder; of a project they are inside it,
// and normalized. An empty text is absent.
struct Config {
  std::string skill_generation_model = "sonnet";
  std::string eval_model = {};     // who answers the cases; empty: skill_generation_model
  std::string test_gen_model = {}; // who writes cases; empty: skill_generation_model
  std::string judge_model = {};    // who answers `judge` checks
  std::string skills_dir = "./skills";
  std::string runs_dir = "./runs";
  std::int64_t max_refine_attempts = 2;
  std::optional<std::int64_t> num_runs = {};     // else 1 for eval, 3 for benchmark
  std::optional<std::int64_t> max_parallel = {}; // samples in flight; else the caller's own choice
  Watch watch = {};                              // of the user
  Watch project_watch = {};                      // of a project: it may only narrow the user's own
  Install install = {};                          // of the user only
  std::vector<std::string> warnings = {};        // at most k_max_warnings, each a sentence
};

inline constexpr std::size_t k_max_warnings = 20;

// Reads YAML, and so JSON; an empty text is the defaults. A key that is not known, not used here or
// not a project's to say is a warning. Errors: too_large; invalid_argument for what is no YAML, a
// key given twice, or a value of the wrong type or range, with the key's name; refused for a
// project's path that leads out of it.
Result<Config> read_config(std::string_view text, Trust trust);

} // namespace upskill::config
