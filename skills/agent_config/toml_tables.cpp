#include "skills/agent_config/toml_tables.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <set>

namespace upskill::agent_config {
namespace {

constexpr int k_max_depth = 64;

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
         || c == '-';
}

class Parser {
public:
  explicit Parser(std::string_view text)
      : m_text(text) {}

  Result<std::vector<TomlTable>> document() {
    m_at = m_text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    std::vector<TomlTable> tables(1);
    tables.front().begin = tables.front().end = m_at;
    std::set<TomlPath> seen;
    for (;;) {
      TRY(gap());
      if (m_at >= m_text.size()) {
        return tables;
      }
      std::size_t line = m_text.rfind('\n', m_at);
      line = line == std::string_view::npos ? tables.front().begin : line + 1;
      if (m_text[m_at] == '[') {
        TomlTable table;
        table.begin = line;
        TRY(header(table));
        if (!table.is_list && !seen.insert(table.path).second) {
          return wrong("this table is there twice");
        }
        if (table.is_list) {
          // Tables below an element may come again with the next one.
          std::erase_if(seen, [&](const TomlPath& path) {
            return path.size() > table.path.size()
                   && std::equal(table.path.begin(), table.path.end(), path.begin());
          });
        }
        tables.push_back(std::move(table));
      } else {
        TomlKey key;
        TRY(key_value(key));
        tables.back().keys.push_back(std::move(key));
      }
      TRY(line_end());
      tables.back().end = m_at;
    }
  }

private:
  tl::unexpected<Error> wrong(std::string_view what) const {
    auto line = 1 + std::ranges::count(m_text.substr(0, m_at), '\n');
    return fail(ErrorCode::invalid_argument,
                "line " + std::to_string(line) + ": " + std::string(what));
  }

  char here() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

  void blanks() {
    while (here() == ' ' || here() == '\t') {
      ++m_at;
    }
  }

  Result<void> comment() {
    if (here() != '#') {
      return {};
    }
    for (; m_at < m_text.size() && m_text[m_at] != '\n'; ++m_at) {
      auto c = static_cast<unsigned char>(m_text[m_at]);
      if ((c < 0x20 && c != '\t' && c != '\r') || c == 0x7F) {
        return wrong("a control character stands in a comment");
      }
    }
    return {};
  }

  bool newline() {
    std::size_t size = m_text.substr(m_at).starts_with("\r\n") ? 2 : here() == '\n' ? 1 : 0;
    m_at += size;
    return size > 0;
  }

  // Blanks, comments and line ends.
  Result<void> gap() {
    for (;;) {
      blanks();
      TRY(comment());
      if (!newline()) {
        return {};
      }
    }
  }

  Result<void> line_end() {
    blanks();
    TRY(comment());
    return newline() || m_at >= m_text.size() ? Result<void>() : wrong("something follows here");
  }

  Result<void> header(TomlTable& table) {
    table.is_list = m_text.substr(m_at).starts_with("[[");
    m_at += table.is_list ? 2 : 1;
    TRY_ASSIGN(table.path, path());
    std::string_view close = table.is_list ? "]]" : "]";
    if (!m_text.substr(m_at).starts_with(close)) {
      return wrong("`" + std::string(close) + "` is missing");
    }
    m_at += close.size();
    return {};
  }

  Result<TomlPath> path() {
    TomlPath parts;
    for (;;) {
      blanks();
      if (here() == '"' || here() == '\'') {
        TRY_ASSIGN(std::string part, string(false));
        parts.push_back(std::move(part));
      } else {
        std::size_t begin = m_at;
        while (is_bare(here())) {
          ++m_at;
        }
        if (begin == m_at) {
          return wrong("a key is missing");
        }
        parts.emplace_back(m_text.substr(begin, m_at - begin));
      }
      blanks();
      if (here() != '.') {
        return parts;
      }
      ++m_at;
    }
  }

  Result<void> key_value(TomlKey& key) {
    TRY_ASSIGN(key.path, path());
    if (here() != '=') {
      return wrong("`=` is missing");
    }
    ++m_at;
    blanks();
    key.is_inline_table = here() == '{';
    std::size_t begin = m_at;
    TRY(value(0));
    key.value = m_text.substr(begin, m_at - begin);
    return {};
  }

  Result<void> value(int depth) {
    if (depth > k_max_depth) {
      return fail(ErrorCode::too_large, "it is nested deeper than 64 levels");
    }
    char c = here();
    if (c == '"' || c == '\'') {
      Result<std::string> text = string(true);
      return text ? Result<void>() : fail(text.error());
    }
    if (c == '[') {
      return list(depth);
    }
    if (c == '{') {
      return inline_table(depth);
    }
    std::size_t begin = m_at;
    auto is_scalar = [](char s) { return is_bare(s) || s == '+' || s == '.' || s == ':'; };
    while (is_scalar(here())
           || (here() == ' ' && m_at - begin == 10 && m_at + 1 < m_text.size()
               && m_text[m_at + 1] >= '0' && m_text[m_at + 1] <= '9')) { // date, blank, time
      ++m_at;
    }
    std::string_view word = m_text.substr(begin, m_at - begin);
    bool starts =
        !word.empty() && ((word[0] >= '0' && word[0] <= '9') || word[0] == '+' || word[0] == '-');
    if (!starts && word != "true" && word != "false" && word != "inf" && word != "nan") {
      return wrong("this is no TOML value");
    }
    return {};
  }

  Result<void> list(int depth) {
    ++m_at;
    for (bool first = true;; first = false) {
      TRY(gap());
      if (!first && here() == ',') {
        ++m_at;
        TRY(gap());
      } else if (!first && here() != ']') {
        return wrong("`,` or `]` is missing");
      }
      if (here() == ']') {
        ++m_at;
        return {};
      }
      TRY(value(depth + 1));
    }
  }

  Result<void> inline_table(int depth) {
    ++m_at;
    for (bool first = true;; first = false) {
      TRY(gap()); // TOML 1.1 allows line ends here
      if (!first && here() == ',') {
        ++m_at;
        TRY(gap());
      } else if (!first && here() != '}') {
        return wrong("`,` or `}` is missing");
      }
      if (here() == '}') {
        ++m_at;
        return {};
      }
      TRY_ASSIGN(TomlPath name, path());
      if (here() != '=') {
        return wrong("`=` is missing");
      }
      ++m_at;
      blanks();
      TRY(value(depth + 1));
    }
  }

  Result<std::string> string(bool may_be_long) {
    char quote = here();
    std::string fence(3, quote);
    bool is_long = may_be_long && m_text.substr(m_at).starts_with(fence);
    m_at += is_long ? 3 : 1;
    std::string out;
    for (; m_at < m_text.size(); ++m_at) {
      char c = m_text[m_at];
      if (is_long && m_text.substr(m_at).starts_with(fence)) {
        m_at += 3;
        for (int more = 0; more < 2 && here() == quote; ++more) {
          ++m_at; // quotes that belong to it
        }
        return out;
      }
      if (!is_long && c == quote) {
        ++m_at;
        return out;
      }
      auto byte = static_cast<unsigned char>(c);
      bool is_newline = c == '\n' || c == '\r';
      if ((byte < 0x20 && c != '\t' && !(is_long && is_newline)) || byte == 0x7F) {
        break;
      }
      if (c == '\\' && quote == '"') {
        TRY(escape(out, is_long));
      } else {
        out += c;
      }
    }
    return wrong("a string is not closed");
  }

  Result<void> escape(std::string& out, bool is_long) {
    ++m_at;
    char c = here();
    constexpr std::string_view k_letters = "btnfre\"\\";
    constexpr std::string_view k_meant = "\b\t\n\f\r\x1B\"\\";
    if (std::size_t which = k_letters.find(c); which != std::string_view::npos && c != '\0') {
      out += k_meant[which];
      return {};
    }
    std::size_t digits = c == 'u' ? 4 : c == 'U' ? 8 : c == 'x' ? 2 : 0;
    char32_t point = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      char d = m_at + 1 < m_text.size() ? m_text[m_at + 1] : '\0';
      constexpr std::string_view k_hex = "0123456789abcdef";
      std::size_t value = k_hex.find(d >= 'A' && d <= 'F' ? static_cast<char>(d + 32) : d);
      if (value == std::string_view::npos) {
        return wrong("this escape is not known");
      }
      point = point * 16 + static_cast<char32_t>(value);
      ++m_at;
    }
    if (digits > 0) {
      append_code_point(out, point);
      return {};
    }
    bool goes_on = is_long && (c == '\n' || c == '\r' || c == ' ' || c == '\t');
    return goes_on ? Result<void>() : wrong("this escape is not known");
  }

  std::string_view m_text;
  std::size_t m_at = 0;
};

} // namespace

Result<std::vector<TomlTable>> parse_toml_tables(std::string_view text) {
  return Parser(text).document();
}

std::string toml_quoted(std::string_view text) {
  constexpr std::string_view k_hex = "0123456789ABCDEF";
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += std::string("\\u00") + k_hex[byte >> 4] + k_hex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string toml_key(std::string_view text) {
  bool is_plain = !text.empty() && std::ranges::all_of(text, is_bare);
  return is_plain ? std::string(text) : toml_quoted(text);
}

} // namespace upskill::agent_config
