#include "skills/config/config.h"

#include "protocol/base/utf8.h"
#include "skills/config/options.h"
#include "skills/config/read_install.h"
#include "skills/config/read_watch.h"
#include "skills/document/yaml.h"
#include "skills/document/yaml_json.h"
#include "skills/eval/case_paths.h"
#include "skills/eval/fields.h"

#include <algorithm>
#include <charconv>

namespace upskill::config {
namespace {

constexpr std::int64_t k_project_runs = 10;
constexpr std::int64_t k_project_parallel = 20;
constexpr std::int64_t k_project_refinements = 5;

using document::CoreType;
using document::Yaml;

constexpr std::size_t k_max_text = 4096; // bytes of one value
constexpr std::size_t k_shown = 80;      // bytes of a foreign key in a message
constexpr std::string_view k_scripted = "scripted:";

std::string shown(std::string_view key) {
  std::string out(utf8_prefix(key, k_shown));
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return in_backticks(out);
}

tl::unexpected<Error> wrong(std::string_view key, std::string_view what, std::string hint = {}) {
  return fail(ErrorCode::invalid_argument,
              "the configuration's " + shown(key) + " " + std::string(what),
              std::move(hint));
}

bool is_absent(const Yaml& value) {
  return value.is_null() || (value.is_scalar() && document::core_type(value) == CoreType::null);
}

// auto_eval and its like are read over, but what cannot be meant is told.
class Reading {
public:
  Reading(Config& config, Trust trust)
      : m_config(config)
      , m_trust(trust) {}

  Result<void> take(const Option& option, const Yaml& value) {
    if (option.kind == Kind::ignored) {
      // `local` is the one executor that there is.
      if (!is_absent(value) && !(option.key == "executor" && value.text == "local")) {
        warn("`" + std::string(option.key) + "` is not used: " + std::string(option.instead));
      }
      return {};
    }
    if (is_absent(value)) {
      return {};
    }
    if (m_trust == Trust::project && option.policy == Policy::refuse) {
      warn("`" + std::string(option.key)
           + "` is not taken from a project's configuration; the user's own may say it");
      return {};
    }
    if (option.kind == Kind::watch) {
      return take_watch(option, value);
    }
    if (option.kind == Kind::install) {
      return take_install(option, value);
    }
    return option.kind == Kind::number ? take_number(option, value) : take_text(option, value);
  }

  void warn(std::string message) {
    if (m_config.warnings.size() < k_max_warnings) {
      m_config.warnings.push_back(std::move(message));
    }
  }

private:
  Result<void> take_watch(const Option& option, const Yaml& value) {
    if (!value.is_mapping()) {
      return wrong(option.key, "must be keys with values", "such as `mode: ask`");
    }
    // Apart, so that what a project says is never taken for the user's word.
    Watch& watch = m_trust == Trust::project ? m_config.project_watch : m_config.watch;
    TRY_ASSIGN(watch, read_watch(value, m_trust, m_config.warnings));
    return {};
  }

  Result<void> take_install(const Option& option, const Yaml& value) {
    if (!value.is_mapping()) {
      return wrong(option.key, "must be keys with values", "such as `agents: ask`");
    }
    TRY_ASSIGN(m_config.install, read_install(value, m_config.warnings));
    return {};
  }

  Result<void> take_text(const Option& option, const Yaml& value) {
    if (!value.is_scalar() || document::core_type(value) != CoreType::string) {
      return wrong(option.key, "must be text", value.is_scalar() ? "put it into quotes" : "");
    }
    if (value.text.empty()) {
      return wrong(option.key, "is empty", "take the line out");
    }
    if (value.text.size() > k_max_text) {
      return wrong(option.key, "has more than " + std::to_string(k_max_text) + " bytes");
    }
    if (std::ranges::any_of(
            value.text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
      return wrong(option.key, "has a control character");
    }
    std::string text = value.text;
    if (m_trust == Trust::project) {
      TRY_ASSIGN(text, inside_project(option, std::move(text)));
    }
    m_config.*option.text = std::move(text);
    return {};
  }

  static Result<std::string> inside_project(const Option& option, std::string text) {
    bool names_file = option.kind == Kind::model && text.starts_with(k_scripted);
    if (option.policy != Policy::inside_project && !names_file) {
      return text;
    }
    std::string_view path = text;
    path.remove_prefix(names_file ? k_scripted.size() : 0);
    Result<std::string> inside = eval::inside_path(path);
    if (!inside) {
      return fail(ErrorCode::refused,
                  "a project's configuration must stay inside the project: " + std::string("`")
                      + std::string(option.key) + "` " + inside.error().message,
                  "a path elsewhere is for `~/.config/upskill/config.yaml` or an option");
    }
    return (names_file ? std::string(k_scripted) : std::string()) + *inside;
  }

  Result<void> take_number(const Option& option, const Yaml& value) {
    std::int64_t number = 0;
    const char* end = value.text.data() + value.text.size();
    bool is_number = value.is_scalar() && document::core_type(value) == CoreType::integer;
    auto read = std::from_chars(value.text.data(), end, number);
    if (!is_number || read.ec != std::errc{} || read.ptr != end || number < option.least
        || number > option.most) {
      return wrong(option.key,
                   "must be a whole number from " + std::to_string(option.least) + " to "
                       + std::to_string(option.most));
    }
    if (option.number != nullptr) {
      m_config.*option.number = number;
    } else {
      m_config.*option.optional_number = number;
    }
    return {};
  }

public:
  // A repository must not make who evaluates in it pay for a thousand runs.
  void keep_small() {
    auto keep = [&](std::string_view key, std::int64_t& number, std::int64_t most) {
      if (number > most) {
        number = most;
        warn("`" + std::string(key) + "` of a project counts up to " + std::to_string(most)
             + "; an option on the command line says more");
      }
    };
    if (m_config.num_runs) {
      keep("num_runs", *m_config.num_runs, k_project_runs);
    }
    if (m_config.max_parallel) {
      keep("max_parallel", *m_config.max_parallel, k_project_parallel);
    }
    keep("max_refine_attempts", m_config.max_refine_attempts, k_project_refinements);
  }

private:
  Config& m_config;
  Trust m_trust;
};

void warn_of_unknown(const Yaml& root, Reading& reading) {
  std::vector<std::string> keys;
  for (const Option& option : options()) {
    keys.emplace_back(option.key);
  }
  for (const document::YamlMember& member : root.members) {
    if (std::ranges::find(keys, member.key) == keys.end()) {
      std::string hint = eval::meant(member.key, keys);
      reading.warn(shown(member.key) + " is not a key of the configuration"
                   + (hint.empty() ? "" : ", " + hint));
    }
  }
}

} // namespace

Result<Config> read_config(std::string_view text, Trust trust) {
  if (text.size() > k_max_config) {
    return fail(ErrorCode::too_large,
                "the configuration has more than " + std::to_string(k_max_config) + " bytes");
  }
  Config config;
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  Result<document::YamlDocument> document = document::parse_yaml(text);
  if (!document) {
    return fail(document.error().code,
                "the configuration is not YAML: " + document.error().message,
                document.error().hint);
  }
  const Yaml& root = document->root;
  if (is_absent(root)) {
    return config;
  }
  if (!root.is_mapping()) {
    return fail(ErrorCode::invalid_argument,
                "the configuration must be keys with values",
                "such as `eval_model: haiku`");
  }
  if (document->features.duplicate_line > 0) {
    return wrong(document->features.duplicate_key, "is given twice", "take one of them out");
  }
  Reading reading(config, trust);
  for (const Option& option : options()) {
    if (const Yaml* value = root.find(option.key)) {
      TRY(reading.take(option, *value));
    }
  }
  warn_of_unknown(root, reading);
  if (trust == Trust::project) {
    reading.keep_small();
  }
  return config;
}

} // namespace upskill::config
