#include "skills/install/json_writer.h"

namespace upskill::install {

void JsonWriter::before_value() {
  if (m_is_after_key || m_has_some.empty()) {
    m_is_after_key = false;
    return;
  }
  m_out += m_has_some.back() ? ",\n" : "\n";
  m_has_some.back() = true;
  m_out.append(2 * m_has_some.size(), ' ');
}

void JsonWriter::begin(char bracket) {
  before_value();
  m_out += bracket;
  m_has_some.push_back(false);
}

void JsonWriter::end(char bracket) {
  const bool has_some = m_has_some.back();
  m_has_some.pop_back();
  if (has_some) {
    m_out += '\n';
    m_out.append(2 * m_has_some.size(), ' ');
  }
  m_out += bracket;
}

void JsonWriter::key(std::string_view key) {
  before_value();
  append_json_string(m_out, key);
  m_out += ": ";
  m_is_after_key = true;
}

void JsonWriter::string(std::string_view text) {
  before_value();
  append_json_string(m_out, text);
}

void JsonWriter::literal(std::string_view text) {
  before_value();
  m_out += text;
}

void JsonWriter::tree(const JsonTree& value) {
  before_value();
  append_json(m_out, value, 2 * m_has_some.size());
}

} // namespace upskill::install
