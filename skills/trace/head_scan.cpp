#include "skills/trace/head_scan.h"

#include <optional>

namespace upskill::trace {
namespace {

// Walks over JSON that may end anywhere.
class Scan {
public:
  explicit Scan(std::string_view text)
      : m_text(text) {}

  char skip_blanks() {
    while (m_at < m_text.size()
           && std::string_view(" \t\r\n\0", 5).find(m_text[m_at]) != std::string_view::npos) {
      ++m_at;
    }
    return m_at < m_text.size() ? m_text[m_at] : '\0';
  }

  bool at_end() const { return m_at >= m_text.size(); }

  void advance() { ++m_at; }

  // Between the quotes; nothing where it does not end.
  std::optional<std::string_view> string() {
    std::size_t begin = ++m_at;
    while (m_at < m_text.size() && m_text[m_at] != '"') {
      m_at += m_text[m_at] == '\\' ? 2 : 1;
    }
    if (at_end()) {
      return std::nullopt;
    }
    return m_text.substr(begin, m_at++ - begin);
  }

  // Past any value; false where the text ends in it.
  bool skip_value() {
    std::size_t depth = 0;
    while (!at_end()) {
      char c = m_text[m_at];
      if (c == '"') {
        if (!string()) {
          return false;
        }
      } else if (c == '{' || c == '[') {
        ++depth;
        ++m_at;
      } else if (c == '}' || c == ']' || c == ',') {
        if (depth == 0) {
          return true;
        }
        depth -= c == ',' ? 0 : 1;
        ++m_at;
      } else {
        ++m_at;
      }
    }
    return false;
  }

private:
  std::string_view m_text;
  std::size_t m_at = 0;
};

// False where nothing can come after it.
bool scan_object(Scan& scan, HeadObject& object) {
  scan.advance();
  while (true) {
    char c = scan.skip_blanks();
    if (c == '}') {
      scan.advance();
      object.is_whole = true;
      return true;
    }
    if (c == ',') {
      scan.advance();
      continue;
    }
    std::optional<std::string_view> key = c == '"' ? scan.string() : std::nullopt;
    if (!key || scan.skip_blanks() != ':') {
      return false;
    }
    scan.advance();
    bool is_text = scan.skip_blanks() == '"';
    object.members.push_back({*key, {}});
    if (!is_text) {
      if (!scan.skip_value()) {
        return false;
      }
      continue;
    }
    std::optional<std::string_view> text = scan.string();
    if (!text) {
      return false;
    }
    object.members.back().text = *text;
  }
}

} // namespace

bool HeadObject::has(std::string_view key) const {
  for (const Member& member : members) {
    if (member.key == key) {
      return true;
    }
  }
  return false;
}

std::string_view HeadObject::text_of(std::string_view key) const {
  for (const Member& member : members) {
    if (member.key == key) {
      return member.text;
    }
  }
  return {};
}

std::vector<HeadObject> scan_head(std::string_view head, std::size_t limit) {
  std::vector<HeadObject> objects;
  Scan scan(head);
  while (objects.size() < limit && scan.skip_blanks() == '{') {
    if (!scan_object(scan, objects.emplace_back())) {
      break;
    }
  }
  return objects;
}

} // namespace upskill::trace
