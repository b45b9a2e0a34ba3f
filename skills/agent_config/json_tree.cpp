#include "skills/agent_config/json_tree.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace upskill::agent_config {
namespace {

constexpr int k_max_depth = 64;
constexpr std::string_view k_bom = "\xEF\xBB\xBF";

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class Parser {
public:
  explicit Parser(std::string_view text)
      : m_text(text) {}

  Result<JsonNode> document() {
    m_at = m_text.starts_with(k_bom) ? k_bom.size() : 0;
    TRY(space());
    JsonNode root;
    root.begin = root.end = m_at;
    root.has_comment = m_saw_comment;
    if (m_at < m_text.size()) {
      TRY(value(root, 0));
      TRY(space());
      if (m_at < m_text.size()) {
        return wrong("something follows the value");
      }
    }
    return root;
  }

  Result<void> space() {
    while (m_at < m_text.size()) {
      if (is_blank(m_text[m_at])) {
        ++m_at;
      } else if (m_text.substr(m_at, 2) == "//") {
        m_at = std::min(m_text.find('\n', m_at), m_text.size());
        m_saw_comment = true;
      } else if (m_text.substr(m_at, 2) == "/*") {
        std::size_t end = m_text.find("*/", m_at + 2);
        if (end == std::string_view::npos) {
          return wrong("a comment is not closed");
        }
        m_at = end + 2;
        m_saw_comment = true;
      } else {
        break;
      }
    }
    return {};
  }

  std::size_t at() const { return m_at; }

  void move_to(std::size_t at) { m_at = at; }

private:
  tl::unexpected<Error> wrong(std::string_view what) const {
    std::string_view before = m_text.substr(0, m_at);
    auto line = 1 + std::ranges::count(before, '\n');
    std::size_t begin = before.rfind('\n');
    std::size_t column = begin == std::string_view::npos ? m_at + 1 : m_at - begin;
    return fail(ErrorCode::invalid_argument,
                "line " + std::to_string(line) + ", column " + std::to_string(column) + ": "
                    + std::string(what));
  }

  Result<void> value(JsonNode& node, int depth) {
    if (depth > k_max_depth) {
      return fail(ErrorCode::too_large, "it is nested deeper than 64 levels");
    }
    bool before = std::exchange(m_saw_comment, false);
    node.begin = m_at;
    char c = m_at < m_text.size() ? m_text[m_at] : '\0';
    if (c == '{' || c == '[') {
      TRY(container(node, depth));
    } else if (c == '"') {
      node.kind = JsonKind::string;
      TRY_ASSIGN(node.text, string());
    } else {
      TRY(word(node));
    }
    node.end = m_at;
    node.has_comment = m_saw_comment;
    m_saw_comment = m_saw_comment || before;
    return {};
  }

  Result<void> container(JsonNode& node, int depth) {
    bool is_object = m_text[m_at] == '{';
    node.kind = is_object ? JsonKind::object : JsonKind::array;
    char close = is_object ? '}' : ']';
    ++m_at;
    for (;;) {
      TRY(space());
      if (m_at < m_text.size() && m_text[m_at] == close) {
        ++m_at;
        return {};
      }
      if (!node.children.empty() && !node.trailing_comma) {
        return wrong(is_object ? "`,` or `}` is missing" : "`,` or `]` is missing");
      }
      JsonNode child;
      child.key_begin = m_at;
      if (is_object) {
        TRY(key(child));
      }
      TRY(value(child, depth + 1));
      node.children.push_back(std::move(child));
      TRY(space());
      node.trailing_comma = m_at < m_text.size() && m_text[m_at] == ',';
      m_at += node.trailing_comma ? 1 : 0;
    }
  }

  Result<void> key(JsonNode& child) {
    if (m_at >= m_text.size() || m_text[m_at] != '"') {
      return wrong("a key in double quotes is missing");
    }
    TRY_ASSIGN(child.key, string());
    TRY(space());
    if (m_at >= m_text.size() || m_text[m_at] != ':') {
      return wrong("`:` is missing");
    }
    ++m_at;
    return space();
  }

  Result<void> word(JsonNode& node) {
    std::size_t end = m_at;
    while (end < m_text.size() && !is_blank(m_text[end])
           && std::string_view(",]}/:[{\"").find(m_text[end]) == std::string_view::npos) {
      ++end;
    }
    node.text = m_text.substr(m_at, end - m_at);
    bool is_word = node.text == "true" || node.text == "false" || node.text == "null";
    if (!is_word && !is_number(node.text)) {
      return wrong(node.text.empty() ? "a value is missing" : "this is no JSON value");
    }
    m_at = end;
    return {};
  }

  // RFC 8259, 6.
  static bool is_number(std::string_view text) {
    std::size_t at = text.starts_with('-') ? 1 : 0;
    auto digits = [&] {
      std::size_t begin = at;
      while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
        ++at;
      }
      return at - begin;
    };
    std::size_t begin = at;
    std::size_t whole = digits();
    if (whole == 0 || (whole > 1 && text[begin] == '0')) {
      return false;
    }
    if (at < text.size() && text[at] == '.') {
      ++at;
      if (digits() == 0) {
        return false;
      }
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
      ++at;
      at += at < text.size() && (text[at] == '+' || text[at] == '-') ? 1 : 0;
      if (digits() == 0) {
        return false;
      }
    }
    return at == text.size();
  }

  std::optional<char32_t> hex4(std::size_t at) const {
    const std::string_view digits = m_text.substr(std::min(at, m_text.size()), 4);
    std::uint32_t point = 0;
    auto read = std::from_chars(digits.data(), digits.data() + digits.size(), point, 16);
    const bool is_whole = digits.size() == 4 && read.ptr == digits.data() + 4;
    return is_whole ? std::optional<char32_t>(point) : std::nullopt;
  }

  Result<std::string> string() {
    std::string out;
    for (++m_at; m_at < m_text.size(); ++m_at) {
      char c = m_text[m_at];
      if (c == '"') {
        ++m_at;
        return out;
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        break;
      }
      if (c != '\\') {
        out += c;
        continue;
      }
      ++m_at;
      char escaped = m_at < m_text.size() ? m_text[m_at] : '\0';
      constexpr std::string_view k_letters = "\"\\/bfnrt";
      constexpr std::string_view k_meant = "\"\\/\b\f\n\r\t";
      if (std::size_t which = k_letters.find(escaped); which != std::string_view::npos) {
        out += k_meant[which];
        continue;
      }
      auto point = escaped == 'u' ? hex4(m_at + 1) : std::nullopt;
      if (!point) {
        return wrong("this escape is not known");
      }
      m_at += 4;
      if (*point >= 0xD800 && *point < 0xDC00 && m_text.substr(m_at + 1, 2) == "\\u") {
        auto low = hex4(m_at + 3);
        if (low && *low >= 0xDC00 && *low < 0xE000) {
          point = 0x10000 + ((*point - 0xD800) << 10) + (*low - 0xDC00);
          m_at += 6;
        }
      }
      append_code_point(out, *point);
    }
    return wrong("a string is not closed");
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  bool m_saw_comment = false;
};

} // namespace

const JsonNode* JsonNode::find(std::string_view name) const {
  const JsonNode* found = nullptr;
  for (const JsonNode& child : children) {
    found = kind == JsonKind::object && child.key == name ? &child : found;
  }
  return found;
}

bool same_value(const JsonNode& a, const JsonNode& b) {
  if (a.kind != b.kind || a.text != b.text || a.children.size() != b.children.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    // A key may be there twice.
    bool is_here = b.children[i].key == a.children[i].key;
    const JsonNode* other = is_here ? &b.children[i] : b.find(a.children[i].key);
    if (other == nullptr || !same_value(a.children[i], *other)) {
      return false;
    }
  }
  return true;
}

Result<JsonNode> parse_json_tree(std::string_view text) {
  return Parser(text).document();
}

std::size_t skip_json_space(std::string_view text, std::size_t at) {
  Parser parser(text);
  parser.move_to(at);
  return parser.space() ? parser.at() : text.size();
}

} // namespace upskill::agent_config
