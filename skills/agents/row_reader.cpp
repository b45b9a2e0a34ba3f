#include "skills/agents/row_reader.h"

#include "protocol/base/utf8.h"
#include "skills/agents/pattern.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::agents {
namespace {

using nlohmann::json;

constexpr int k_max_nesting = 16;
constexpr std::size_t k_max_list = 32;   // entries of one list of a row
constexpr std::size_t k_max_text = 4096; // bytes of one text of a row
constexpr int k_max_depth = 32;          // folders below a root

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// Reads the members of one row. The first problem stays; reading goes on, so that the code below is
// a list of keys.
class RowReader {
public:
  explicit RowReader(std::string where)
      : m_where(std::move(where)) {}

  void problem(const std::string& key, const std::string& what) {
    if (!m_failed) {
      m_error = {ErrorCode::invalid_argument,
                 m_where + ": `" + key + "` " + what,
                 "mend that row; until then the built-in table is used"};
      m_failed = true;
    }
  }

  Result<void> outcome() const { return m_failed ? Result<void>(fail(m_error)) : Result<void>(); }

  // Calls `use` for every member; one that it does not know is a problem.
  template <class Use> void members(const json& value, const std::string& key, const Use& use) {
    if (!value.is_object()) {
      problem(key, "must be an object");
      return;
    }
    for (const auto& [name, member] : value.items()) {
      std::string here = key.empty() ? name : key + "." + name;
      if (!use(name, member, here)) {
        std::string shown(utf8_prefix(here, 100));
        std::ranges::replace_if(shown, is_control, '?');
        problem(shown, "is not a known key");
      }
    }
  }

  template <class Use> void elements(const json& value, const std::string& key, const Use& use) {
    if (!value.is_array() || value.size() > k_max_list) {
      problem(key, value.is_array() ? "has more than 32 entries" : "must be a list");
      return;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      use(value[i], key + "[" + std::to_string(i) + "]");
    }
  }

  void text(const json& value, const std::string& key, std::string& out) {
    if (!value.is_string()) {
      problem(key, "must be a string");
      return;
    }
    out = value.get<std::string>();
    if (out.empty() || out.size() > k_max_text || std::ranges::any_of(out, is_control)) {
      problem(key, "must be a line of 1 to 4096 bytes");
    }
  }

  void name(const json& value, const std::string& key, std::string& out) {
    text(value, key, out);
    if (out.find('/') != std::string::npos || out == "." || out == "..") {
      problem(key, "must be a name without `/`");
    }
  }

  void names(const json& value, const std::string& key, std::vector<std::string>& out) {
    out.clear();
    elements(value, key, [&](const json& element, const std::string& here) {
      name(element, here, out.emplace_back());
    });
  }

  void flag(const json& value, const std::string& key, bool& out) {
    if (value.is_boolean()) {
      out = value.get<bool>();
    } else {
      problem(key, "must be true or false");
    }
  }

  template <class E> void choice(const json& value, const std::string& key, E& out) {
    const auto& names = EnumNames<E>::names;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (value.is_string() && value.get_ref<const std::string&>() == names[i]) {
        out = static_cast<E>(i);
        return;
      }
    }
    std::string allowed;
    for (std::string_view word : names) {
      allowed += (allowed.empty() ? "`" : ", `") + std::string(word) + "`";
    }
    problem(key, "must be one of " + allowed);
  }

  void pattern(const json& value, const std::string& key, PatternKind kind, std::string& out) {
    text(value, key, out);
    if (auto wrong = m_failed ? std::nullopt : pattern_problem(out, kind)) {
      problem(key, *wrong);
    }
  }

  void place(const json& value, const std::string& key, PatternKind kind, PlacePattern& out) {
    out = {};
    if (!value.is_object()) {
      pattern(value, key, kind, out.first_of.emplace_back());
      return;
    }
    members(value, key, [&](const std::string& member, const json& inner, const std::string& here) {
      if (member == "first_of") {
        elements(inner, here, [&](const json& element, const std::string& at) {
          pattern(element, at, kind, out.first_of.emplace_back());
        });
      } else if (member == "then") {
        text(inner, here, out.then);
        if (auto wrong = tail_problem(out.then)) {
          problem(here, *wrong);
        }
      } else {
        return false;
      }
      return true;
    });
    if (out.first_of.empty()) {
      problem(key + ".first_of", "must name at least one folder");
    }
  }

  void places(const json& value,
              const std::string& key,
              PatternKind kind,
              std::vector<PlacePattern>& out) {
    out.clear();
    elements(value, key, [&](const json& element, const std::string& here) {
      place(element, here, kind, out.emplace_back());
      if (std::find(out.begin(), out.end() - 1, out.back()) != out.end() - 1) {
        problem(here, "is in the list twice");
      }
    });
  }

  void scope(const json& value, const std::string& key, PatternKind kind, Agent& agent) {
    ScopeFolders& folders = kind == PatternKind::user ? agent.user : agent.project;
    bool writes_given = false;
    members(value, key, [&](const std::string& member, const json& inner, const std::string& here) {
      if (member == "reads") {
        places(inner, here, kind, folders.reads);
      } else if (member == "legacy") {
        places(inner, here, kind, folders.legacy);
      } else if (member == "administered" && kind == PatternKind::user) {
        places(inner, here, kind, folders.administered);
      } else if (member == "writes") {
        place(inner, here, kind, folders.writes);
        writes_given = true;
      } else if (member == "ancestors" && kind == PatternKind::project) {
        flag(inner, here, agent.ancestors);
      } else if (member == "nested" && kind == PatternKind::project) {
        flag(inner, here, agent.nested);
      } else {
        return false;
      }
      return true;
    });
    bool read = std::ranges::find(folders.reads, folders.writes) != folders.reads.end();
    if (writes_given && !read) {
      problem(key + ".writes", "must be one of the folders in `reads`");
    } else if (!read) {
      folders.writes = folders.reads.empty() ? PlacePattern{} : folders.reads.front();
    }
  }

  void sign(const json& value, const std::string& key, Sign& out) {
    if (!value.is_object()) {
      pattern(value, key, PatternKind::sign, out.pattern);
      return;
    }
    members(value, key, [&](const std::string& member, const json& inner, const std::string& here) {
      if (member == "path") {
        pattern(inner, here, PatternKind::sign, out.pattern);
      } else if (member == "dependency") {
        text(inner, here, out.dependency);
      } else {
        return false;
      }
      return true;
    });
    if (out.pattern.empty()) {
      problem(key + ".path", "is missing");
    }
  }

  void recursion(const json& value, const std::string& key, int& depth) {
    if (value == "direct") {
      depth = 1;
    } else if (value == "any") {
      depth = k_any_depth;
    } else if (value.is_number_integer() && value >= 1 && value <= k_max_depth) {
      depth = value.get<int>();
    } else {
      problem(key, "must be `direct`, `any` or a number from 1 to 32");
    }
  }

  void loader(const json& value, const std::string& key, Loader& out) {
    members(value, key, [&](const std::string& member, const json& inner, const std::string& here) {
      if (member == "known_by") {
        choice(inner, here, out.known_by);
      } else if (member == "follows_links") {
        choice(inner, here, out.follows_links);
      } else if (member == "dedupes_by") {
        choice(inner, here, out.dedupes_by);
      } else if (member == "same_name") {
        choice(inner, here, out.same_name);
      } else if (member == "recursion") {
        recursion(inner, here, out.depth);
      } else if (member == "restart_needed") {
        choice(inner, here, out.restart_needed);
      } else if (member == "reload") {
        text(inner, here, out.reload);
      } else {
        return false;
      }
      return true;
    });
    if (out.dedupes_by == DedupesBy::name && out.same_name == SameName::all) {
      problem(key + ".same_name", "must be `first` or `last` where `dedupes_by` is `name`");
    }
  }

  void session_place(const json& value, const std::string& key, SessionPlace& out) {
    members(value, key, [&](const std::string& member, const json& inner, const std::string& here) {
      if (member == "folder") {
        pattern(inner, here, PatternKind::user, out.folder);
      } else if (member == "names") {
        names(inner, here, out.names);
      } else if (member == "below") {
        name(inner, here, out.below);
      } else if (member == "journal") {
        name(inner, here, out.journal);
      } else if (member == "depth" && inner.is_number_integer() && inner >= 0
                 && inner <= k_max_depth) {
        out.depth = inner.get<int>();
      } else {
        return false;
      }
      return true;
    });
    if (out.folder.empty() || out.names.empty()) {
      problem(key, "must have a `folder` and `names`");
    }
  }

private:
  std::string m_where;
  Error m_error = {};
  bool m_failed = false;
};

// Deepest nesting of brackets outside strings.
int nesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

} // namespace

Result<json> parse_table(std::string_view text, std::string_view what) {
  std::string name = "`" + std::string(what) + "`";
  if (text.size() > k_max_table || nesting(text) > k_max_nesting) {
    return fail(ErrorCode::too_large,
                name + " is larger than 1 MiB or nested deeper than 16 levels",
                "keep only the agents that you change");
  }
  json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    return fail(
        ErrorCode::invalid_argument, name + " is not valid JSON", "check it with a JSON linter");
  }
  return document;
}

Result<std::string> row_id(const json& row, std::size_t number, std::string_view what) {
  RowReader reader("`" + std::string(what) + "`, entry " + std::to_string(number) + " of `agents`");
  std::string id;
  if (!row.is_object() || !row.contains("id")) {
    reader.problem("id", "is missing");
  } else {
    reader.name(row["id"], "id", id);
    bool plain = std::ranges::all_of(
        id, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
    if (!plain || id.size() > 64) {
      reader.problem("id", "must be 1 to 64 of `a` to `z`, `0` to `9` and `-`");
    }
  }
  TRY(reader.outcome());
  return id;
}

Result<void> read_row(const json& row, std::string_view what, Agent& agent) {
  RowReader reader("`" + std::string(what) + "`, agent `" + agent.id + "`");
  reader.members(
      row, "", [&](const std::string& member, const json& value, const std::string& here) {
        if (member == "title") {
          reader.text(value, here, agent.title);
        } else if (member == "user") {
          reader.scope(value, here, PatternKind::user, agent);
        } else if (member == "project") {
          reader.scope(value, here, PatternKind::project, agent);
        } else if (member == "detect") {
          agent.signs.clear();
          reader.elements(value, here, [&](const json& element, const std::string& at) {
            reader.sign(element, at, agent.signs.emplace_back());
          });
        } else if (member == "programs") {
          reader.names(value, here, agent.programs);
        } else if (member == "loader") {
          reader.loader(value, here, agent.loader);
        } else if (member == "sessions") {
          agent.sessions.clear();
          reader.elements(value, here, [&](const json& element, const std::string& at) {
            reader.session_place(element, at, agent.sessions.emplace_back());
          });
        } else if (member == "never_touch") {
          reader.names(value, here, agent.never_touch);
        } else if (member == "notes") {
          reader.text(value, here, agent.notes);
        } else {
          return member == "id" || member == "setup"; // of skills/agent_config
        }
        return true;
      });
  if (agent.user.reads.empty() && agent.project.reads.empty()) {
    reader.problem("user.reads", "or `project.reads` must name a folder");
  }
  if (agent.title.empty()) {
    agent.title = agent.id;
  }
  return reader.outcome();
}

} // namespace upskill::agents
