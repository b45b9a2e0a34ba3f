#pragma once
#include "skills/config/config.h"

#include <span>
#include <string_view>

namespace upskill::config {

// What a project's configuration may do with an option; the user's own may do everything.
enum class Policy {
  allow,          // say what it likes: a name of a model, a number
  refuse,         // nothing: it would run programs, or change where keys are sent
  inside_project, // name a folder of the project
  narrow          // only less than the user's own says
};

enum class Kind {
  text,
  model,   // a text; one that names a file (`scripted:PATH`) is a path, too
  number,  // a whole one
  watch,   // keys of their own (read_watch.h)
  install, // likewise (read_install.h)
  ignored  // upskill's, and of no use here
};

// One key of the configuration.
struct Option {
  std::string_view key;
  Policy policy = Policy::allow;
  Kind kind = Kind::ignored;
  std::string Config::*text = nullptr;                            // of texts and models
  std::int64_t Config::*number = nullptr;                         // of numbers,
  std::optional<std::int64_t> Config::*optional_number = nullptr; // either of the two
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::string_view instead = {}; // of what is ignored: what holds here
};

// All of them; of two keys for one thing the later one counts.
std::span<const Option> options();

} // namespace upskill::config
