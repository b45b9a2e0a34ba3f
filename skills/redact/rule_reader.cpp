#include "skills/redact/rule_reader.h"

#include "protocol/base/utf8.h"
#include "skills/redact/prefilter.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::redact {
namespace {

using nlohmann::json;

constexpr int k_max_nesting = 16;
constexpr std::size_t k_max_list = 64;       // entries of one list of a rule
constexpr std::size_t k_max_text = 4096;     // bytes of one text of a rule
constexpr std::size_t k_default_before = 64; // bytes, where neither rule nor file tells
constexpr double k_max_entropy = 8;          // bits of a byte
constexpr int k_max_group = 16;

bool is_printable(char c) {
  return c >= 0x20 && c < 0x7F;
}

bool is_keyword_byte(char c) {
  return is_printable(c) && !(c >= 'A' && c <= 'Z');
}

// Reads the members of one rule. The first problem stays; reading goes on.
class RuleReader {
public:
  explicit RuleReader(std::string where)
      : m_where(std::move(where)) {}

  void problem(const std::string& key, const std::string& what) {
    if (m_outcome) {
      m_outcome = fail(ErrorCode::invalid_argument,
                       m_where + ": `" + key + "` " + what,
                       "mend that rule; until then the file's rules are not used");
    }
  }

  const Result<void>& outcome() const { return m_outcome; }

  void text(const json& value, const std::string& key, std::string& out) {
    if (!value.is_string()) {
      problem(key, "must be a string");
      return;
    }
    out = value.get<std::string>();
    if (out.empty() || out.size() > k_max_text) {
      problem(key, "must be a text of 1 to 4096 bytes");
    }
  }

  void texts(const json& value, const std::string& key, std::vector<std::string>& out) {
    out.clear();
    if (!value.is_array() || value.size() > k_max_list) {
      problem(key, value.is_array() ? "has more than 64 entries" : "must be a list");
      return;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      text(value[i], key + "[" + std::to_string(i) + "]", out.emplace_back());
    }
  }

  void flag(const json& value, const std::string& key, bool& out) {
    if (value.is_boolean()) {
      out = value.get<bool>();
    } else {
      problem(key, "must be true or false");
    }
  }

  template <class T> void number(const json& value, const std::string& key, double most, T& out) {
    bool fits = value.is_number() && value.get<double>() >= 0 && value.get<double>() <= most
                && (std::is_floating_point_v<T> || value.is_number_integer());
    if (fits) {
      out = value.get<T>();
    } else {
      problem(key, "must be a number from 0 to " + std::to_string(static_cast<int>(most)));
    }
  }

  void confidence(const json& value, const std::string& key, Confidence& out) {
    if (value == "definite" || value == "candidate") {
      out = value == "definite" ? Confidence::definite : Confidence::candidate;
    } else {
      problem(key, "must be `definite` or `candidate`");
    }
  }

  void keywords(const json& value, const std::string& key, std::vector<std::string>& out) {
    texts(value, key, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i].size() < k_shortest_keyword || out[i].size() > k_longest_keyword
          || !std::ranges::all_of(out[i], is_keyword_byte)) {
        problem(key + "[" + std::to_string(i) + "]",
                "must be 3 to 64 lower-case letters, digits and signs of ASCII");
      }
    }
  }

  void allowlist(const json& value, const std::string& key, Allowlist& out) {
    if (!value.is_object()) {
      problem(key, "must be an object");
      return;
    }
    for (const auto& [name, member] : value.items()) {
      std::string here = key + "." + name;
      if (name == "regexes") {
        texts(member, here, out.regexes);
      } else if (name == "before") {
        texts(member, here, out.before);
      } else if (name == "stopwords") {
        texts(member, here, out.stopwords);
        for (std::string& word : out.stopwords) {
          std::ranges::transform(
              word, word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
        }
      } else {
        unknown(here);
      }
    }
  }

  void unknown(const std::string& key) {
    std::string shown(utf8_prefix(key, 100));
    std::ranges::replace_if(
        shown, [](char c) { return !is_printable(c); }, '?');
    problem(shown, "is not a known key");
  }

private:
  std::string m_where;
  Result<void> m_outcome = {};
};

void read_member(RuleReader& reader, const std::string& name, const json& value, Rule& rule) {
  if (name == "description") {
    reader.text(value, name, rule.description);
  } else if (name == "regex") {
    reader.text(value, name, rule.regex);
  } else if (name == "secretGroup") {
    reader.number(value, name, k_max_group, rule.secret_group);
  } else if (name == "keywords") {
    reader.keywords(value, name, rule.keywords);
  } else if (name == "entropy") {
    reader.number(value, name, k_max_entropy, rule.entropy);
  } else if (name == "allowlist") {
    reader.allowlist(value, name, rule.allowlist);
  } else if (name == "confidence") {
    reader.confidence(value, name, rule.confidence);
  } else if (name == "before") {
    reader.number(value, name, k_max_before, rule.before);
  } else if (name == "longest") {
    reader.number(value, name, k_max_longest, rule.longest);
  } else if (name == "follow") {
    reader.number(value, name, k_max_longest, rule.follow);
  } else if (name == "block") {
    reader.flag(value, name, rule.is_block);
  } else if (name != "id" && name != "enabled") {
    reader.unknown(name);
  }
}

Result<std::string> id_of(const json& row, std::size_t number, std::string_view what) {
  RuleReader reader("`" + std::string(what) + "`, entry " + std::to_string(number) + " of `rules`");
  std::string id;
  if (!row.is_object() || !row.contains("id")) {
    reader.problem("id", "is missing");
  } else {
    reader.text(row["id"], "id", id);
    bool plain = std::ranges::all_of(
        id, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
    if (!plain || id.size() > 64) {
      reader.problem("id", "must be 1 to 64 of `a` to `z`, `0` to `9` and `-`");
    }
  }
  TRY(reader.outcome());
  return id;
}

// Whether the rule stays.
Result<bool>
read_rule(const json& row, std::string_view what, std::size_t before, Rule& rule, bool is_new) {
  RuleReader reader("`" + std::string(what) + "`, rule `" + rule.id + "`");
  if (is_new) {
    rule.before = before;
  }
  bool enabled = true;
  for (const auto& [name, value] : row.items()) {
    if (name == "enabled") {
      reader.flag(value, name, enabled);
    }
    read_member(reader, name, value, rule);
  }
  if (enabled && rule.regex.empty()) {
    reader.problem("regex", "is missing");
  }
  if (enabled && rule.keywords.empty()) {
    reader.problem("keywords", "must name at least one: without it every text would be searched");
  }
  TRY(reader.outcome());
  return enabled;
}

bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > k_max_nesting) {
        return true;
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

Result<json> parse_rules(std::string_view text, std::string_view what) {
  std::string name = "`" + std::string(what) + "`";
  if (text.size() > k_max_rules_text || is_too_deep(text)) {
    return fail(ErrorCode::too_large,
                name + " is larger than 1 MiB or nested deeper than 16 levels",
                "keep only the rules that you change");
  }
  json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    return fail(
        ErrorCode::invalid_argument, name + " is not valid JSON", "check it with a JSON linter");
  }
  auto wrong = [&](const std::string& problem) {
    return fail(ErrorCode::invalid_argument,
                name + ": " + problem,
                "it is an object with `format` and `rules`");
  };
  if (!document.is_object()) {
    return wrong("must be an object");
  }
  for (const auto& [key, value] : document.items()) {
    if (key != "format" && key != "before" && key != "rules") {
      return wrong("has a key that is not known");
    }
  }
  if (document.value("format", json()) != k_rules_format) {
    return wrong("`format` must be 1");
  }
  json before = document.value("before", json(k_default_before));
  if (!before.is_number_unsigned() || before.get<std::size_t>() > k_max_before) {
    return wrong("`before` must be a number from 0 to 512");
  }
  document["before"] = before;
  if (!document.contains("rules") || !document["rules"].is_array()) {
    return wrong("`rules` must be a list");
  }
  return document;
}

} // namespace

Result<void> lay_over(std::vector<Rule>& rules, std::string_view text, std::string_view what) {
  TRY_ASSIGN(json document, parse_rules(text, what));
  const json& rows = document["rules"];
  auto before = document["before"].get<std::size_t>();
  std::vector<Rule> laid = rules;
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < rows.size() && i <= k_max_rules; ++i) {
    TRY_ASSIGN(std::string id, id_of(rows[i], i + 1, what));
    if (std::ranges::find(seen, id) != seen.end()) {
      return fail(ErrorCode::invalid_argument,
                  "`" + std::string(what) + "`, rule `" + id + "`: `id` is there twice",
                  "keep one rule of that id");
    }
    seen.push_back(id);
    auto at = std::ranges::find(laid, id, &Rule::id);
    bool is_new = at == laid.end();
    if (is_new) {
      at = laid.insert(at, Rule{.id = id});
    }
    TRY_ASSIGN(bool stays, read_rule(rows[i], what, before, *at, is_new));
    if (!stays) {
      laid.erase(at);
    }
  }
  if (laid.size() > k_max_rules || rows.size() > k_max_rules) {
    return fail(ErrorCode::too_large,
                "`" + std::string(what) + "` makes more than 1024 rules",
                "remove rules that you do not need");
  }
  rules = std::move(laid);
  return {};
}

} // namespace upskill::redact
