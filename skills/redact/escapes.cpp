#include "skills/redact/escapes.h"

#include "protocol/base/json_escape.h"
#include "protocol/base/utf8.h"

#include <algorithm>

namespace upskill::redact {
namespace {

// The smallest part of a raw text that means something by itself.
struct Unit {
  std::size_t length = 0; // in the raw text
  std::size_t size = 0;   // of what it says
};

// What stands at the start of `raw`, which begins with a backslash.
Unit read_unit(std::string_view raw) {
  JsonEscape escape = read_json_escape(raw);
  return escape.length == 0 ? Unit{1, 1} : Unit{escape.length, utf8_size(escape.point)};
}

std::size_t until_escape(std::string_view raw) {
  return std::min(raw.find('\\'), raw.size());
}

// A place in a raw text and in what it says, moved forward in both.
class Cursor {
public:
  explicit Cursor(std::string_view raw)
      : m_raw(raw) {}

  // To where the unit begins that says byte `target`.
  std::size_t begin_of(std::size_t target) {
    while (m_at < m_raw.size()) {
      if (std::size_t plain = until_escape(m_raw.substr(m_at)); plain > 0) {
        std::size_t step = std::min(plain, target - m_said);
        m_at += step;
        m_said += step;
        if (step < plain || m_at == m_raw.size()) {
          break;
        }
      }
      Unit unit = read_unit(m_raw.substr(m_at));
      if (m_said + unit.size > target) {
        break;
      }
      m_at += unit.length;
      m_said += unit.size;
    }
    return m_at;
  }

  // Where the unit ends that begins here.
  std::size_t end() const {
    if (m_at == m_raw.size()) {
      return m_at;
    }
    return m_at + (m_raw[m_at] == '\\' ? read_unit(m_raw.substr(m_at)).length : 1);
  }

private:
  std::string_view m_raw;
  std::size_t m_at = 0;
  std::size_t m_said = 0;
};

} // namespace

void map_to_source(std::string_view raw, std::vector<Finding>& findings) {
  Cursor cursor(raw);
  for (Finding& one : findings) {
    std::size_t last = one.end - 1;
    one.begin = cursor.begin_of(one.begin);
    cursor.begin_of(last);
    one.end = cursor.end();
  }
}

} // namespace upskill::redact
