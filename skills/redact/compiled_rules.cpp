#include "skills/redact/compiled_rules.h"

#include "protocol/base/hash.h"
#include "protocol/base/utf8.h"
#include "skills/redact/mark.h"

#include <algorithm>
#include <bit>
#include <map>

namespace upskill::redact {
namespace {

// To be raised with every change of what the same rules find.
constexpr std::uint64_t k_engine_version = 1;
constexpr std::int64_t k_max_pattern_memory = 4 << 20; // bytes, as RE2 counts them

// Bytes and not UTF-8: a text may be cut anywhere, and hold anything.
Result<std::unique_ptr<re2::RE2>> compile_pattern(const std::string& pattern) {
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false); // they would go to stderr
  options.set_max_mem(k_max_pattern_memory);
  auto compiled = std::make_unique<re2::RE2>(pattern, options);
  if (!compiled->ok()) {
    return fail(ErrorCode::invalid_argument,
                "is not a pattern that RE2 reads: " + to_valid_utf8(compiled->error()),
                "see https://github.com/google/re2/wiki/Syntax; it has no look-around and no "
                "back-references");
  }
  return compiled;
}

Result<CompiledRule> compile_rule(const Rule& rule, const std::string& where) {
  auto compile = [&](const std::string& key, const std::string& pattern) {
    return compile_pattern(pattern).map_error([&](Error error) {
      error.message = where + ": `" + key + "` " + error.message;
      return error;
    });
  };
  CompiledRule compiled;
  TRY_ASSIGN(compiled.regex, compile("regex", rule.regex));
  if (compiled.regex->NumberOfCapturingGroups() < rule.secret_group) {
    return fail(ErrorCode::invalid_argument,
                where + ": `secretGroup` is of no group that `regex` has",
                "count the opening parentheses that are not `(?:`");
  }
  for (const std::string& pattern : rule.allowlist.regexes) {
    TRY_ASSIGN(auto allowed, compile("allowlist.regexes", pattern));
    compiled.allowed.push_back(std::move(allowed));
  }
  for (const std::string& pattern : rule.allowlist.before) {
    TRY_ASSIGN(auto before, compile("allowlist.before", pattern));
    compiled.before.push_back(std::move(before));
  }
  return compiled;
}

} // namespace

Result<std::shared_ptr<const CompiledRules>> CompiledRules::compile(std::vector<Rule> rules,
                                                                    std::string_view what) {
  auto made = std::make_shared<CompiledRules>();
  for (const Rule& rule : rules) {
    std::string where = "`" + std::string(what) + "`, rule `" + rule.id + "`";
    TRY_ASSIGN(CompiledRule compiled, compile_rule(rule, where));
    made->m_compiled.push_back(std::move(compiled));
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
