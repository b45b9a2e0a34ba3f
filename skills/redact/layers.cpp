#include "skills/redact/layers.h"

#include "protocol/base/json_escape.h"
#include "skills/redact/escapes.h"

#include <cstring>

namespace upskill::redact {
namespace {

bool has_escape(std::string_view text) {
  return !text.empty() && std::memchr(text.data(), '\\', text.size()) != nullptr;
}

// Whether it holds `\u0041` or `\/`, behind which any byte may be. Line feeds and quotes, which all
// the others are, stand in no secret.
bool has_hiding_escape(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const void* found = std::memchr(text.data() + at, '\\', text.size() - at);
    if (found == nullptr) {
      return false;
    }
    at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
    if (at < text.size() && (text[at] == 'u' || text[at] == '/')) {
      return true;
    }
  }
  return false;
}

} // namespace

LayerScanner::LayerScanner(RuleSet rules)
    : m_redactor(std::move(rules)) {}

std::string_view LayerScanner::text_at(std::size_t layer, std::string_view raw) const {
  return layer == 0 ? raw : m_layers[layer - 1];
}

void LayerScanner::keep_found(std::size_t layer, std::string_view raw) {
  for (; layer > 0 && !m_found.empty(); --layer) {
    map_to_source(text_at(layer - 1, raw), m_found);
    m_redactor.settle(m_found);
  }
  m_all.insert(m_all.end(), m_found.begin(), m_found.end());
}

// As `key="value"`, so that rules see whose value it is.
void LayerScanner::scan_with_key(std::string_view key,
                                 std::size_t layer,
                                 std::string_view raw,
                                 Wanted wanted) {
  std::string_view value = text_at(layer, raw);
  m_member.assign(key);
  m_member += "=\"";
  std::size_t begin = m_member.size();
  m_member += value;
  m_member += '"';
  m_redactor.scan(m_member, m_found, wanted);
  std::erase_if(m_found, [&](const Finding& one) {
    return one.begin < begin || one.end > begin + value.size();
  });
  for (Finding& one : m_found) {
    one.begin -= begin;
    one.end -= begin;
  }
  keep_found(layer, raw);
}

void LayerScanner::scan(std::string_view raw,
                        Layer layer,
                        std::string_view key,
                        std::vector<Finding>& findings,
                        Wanted wanted) {
  m_all.clear();
  for (std::size_t at = 0;; ++at) {
    std::string_view text = text_at(at, raw);
    bool is_decoded = layer == Layer::text || at > 0 || !has_escape(text);
    bool may_hide_more = !is_decoded || has_hiding_escape(text);
    if (is_decoded) {
      m_redactor.scan(text, m_found, wanted);
      may_hide_more = may_hide_more || m_redactor.met_behind_escape();
      keep_found(at, raw);
      if (!key.empty()) {
        scan_with_key(key, at, raw, wanted);
        key = {};
      }
    }
    if (!may_hide_more || at == k_max_layers) {
      break;
    }
    m_layers[at].clear();
    append_json_unescaped(m_layers[at], text);
    if (m_layers[at].size() == text.size()) {
      break;
    }
  }
  m_redactor.settle(m_all);
  findings.insert(findings.end(), m_all.begin(), m_all.end());
}

} // namespace upskill::redact
