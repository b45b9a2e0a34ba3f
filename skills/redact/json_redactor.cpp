#include "skills/redact/json_redactor.h"

#include "skills/redact/compiled_rules.h"
#include "skills/redact/json_strings.h"

#include <algorithm>

namespace upskill::redact {
namespace {

constexpr int k_max_rounds = 32;           // of redacting what redacting brought to light
constexpr std::size_t k_opaque = 512;      // bytes of base64 that are an image or a signature
constexpr std::size_t k_longest_key = 128; // bytes of a key that says something about its value

constexpr std::string_view k_text_keys[] = {"text",
                                            "content",
                                            "thinking",
                                            "delta",
                                            "output",
                                            "stdout",
                                            "stderr",
                                            "message",
                                            "input",
                                            "command",
                                            "cmd",
                                            "result",
                                            "arguments",
                                            "prompt",
                                            "summary",
                                            "display",
                                            "body",
                                            "value",
                                            "old_string",
                                            "new_string",
                                            "contents",
                                            "last_agent_message",
                                            "aggregated_output",
                                            "reasoning",
                                            "response",
                                            "partial_json"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_base64(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '/';
}

// Whether the last word of the key is `id`, `ids` or `uuid`, and not the end of another word.
bool names_an_id(std::string_view key) {
  for (std::string_view word : {"id", "Id", "ID", "ids", "Ids", "IDs", "uuid", "Uuid", "UUID"}) {
    if (key.ends_with(word)) {
      std::string_view rest = key.substr(0, key.size() - word.size());
      bool is_upper = word[0] < 'a';
      if (rest.empty() || !is_letter(rest.back()) || (is_upper && rest.back() >= 'a')) {
        return true;
      }
    }
  }
  return false;
}

bool is_opaque(std::string_view value) {
  if (value.size() < k_opaque) {
    return false;
  }
  while (value.ends_with('=')) {
    value.remove_suffix(1);
  }
  return std::ranges::all_of(value, is_base64);
}

bool is_text_key(std::string_view key) {
  return std::ranges::find(k_text_keys, key) != std::end(k_text_keys);
}

} // namespace

JsonRedactor::JsonRedactor(RuleSet rules)
    : m_rules(rules)
    , m_layers(std::move(rules)) {}

void JsonRedactor::scan(std::string_view record, std::vector<Finding>& findings) {
  scan_record(record, findings, nullptr);
}

void JsonRedactor::scan(std::string_view record,
                        std::vector<Finding>& findings,
                        std::vector<RecordText>& texts) {
  scan_record(record, findings, &texts);
}

void JsonRedactor::scan_record(std::string_view record,
                               std::vector<Finding>& findings,
                               std::vector<RecordText>* texts) {
  findings.clear();
  if (texts != nullptr) {
    texts->clear();
  }
  if (!scan_json(record, findings, texts)) {
    findings.clear();
    m_layers.scan(record, Layer::text, {}, findings);
    if (texts != nullptr) {
      texts->assign(1, {0, record.size(), false});
    }
  }
}

bool JsonRedactor::scan_json(std::string_view record,
                             std::vector<Finding>& findings,
                             std::vector<RecordText>* texts) {
  const Prefilter& prefilter = m_rules.compiled().prefilter();
  JsonStrings strings(record);
  JsonString string;
  std::string_view judged; // the key that `tells` is about
  bool tells = false;
  while (strings.next(string)) {
    std::string_view raw = record.substr(string.begin, string.end - string.begin);
    std::string_view key = string.is_key ? std::string_view() : string.key;
    if (!string.is_key && is_opaque(raw)) {
      continue;
    }
    if (key.data() != judged.data() || key.size() != judged.size()) {
      judged = key;
      tells = !key.empty() && key.size() <= k_longest_key && prefilter.found_in(key);
    }
    Wanted wanted = names_an_id(key) ? Wanted::definite : Wanted::all;
    std::size_t before = findings.size();
    m_layers.scan(raw, Layer::json_string, tells ? key : std::string_view(), findings, wanted);
    for (std::size_t i = before; i < findings.size(); ++i) {
      findings[i].begin += string.begin;
      findings[i].end += string.begin;
    }
    if (texts != nullptr && !string.is_key && is_text_key(key)) {
      texts->push_back({string.begin, string.end, string.has_escape});
    }
  }
  return strings.is_json();
}

Counts JsonRedactor::redact(std::string& record) {
  Counts counts;
  auto rules = m_rules.rules();
  auto is_candidate = [&](const Finding& one) {
    return rules[one.rule].confidence != Confidence::definite;
  };
  for (int round = 0; round < k_max_rounds; ++round) {
    scan(record, m_scanned);
    bool is_clean = std::ranges::all_of(m_scanned, is_candidate);
    if (!is_clean) {
      std::erase_if(m_scanned, is_candidate);
    }
    for (const Finding& one : m_scanned) {
      counts.add(one.rule, rules[one.rule].confidence);
    }
    if (is_clean) {
      break;
    }
    put_marks(record, m_scanned, m_rules);
  }
  return counts;
}

Counts redact_text(std::string& text, const RuleSet& rules) {
  return JsonRedactor(rules).redact(text);
}

} // namespace upskill::redact
