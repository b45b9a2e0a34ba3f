#include "skills/agent_config/edit.h"
#include "skills/agent_config/json_tree.h"
#include "skills/agent_config/toml_tables.h"

#include <algorithm>
#include <optional>

namespace upskill::agent_config {
namespace {

TomlPath path_of(const EntryPlace& place) {
  TomlPath path = place.parents;
  path.push_back(place.key);
  return path;
}

bool begins_with(const TomlPath& path, const TomlPath& start) {
  return path.size() >= start.size() && std::equal(start.begin(), start.end(), path.begin());
}

// `key = value` of texts, numbers and words, and of lists of them.
Result<std::string> toml_value(const JsonNode& value) {
  if (value.kind == JsonKind::string) {
    return toml_quoted(value.text);
  }
  if (value.kind == JsonKind::other && value.text != "null") {
    return value.text;
  }
  if (value.kind != JsonKind::array) {
    return fail(ErrorCode::internal, "an entry of TOML has a value that has no place there");
  }
  std::string out;
  for (const JsonNode& element : value.children) {
    TRY_ASSIGN(std::string one, toml_value(element));
    out += (out.empty() ? "" : ", ") + one;
  }
  return "[" + out + "]";
}

Result<std::string>
block_of(const TomlPath& path, const JsonNode& value, const std::string& newline) {
  std::string out = "[";
  for (const std::string& part : path) {
    out += (out.size() == 1 ? "" : ".") + toml_key(part);
  }
  out += "]" + newline;
  for (const JsonNode& member : value.children) {
    TRY_ASSIGN(std::string written, toml_value(member));
    out += toml_key(member.key) + " = " + written + newline;
  }
  return out;
}

std::string newline_of(std::string_view text) {
  std::size_t at = text.find('\n');
  return at != std::string_view::npos && at > 0 && text[at - 1] == '\r' ? "\r\n" : "\n";
}

// Where something of that name stands, in whatever way it is written.
struct Found {
  const TomlTable* table = nullptr; // with a header of its own
  bool is_elsewhere = false;        // below it, in a list, or as a key
};

Found find_entry(const std::vector<TomlTable>& tables, const TomlPath& path) {
  Found found;
  for (const TomlTable& table : tables) {
    if (table.path == path && !table.is_list && table.begin != table.end && &table != &tables[0]) {
      found.table = &table;
    } else if (begins_with(table.path, path)) {
      found.is_elsewhere = true;
    }
    for (const TomlKey& key : table.keys) {
      TomlPath whole = table.path;
      whole.insert(whole.end(), key.path.begin(), key.path.end());
      bool is_in_table = found.table == &table;
      bool closes_it =
          key.is_inline_table && whole.size() < path.size() && begins_with(path, whole);
      if (!is_in_table && (begins_with(whole, path) || closes_it)) {
        found.is_elsewhere = true;
      }
    }
  }
  return found;
}

// Whether the table says just what we would write.
Result<bool> says(const TomlTable& table, const JsonNode& value) {
  if (table.keys.size() != value.children.size()) {
    return false;
  }
  for (const JsonNode& member : value.children) {
    TRY_ASSIGN(std::string wanted, toml_value(member));
    auto key = std::ranges::find(table.keys, TomlPath{member.key}, &TomlKey::path);
    if (key == table.keys.end()) {
      return false;
    }
    // The same texts in another layout: `["mcp"]`, `[ 'mcp', ]`.
    auto plain = [](std::string text) {
      std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
      std::ranges::replace(text, '\'', '"');
      std::size_t comma = text.rfind(",]");
      return comma == std::string::npos ? text : text.erase(comma, 1);
    };
    if (key->value != wanted && plain(key->value) != plain(wanted)) {
      return false;
    }
  }
  return true;
}

// A key of a parent as an inline table, which no header may add to.
std::optional<std::string> closed_parent(const std::vector<TomlTable>& tables,
                                         const TomlPath& path) {
  for (const TomlTable& table : tables) {
    for (const TomlKey& key : table.keys) {
      TomlPath whole = table.path;
      whole.insert(whole.end(), key.path.begin(), key.path.end());
      if (whole.size() < path.size() && begins_with(path, whole)) {
        return whole.back();
      }
    }
    if (table.is_list && table.path.size() < path.size() && begins_with(path, table.path)) {
      return table.path.back();
    }
  }
  return std::nullopt;
}

} // namespace

Result<PutResult>
put_toml_entry(std::string_view text, const EntryPlace& place, std::string_view value) {
  TRY_ASSIGN(JsonNode wanted, parse_json_tree(value));
  TRY_ASSIGN(std::vector<TomlTable> tables, parse_toml_tables(text));
  TomlPath path = path_of(place);
  PutResult result;
  result.text = text;
  if (auto closed = closed_parent(tables, path)) {
    return fail(ErrorCode::unsupported,
                "`" + *closed + "` in it is written in a way that nothing can be added to",
                "write it as `[" + *closed + ".NAME]` tables");
  }
  Found found = find_entry(tables, path);
  if (found.table != nullptr || found.is_elsewhere) {
    bool is_same = false;
    if (found.table != nullptr && !found.is_elsewhere) {
      TRY_ASSIGN(is_same, says(*found.table, wanted));
    }
    result.outcome = is_same ? PutOutcome::present : PutOutcome::foreign;
    return result;
  }
  std::string newline = newline_of(text);
  TRY_ASSIGN(std::string block, block_of(path, wanted, newline));
  bool has_bom_only = text == "\xEF\xBB\xBF";
  std::string gap = text.empty() || has_bom_only ? ""
                    : text.ends_with('\n')       ? newline
                                                 : newline + newline;
  result.trace.was = gap + block;
  result.text += result.trace.was;
  return result;
}

Result<TakeResult> take_toml_entry(std::string_view text,
                                   const EntryPlace& place,
                                   std::string_view value,
                                   const EntryTrace& trace) {
  TRY_ASSIGN(JsonNode wanted, parse_json_tree(value));
  TRY_ASSIGN(std::vector<TomlTable> tables, parse_toml_tables(text));
  TomlPath path = path_of(place);
  TakeResult result{TakeOutcome::gone, std::string(text)};
  Found found = find_entry(tables, path);
  if (found.table == nullptr) {
    result.outcome = found.is_elsewhere ? TakeOutcome::edited : TakeOutcome::gone;
    return result;
  }
  TRY_ASSIGN(bool is_ours, says(*found.table, wanted));
  if (!is_ours || found.is_elsewhere) {
    result.outcome = TakeOutcome::edited;
    return result;
  }
  std::size_t begin = found.table->begin;
  std::size_t end = found.table->end;
  // With what was put before it, where that still stands there.
  std::size_t whole = trace.was.empty() ? std::string_view::npos : text.rfind(trace.was);
  if (whole != std::string_view::npos && whole <= begin && whole + trace.was.size() >= end) {
    begin = whole;
    end = whole + trace.was.size();
  } else if (end < text.size() && begin > 1 && text[begin - 1] == '\n'
             && (text[begin - 2] == '\n' || text.substr(0, begin).ends_with("\n\r\n"))) {
    begin -= text.substr(0, begin).ends_with("\r\n") ? 2 : 1; // the blank line above it
  }
  // What a line without an end was joined to stays apart from what follows now.
  std::string_view before = text.substr(0, begin);
  std::string_view after = text.substr(end);
  bool joins = !before.empty() && !before.ends_with('\n') && !after.empty();
  result.text = std::string(before) + (joins ? newline_of(text) : "") + std::string(after);
  result.outcome = TakeOutcome::taken;
  return result;
}

} // namespace upskill::agent_config
