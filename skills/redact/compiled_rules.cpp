#include "skills/redact/compiled_rules.h"

#include "protocol/base/hash.h"
#include "skills/redact/mark.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>

namespace upskill::redact {
namespace {

// To be raised with every change of what the same rules find.
constexpr std::uint64_t k_engine_version = 1;
constexpr std::int64_t k_max_pattern_memory = 4 << 20; // bytes, as RE2 counts them

LatePattern pattern_of(const std::string& text) {
  return {text, {.max_memory = k_max_pattern_memory}};
}

CompiledRule compile_rule(const Rule& rule) {
  CompiledRule compiled;
  compiled.regex = pattern_of(rule.regex);
  std::ranges::transform(rule.allowlist.regexes, std::back_inserter(compiled.allowed), pattern_of);
  std::ranges::transform(rule.allowlist.before, std::back_inserter(compiled.before), pattern_of);
  return compiled;
}

Result<void>
check_pattern(const LatePattern& pattern, const std::string& where, std::string_view key) {
  return pattern.check().map_error([&](Error error) {
    error.message =
        where + ": `" + std::string(key) + "` is not a pattern that RE2 reads: " + error.message;
    return error;
  });
}

Result<void> check_rule(const Rule& rule, const CompiledRule& compiled, const std::string& where) {
  TRY(check_pattern(compiled.regex, where, "regex"));
  if (compiled.regex->NumberOfCapturingGroups() < rule.secret_group) {
    return fail(ErrorCode::invalid_argument,
                where + ": `secretGroup` is of no group that `regex` has",
                "count the opening parentheses that are not `(?:`");
  }
  for (const LatePattern& pattern : compiled.allowed) {
    TRY(check_pattern(pattern, where, "allowlist.regexes"));
  }
  for (const LatePattern& pattern : compiled.before) {
    TRY(check_pattern(pattern, where, "allowlist.before"));
  }
  return {};
}

} // namespace

Result<std::shared_ptr<const CompiledRules>> CompiledRules::compile(std::vector<Rule> rules,
                                                                    std::string_view what) {
  auto made = std::make_shared<CompiledRules>();
  for (const Rule& rule : rules) {
    made->m_compiled.push_back(compile_rule(rule));
    made->m_ids.push_back(rule.id);
  }
  std::ranges::sort(made->m_ids);
  made->m_rules = std::move(rules);
  made->index_keywords();
  if (made->m_rules_of.size() > k_max_keywords) {
    return fail(ErrorCode::too_large,
                "`" + std::string(what) + "` makes more than 4096 keywords",
                "remove rules that you do not need");
  }
  made->digest();
  return made;
}

Result<void> CompiledRules::check(std::string_view what) const {
  for (std::size_t i = 0; i < m_rules.size(); ++i) {
    const std::string where = "`" + std::string(what) + "`, rule `" + m_rules[i].id + "`";
    TRY(check_rule(m_rules[i], m_compiled[i], where));
  }
  return {};
}

void CompiledRules::index_keywords() {
  std::map<std::string, std::vector<std::uint16_t>> by_keyword;
  for (std::size_t i = 0; i < m_rules.size(); ++i) {
    for (const std::string& keyword : m_rules[i].keywords) {
      std::vector<std::uint16_t>& of = by_keyword[keyword];
      if (of.empty() || of.back() != i) {
        of.push_back(static_cast<std::uint16_t>(i));
      }
    }
  }
  std::vector<std::string> keywords;
  for (auto& [keyword, of] : by_keyword) {
    keywords.push_back(keyword);
    m_rules_of.push_back(std::move(of));
  }
  if (keywords.size() <= k_max_keywords) {
    m_prefilter = Prefilter(keywords);
  }
}

void CompiledRules::digest() {
  Sha256 hash;
  hash.update_number(k_engine_version);
  auto add = [&](const std::vector<std::string>& texts) {
    hash.update_number(texts.size());
    for (const std::string& text : texts) {
      hash.update_framed(text);
    }
  };
  for (const Rule& rule : m_rules) {
    hash.update_framed(rule.id);
    hash.update_framed(rule.regex);
    hash.update_number(static_cast<std::uint64_t>(rule.secret_group));
    add(rule.keywords);
    hash.update_number(std::bit_cast<std::uint64_t>(rule.entropy));
    add(rule.allowlist.regexes);
    add(rule.allowlist.stopwords);
    add(rule.allowlist.before);
    hash.update_number(static_cast<std::uint64_t>(rule.confidence));
    for (std::size_t number : {rule.before, rule.longest, rule.follow}) {
      hash.update_number(number);
    }
    hash.update_number(rule.is_block ? 1 : 0);
  }
  m_version = hash.finish().hex();
}

std::size_t CompiledRules::mark_at(std::string_view text) const {
  std::string_view id = marked_id(text);
  bool is_known = !id.empty() && std::ranges::binary_search(m_ids, id);
  return is_known ? k_mark_begin.size() + id.size() + 1 : 0;
}

} // namespace upskill::redact
