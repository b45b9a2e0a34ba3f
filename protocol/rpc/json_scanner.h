#pragma once
#include "protocol/base/bounds.h"
#include "protocol/codec/reader.h"

#include <string_view>

namespace upskill::rpc {

// Walks JSON text (RFC 8259) once, checks every byte of its grammar, and hands out where values
// lie. simdjson on-demand does not look at what it skips, and a call's parameters are skipped here
// and decoded later: nothing may be run or echoed that was not checked. Does not check UTF-8; the
// whole line is, faster, by simdjson::validate_utf8.
class JsonScanner {
public:
  enum class Fault { none, malformed, too_deep };

  explicit JsonScanner(std::string_view text, int max_depth = k_max_json_depth)
      : m_at(text.data())
      , m_end(text.data() + text.size())
      , m_depth_left(max_depth) {}

  struct Value {
    JsonKind kind = JsonKind::null;
    std::string_view raw = {}; // strings with their quotes; empty after a fault
  };

  // The kind of the value that comes next, judged by its first byte; a number is an `integer`.
  JsonKind peek();
  // Passes over one value.
  Value value();

  // Pass over one object or array, whose kind was peeked. on_member(key) gets the key with its
  // quotes and must pass over the value; on_element() likewise. Both stop at the first fault.
  template <class OnMember> void members(OnMember&& on_member);
  template <class OnElement> void elements(OnElement&& on_element);

  // Nothing follows but white space, and there was no fault.
  bool at_end();

  Fault fault() const { return m_fault; }

private:
  bool descend();
  // Passes over white space and `byte`; false, without a fault, when something else comes.
  bool accept(char byte);
  bool expect(char byte);
  bool key(std::string_view& out);
  void skip_space();
  bool fail(Fault fault);
  bool string();
  bool number(JsonKind& kind);
  bool literal(std::string_view word);

  const char* m_at;
  const char* m_end;
  int m_depth_left;
  Fault m_fault = Fault::none;
};

template <class OnMember> void JsonScanner::members(OnMember&& on_member) {
  if (!expect('{') || !descend()) {
    return;
  }
  if (!accept('}')) {
    do {
      std::string_view name;
      if (!key(name)) {
        return;
      }
      on_member(name);
    } while (m_fault == Fault::none && accept(','));
    if (m_fault != Fault::none || !expect('}')) {
      return;
    }
  }
  ++m_depth_left;
}

template <class OnElement> void JsonScanner::elements(OnElement&& on_element) {
  if (!expect('[') || !descend()) {
    return;
  }
  if (!accept(']')) {
    do {
      on_element();
    } while (m_fault == Fault::none && accept(','));
    if (m_fault != Fault::none || !expect(']')) {
      return;
    }
  }
  ++m_depth_left;
}

} // namespace upskill::rpc
