#include "skills/agent_config/connections.h"

#include "skills/agent_config/json_layout.h"
#include "skills/agents/pattern.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace upskill::agents {
extern const std::string_view k_embedded_agents;
}

namespace upskill::agent_config {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t k_max_table = 1u << 20;
constexpr std::size_t k_most = 64; // of any list

// The first problem stays; reading goes on, so that what is below is a list of keys.
struct Reader {
  std::string where;
  std::optional<std::string> problem = {};

  void wrong(const std::string& what) {
    problem = problem ? problem : std::optional(where + ": " + what);
  }

  std::string text(const ordered_json& value, const std::string& key) {
    bool is_good = value.is_string() && !value.get_ref<const std::string&>().empty()
                   && value.get_ref<const std::string&>().size() <= 4096;
    if (!is_good) {
      wrong("`" + key + "` must be a text");
    }
    return is_good ? value.get<std::string>() : std::string();
  }

  std::vector<std::string> texts(const ordered_json& value, const std::string& key) {
    std::vector<std::string> out;
    if (value.is_string()) {
      return {text(value, key)};
    }
    if (!value.is_array() || value.size() > k_most) {
      wrong("`" + key + "` must be a text or a list of texts");
      return out;
    }
    for (const ordered_json& one : value) {
      out.push_back(text(one, key));
    }
    return out;
  }

  // A file has a folder of its own above it, so that no table can name HOME itself.
  std::vector<std::string>
  places(const ordered_json& value, const std::string& key, agents::PatternKind kind) {
    std::vector<std::string> out = texts(value, key);
    for (const std::string& place : out) {
      if (auto bad = agents::pattern_problem(place, kind)) {
        wrong("`" + key + "` " + *bad);
      }
    }
    return out;
  }

  Target target(const ordered_json& value, const std::string& key) {
    Target out;
    if (!value.is_object()) {
      wrong("`" + key + "` must be an object");
      return out;
    }
    for (const auto& [name, member] : value.items()) {
      std::string here = key + "." + name;
      if (name == "form") {
        std::string form = text(member, here);
        out.form = form == "toml" ? Form::toml : Form::json;
        if (form != "toml" && form != "json") {
          wrong("`" + here + "` must be `json` or `toml`");
        }
      } else if (name == "user") {
        out.user = places(member, here, agents::PatternKind::user);
      } else if (name == "project") {
        out.project = places(member, here, agents::PatternKind::project);
      } else if (name == "at") {
        out.at = texts(member, here);
      } else if (name == "entry" && member.is_object()) {
        out.entry = member.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
      } else if (name == "events") {
        out.events = texts(member, here);
      } else if (name == "version" && member.is_number_integer()) {
        out.version = member.dump();
      } else {
        wrong("`" + here + "` is not known, or not what it must be");
      }
    }
    if (out.entry.empty() || out.at.empty()) {
      wrong("`" + key + "` must have `at` and `entry`");
    }
    return out;
  }

  Connection connection(const ordered_json& value, const std::string& agent) {
    Connection out;
    out.agent = out.id = agent;
    if (!value.is_object()) {
      wrong("an entry of `setup` must be an object");
      return out;
    }
    for (const auto& [name, member] : value.items()) {
      if (name == "id") {
        out.id = text(member, name);
      } else if (name == "title") {
        out.title = text(member, name);
      } else if (name == "detect") {
        out.signs = places(member, name, agents::PatternKind::sign);
      } else if (name == "programs") {
        out.programs = texts(member, name);
      } else if (name == "mcp") {
        out.mcp = target(member, name);
      } else if (name == "hooks") {
        out.hooks = target(member, name);
      } else if (name == "known_by") {
        std::string how = text(member, name);
        out.is_tried = how == "run";
        if (!out.is_tried && how != "docs" && how != "reported") {
          wrong("`known_by` must be `run`, `docs` or `reported`");
        }
      } else {
        wrong("`setup." + name + "` is not known");
      }
    }
    return out;
  }
};

using Rows = std::map<std::string, std::vector<Connection>>; // by agent

Result<void> read_rows(std::string_view text, std::string_view what, Rows& rows) {
  std::string name = "`" + std::string(what) + "`";
  ordered_json document =
      text.size() > k_max_table ? ordered_json() : ordered_json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.is_object() || !document["agents"].is_array()) {
    return fail(ErrorCode::invalid_argument, name + " is no table of agents");
  }
  for (const ordered_json& row : document["agents"]) {
    auto setup = row.is_object() ? row.find("setup") : row.end();
    if (setup == row.end() || !row.contains("id") || !row["id"].is_string()) {
      continue;
    }
    Reader reader{name + ", agent `" + row["id"].get<std::string>() + "`"};
    std::vector<Connection> here;
    if (!setup->is_array() || setup->size() > k_most) {
      reader.wrong("`setup` must be a list");
    } else {
      for (const ordered_json& one : *setup) {
        here.push_back(reader.connection(one, row["id"].get<std::string>()));
      }
    }
    if (reader.problem) {
      return fail(ErrorCode::invalid_argument,
                  *reader.problem,
                  "mend that row; until then the built-in table is used");
    }
    rows[row["id"].get<std::string>()] = std::move(here);
  }
  return {};
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

// As a shell takes it, which is what runs hooks.
std::string shell_word(std::string_view word) {
  constexpr std::string_view k_plain = "/._-+:@%";
  bool is_plain = std::ranges::all_of(word, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
           || k_plain.find(c) != std::string_view::npos;
  });
  if (is_plain) {
    return std::string(word);
  }
  std::string out = "'";
  for (char c : word) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

// A text within the quotes of JSON.
std::string in_json(std::string_view text) {
  std::string quoted = json_quoted(text);
  return quoted.substr(1, quoted.size() - 2);
}

std::string own_evidence(const Connection& connection, const agents::Setting& setting) {
  for (const std::string& sign : connection.signs) {
    auto place =
        agents::resolve_pattern(sign, setting.places, setting.environment, setting.project);
    if (place && setting.probe.exists(*place)) {
      return "`" + shorten_home(*place, setting.places.home) + "` exists";
    }
  }
  std::string path = setting.environment("PATH").value_or("");
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = std::min(path.find(':', at), path.size());
    for (const std::string& program : connection.programs) {
      std::string file = join_path(path.substr(at, end - at), program);
      if (file.starts_with('/') && setting.probe.is_program(file)) {
        return "`" + shorten_home(file, setting.places.home) + "` is on PATH";
      }
    }
    at = end + 1;
  }
  return {};
}

// A folder that an agent is told of by a variable is where it looks, whatever lies elsewhere.
bool is_told(std::string_view pattern) {
  return pattern.starts_with('$') && !pattern.starts_with("${")
         && !pattern.starts_with("$XDG_CONFIG_HOME");
}

} // namespace

Result<std::vector<Connection>> read_connections(std::string_view user_text) {
  Rows rows;
  TRY(read_rows(agents::k_embedded_agents, "agents.json", rows));
  if (!user_text.empty()) {
    Rows with_users = rows;
    TRY(read_rows(user_text, "the user's agents.json", with_users));
    rows = std::move(with_users);
  }
  std::vector<Connection> out;
  for (auto& [agent, here] : rows) {
    std::ranges::move(here, std::back_inserter(out));
  }
  std::ranges::sort(out, {}, &Connection::id);
  return out;
}

std::vector<FoundConnection> find_connections(const std::vector<Connection>& connections,
                                              const agents::AgentTable& table,
                                              const agents::Setting& setting) {
  std::vector<agents::Detected> here = agents::detect(table, setting);
  std::vector<FoundConnection> out;
  for (const Connection& connection : connections) {
    FoundConnection found{connection, {}};
    const agents::Agent* agent = table.find(connection.agent);
    if (found.connection.title.empty() && agent != nullptr) {
      found.connection.title = agent->title;
    }
    if (connection.signs.empty() && connection.programs.empty()) {
      auto is_here = std::ranges::find(here, connection.agent, &agents::Detected::id);
      found.evidence = is_here == here.end() ? "" : is_here->evidence;
    } else {
      found.evidence = own_evidence(connection, setting);
    }
    out.push_back(std::move(found));
  }
  return out;
}

std::vector<Wanted> wanted_entries(const Target& target, std::string_view program) {
  std::vector<Wanted> out;
  if (!target.version.empty()) {
    out.push_back({{{}, "version"}, target.version, target.form});
  }
  auto add = [&](EntryPlace place, std::string_view event) {
    std::string value = target.entry;
    replace_all(value, "{upskill:shell}", in_json(shell_word(program)));
    replace_all(value, "{upskill}", in_json(program));
    replace_all(value, "{event}", in_json(event));
    out.push_back({std::move(place), std::move(value), target.form});
  };
  if (target.events.empty()) {
    add({target.at, "upskill"}, "");
  }
  for (const std::string& event : target.events) {
    EntryPlace place{target.at, "", true};
    place.parents.push_back(event);
    add(std::move(place), event);
  }
  return out;
}

std::optional<std::string>
file_of(const Target& target, Scope scope, const agents::Setting& setting) {
  std::optional<std::string> first;
  for (const std::string& pattern : scope == Scope::user ? target.user : target.project) {
    auto path =
        agents::resolve_pattern(pattern, setting.places, setting.environment, setting.project);
    if (path && (is_told(pattern) || setting.probe.exists(*path))) {
      return path;
    }
    first = first ? first : path;
  }
  return first;
}

} // namespace upskill::agent_config
