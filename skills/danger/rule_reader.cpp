#include "skills/danger/rule_reader.h"

#include "skills/redact/prefilter.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace upskill::danger {
namespace {

using nlohmann::json;
using Words = std::vector<std::pair<std::string, std::string>>;

constexpr int k_most_words_put_in = 500; // in one pattern; more is a circle

Result<void> wrong(const std::string& what) {
  return fail(ErrorCode::invalid_argument, "`rules.json`, " + what, "mend that rule");
}

template <class E> std::optional<E> named(std::string_view name) {
  auto at = std::ranges::find(EnumNames<E>::names, name);
  if (at == EnumNames<E>::names.end()) {
    return std::nullopt;
  }
  return static_cast<E>(at - EnumNames<E>::names.begin());
}

// `{{word}}` becomes what stands for it, until none is left.
Result<void> put_words_in(std::string& pattern, const json& words) {
  for (int i = 0; i < k_most_words_put_in; ++i) {
    std::size_t begin = pattern.find("{{");
    if (begin == std::string::npos) {
      return {};
    }
    std::size_t end = pattern.find("}}", begin);
    std::string name = pattern.substr(begin + 2, end - begin - 2);
    if (end == std::string::npos || !words.contains(name) || !words[name].is_string()) {
      return wrong("`words` has no `" + name + "`");
    }
    pattern.replace(begin, end + 2 - begin, words[name].get_ref<const std::string&>());
  }
  return wrong("a word contains itself");
}

class RuleReader {
public:
  RuleReader(const json& row, const json& words)
      : m_row(row)
      , m_words(words) {}

  Result<Rule> read() {
    text("id", m_rule.id);
    for (const auto& [name, value] : m_row.items()) {
      member(name, value);
    }
    need(!m_rule.id.empty(), "id");
    need(!m_rule.group.empty(), "group");
    need(!m_rule.regex.empty(), "regex");
    need(!m_rule.message.empty(), "message");
    need(!m_rule.hint.empty(), "hint");
    need(!m_rule.keywords.empty(), "keywords");
    need(!m_rule.within || !m_rule.with.empty(), "with");
    TRY(m_outcome);
    return std::move(m_rule);
  }

private:
  void need(bool holds, const std::string& key) {
    if (!holds && m_outcome) {
      m_outcome = wrong("rule `" + m_rule.id + "`: `" + key + "` is missing or not as it must be");
    }
  }

  void text(const std::string& key, std::string& out) {
    bool is_text = m_row.is_object() && m_row.contains(key) && m_row[key].is_string();
    need(is_text, key);
    if (is_text) {
      out = m_row[key].get<std::string>();
    }
  }

  void pattern(const std::string& key, std::string& out) {
    text(key, out);
    if (auto done = put_words_in(out, m_words); !done && m_outcome) {
      m_outcome = done;
    }
  }

  void patterns(const std::string& key, const json& list, std::vector<std::string>& out) {
    need(list.is_array() && !list.empty(), key);
    for (const json& entry : list) {
      need(entry.is_string(), key);
      out.push_back(entry.is_string() ? entry.get<std::string>() : "");
      if (auto done = put_words_in(out.back(), m_words); !done && m_outcome) {
        m_outcome = done;
      }
    }
  }

  void keywords(const json& list) {
    patterns("keywords", list, m_rule.keywords);
    for (const std::string& keyword : m_rule.keywords) {
      bool is_lower = std::ranges::none_of(keyword, [](char c) { return c >= 'A' && c <= 'Z'; });
      need(is_lower && keyword.size() >= redact::k_shortest_keyword
               && keyword.size() <= redact::k_longest_keyword,
           "keywords");
    }
  }

  void places(const json& by_place) {
    need(by_place.is_object() && !by_place.empty(), "looks_at");
    for (const auto& [name, value] : by_place.items()) {
      auto place = named<Place>(name);
      auto severity = value.is_string() ? named<Severity>(value.get_ref<const std::string&>())
                                        : std::optional<Severity>();
      need(place && severity, "looks_at");
      if (place && severity) {
        m_rule.looks_at[static_cast<std::size_t>(*place)] = severity;
      }
    }
  }

  void member(const std::string& name, const json& value) {
    if (name == "group") {
      text(name, m_rule.group);
    } else if (name == "looks_at") {
      places(value);
    } else if (name == "keywords") {
      keywords(value);
    } else if (name == "regex") {
      pattern(name, m_rule.regex);
    } else if (name == "match_has") {
      patterns(name, value, m_rule.match_has);
    } else if (name == "match_lacks") {
      patterns(name, value, m_rule.match_lacks);
    } else if (name == "unit_has") {
      patterns(name, value, m_rule.unit_has);
    } else if (name == "unit_lacks") {
      patterns(name, value, m_rule.unit_lacks);
    } else if (name == "with") {
      pattern(name, m_rule.with);
    } else if (name == "with_lacks") {
      patterns(name, value, m_rule.with_lacks);
    } else if (name == "within") {
      need(value.is_number_unsigned(), name);
      m_rule.within = value.is_number_unsigned() ? value.get<std::size_t>() : 0;
    } else if (name == "speech") {
      need(value == true, name);
      m_rule.is_speech = true;
    } else if (name == "mention") {
      need(value == "counts", name);
      m_rule.mention_counts = true;
    } else if (name == "message") {
      text(name, m_rule.message);
    } else if (name == "hint") {
      text(name, m_rule.hint);
    } else {
      need(name == "id", name);
    }
  }

  const json& m_row;
  const json& m_words;
  Rule m_rule = {};
  Result<void> m_outcome = {};
};

} // namespace

Result<std::vector<Rule>> read_rules(std::string_view text) {
  json document = json::parse(text, nullptr, false);
  if (!document.is_object() || document.value("format", json()) != k_rules_format
      || !document.contains("words") || !document.contains("rules")) {
    return fail(ErrorCode::invalid_argument,
                "`rules.json` is not an object with `format` 1, `words` and `rules`",
                "check it with a JSON linter");
  }
  std::vector<Rule> rules;
  for (const json& row : document["rules"]) {
    TRY_ASSIGN(Rule rule, RuleReader(row, document["words"]).read());
    if (std::ranges::find(rules, rule.id, &Rule::id) != rules.end()) {
      TRY(wrong("rule `" + rule.id + "` is there twice"));
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

} // namespace upskill::danger
