#pragma once
#include "protocol/base/result.h"
#include "skills/regression/settings.h"
#include "skills/regression/yaml_fields.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::regression {

// Where a skill says how it is to be watched, in its folder.
inline constexpr std::string_view k_watch_file = "evals/watch.yaml";
inline constexpr std::size_t k_max_watch_file = 64u << 10; // bytes

struct WatchFile {
  WatchSettings settings = {};
  std::vector<std::string> warnings = {}; // at most eval::k_max_warnings, each a sentence
};

// Reads YAML, and so JSON; an empty text says nothing. Errors name the file, the line and the key
// ("evals/watch.yaml:7: `runs` must be .."): invalid_argument for what is no YAML, a key given
// twice, a wrong value; too_large. A key that is not known is a warning.
Result<WatchFile> read_watch_file(std::string_view text);

// The keys of WatchSettings, of a file's mapping or of one within a configuration, whose other keys
// the caller asks for; neither warns of others. Problems are in the findings of `fields`.
WatchSettings read_settings(YamlFields& fields);

// An error of document::parse_yaml(), which begins with "line 7: ", as one of that file.
Error yaml_error(Error error, std::string_view before_line);

} // namespace upskill::regression
