#pragma once
#include "skills/install/json_tree.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::install {

// Writes what json_text() would, without a tree of it: a record of a thousand rows has twenty
// thousand values. Owner: a call. Thread: one.
class JsonWriter {
public:
  void begin_object() { begin('{'); }

  void end_object() { end('}'); }

  void begin_array() { begin('['); }

  void end_array() { end(']'); }

  void key(std::string_view key);
  void string(std::string_view text);
  void literal(std::string_view text); // a number or a word, as it is to stand there
  void tree(const JsonTree& value);

  std::string take() { return std::move(m_out); }

private:
  void begin(char bracket);
  void end(char bracket);
  void before_value();

  std::string m_out = {};
  std::vector<bool> m_has_some = {}; // of what is open, whether something is in it
  bool m_is_after_key = false;
};

} // namespace upskill::install
