#include "skills/agents/pattern.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"

#include <algorithm>

namespace upskill::agents {
namespace {

constexpr std::size_t k_max_pattern = 1024; // bytes

// A pattern in its parts. `${NAME:-stand_in}` and `$NAME` have a variable.
struct Parsed {
  enum class Anchor { home, root, project, variable } anchor = Anchor::project;
  std::string_view variable = {};
  std::string_view stand_in = {};
  std::string_view rest = {}; // below the anchor, without the first slash
};

bool is_variable_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && !(name.front() >= '0' && name.front() <= '9')
         && std::ranges::all_of(name, [](char c) {
              return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
            });
}

std::string_view without_slash(std::string_view text) {
  return text.starts_with('/') ? text.substr(1) : text;
}

// Nothing where the anchor itself is malformed.
std::optional<Parsed> parse(std::string_view text) {
  Parsed parsed;
  if (text.starts_with("${")) {
    std::size_t end = text.find('}');
    std::size_t split = text.find(":-");
    if (end == std::string_view::npos || split == std::string_view::npos || split > end) {
      return std::nullopt;
    }
    parsed.anchor = Parsed::Anchor::variable;
    parsed.variable = text.substr(2, split - 2);
    parsed.stand_in = text.substr(split + 2, end - split - 2);
    parsed.rest = text.substr(end + 1);
    if (!parsed.stand_in.starts_with("~/") && !parsed.stand_in.starts_with('/')) {
      return std::nullopt;
    }
  } else if (text.starts_with('$')) {
    std::size_t slash = std::min(text.find('/'), text.size());
    parsed.anchor = Parsed::Anchor::variable;
    parsed.variable = text.substr(1, slash - 1);
    parsed.rest = text.substr(slash);
  } else if (text.starts_with('~')) {
    parsed.anchor = Parsed::Anchor::home;
    parsed.rest = text.substr(1);
  } else if (text.starts_with('/')) {
    parsed.anchor = Parsed::Anchor::root;
    parsed.rest = text;
  } else {
    parsed.rest = text.starts_with("./") ? text.substr(1) : text;
    parsed.rest = without_slash(parsed.rest);
    return parsed;
  }
  bool named = parsed.anchor != Parsed::Anchor::variable || is_variable_name(parsed.variable);
  if (!named || (!parsed.rest.empty() && parsed.rest.front() != '/')) {
    return std::nullopt;
  }
  parsed.rest = without_slash(parsed.rest);
  return parsed;
}

// What is wrong with `a/b/c`; every part must be a plain name.
std::optional<std::string> relative_problem(std::string_view path) {
  if (path.empty()) {
    return std::nullopt;
  }
  for (std::size_t at = 0; at <= path.size();) {
    std::size_t end = std::min(path.find('/', at), path.size());
    std::string_view part = path.substr(at, end - at);
    if (part.empty()) {
      return "has an empty part";
    }
    if (part == "." || part == "..") {
      return "must not contain `.` or `..`";
    }
    if (part.size() > k_max_file_name) {
      return "has a part longer than 255 bytes";
    }
    if (part.find_first_of("${}~") != std::string_view::npos) {
      return "has one of `$`, `{`, `}`, `~` where a plain name belongs";
    }
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> text_problem(std::string_view text) {
  if (text.size() > k_max_pattern) {
    return "is longer than 1024 bytes";
  }
  if (!is_utf8(text)) {
    return "is not UTF-8";
  }
  bool control = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  return control ? std::optional<std::string>("contains a control character") : std::nullopt;
}

bool is_absolute(const std::optional<std::string>& path) {
  return path && !path->empty() && path->front() == '/' && path->find('\0') == std::string::npos;
}

} // namespace

std::optional<std::string> pattern_problem(std::string_view pattern, PatternKind kind) {
  if (pattern.empty()) {
    return "is empty";
  }
  if (auto problem = text_problem(pattern)) {
    return problem;
  }
  std::optional<Parsed> parsed = parse(pattern);
  if (!parsed) {
    return "must begin with `~/`, `/`, `$NAME/` or `${NAME:-~/folder}/`";
  }
  bool below_project = parsed->anchor == Parsed::Anchor::project;
  if (kind == PatternKind::project && (!below_project || pattern.starts_with("./"))) {
    return "must be a path below the project, such as `.agents/skills`";
  }
  if (kind == PatternKind::user && below_project) {
    return "must begin with `~/`, `/`, `$NAME/` or `${NAME:-~/folder}/`";
  }
  if (kind == PatternKind::sign && below_project && !pattern.starts_with("./")) {
    return "must begin with `./`, `~/`, `/`, `$NAME/` or `${NAME:-~/folder}/`";
  }
  if (auto problem = relative_problem(parsed->rest)) {
    return problem;
  }
  if (!parsed->stand_in.empty()) {
    std::string_view stand_in = parsed->stand_in.substr(parsed->stand_in.front() == '~' ? 2 : 1);
    if (auto problem = relative_problem(stand_in); problem || stand_in.empty()) {
      return problem ? problem : std::optional<std::string>("stands in with no folder of its own");
    }
  }
  bool variable_alone = kind == PatternKind::sign && parsed->anchor == Parsed::Anchor::variable;
  if (parsed->rest.empty() && !variable_alone) {
    return "names no folder of its own";
  }
  return std::nullopt;
}

std::optional<std::string> tail_problem(std::string_view tail) {
  auto problem = text_problem(tail);
  return problem ? problem : relative_problem(tail);
}

std::optional<std::string> resolve_pattern(std::string_view pattern,
                                           const Places& places,
                                           const Environment& environment,
                                           std::string_view project) {
  std::optional<Parsed> parsed = parse(pattern);
  if (!parsed) {
    return std::nullopt;
  }
  std::string folder;
  switch (parsed->anchor) {
  case Parsed::Anchor::home:
    folder = places.home;
    break;
  case Parsed::Anchor::root:
    folder = "/";
    break;
  case Parsed::Anchor::project:
    if (project.empty()) {
      return std::nullopt;
    }
    folder = std::string(project);
    break;
  case Parsed::Anchor::variable:
    if (parsed->variable == "XDG_CONFIG_HOME") {
      folder = places.config_home;
    } else if (auto value = environment(parsed->variable); is_absolute(value)) {
      folder = *value;
    } else if (!parsed->stand_in.empty()) {
      folder = expand_home(parsed->stand_in, places.home);
    } else {
      return std::nullopt;
    }
    break;
  }
  return normalized_path(join_path(folder, parsed->rest), "/");
}

std::optional<std::string> resolve_place(const PlacePattern& place,
                                         const Places& places,
                                         const Environment& environment,
                                         std::string_view project,
                                         const Exists& exists) {
  std::optional<std::string> chosen;
  for (const std::string& pattern : place.first_of) {
    std::optional<std::string> path = resolve_pattern(pattern, places, environment, project);
    if (!path) {
      continue;
    }
    bool decides = place.first_of.size() == 1 || exists(*path);
    if (decides || !chosen) {
      chosen = std::move(path);
    }
    if (decides) {
      break;
    }
  }
  if (chosen && !place.then.empty()) {
    chosen = join_path(*chosen, place.then);
  }
  return chosen;
}

} // namespace upskill::agents
