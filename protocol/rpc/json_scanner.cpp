#include "protocol/rpc/json_scanner.h"

#include <cstdint>
#include <cstring>

namespace upskill::rpc {
namespace {

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

bool is_hex_digit(char byte) {
  return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

// Whether one of eight bytes ends the plain run of a string: a quote, a backslash, or a control
// character (below 0x20). The classic zero-byte test; a false alarm only costs a look at each byte.
bool may_hold_special(std::uint64_t word) {
  constexpr std::uint64_t k_ones = 0x0101010101010101;
  constexpr std::uint64_t k_highs = 0x8080808080808080;
  std::uint64_t quote = word ^ (k_ones * '"');
  std::uint64_t backslash = word ^ (k_ones * '\\');
  std::uint64_t hit = ((quote - k_ones) & ~quote) | ((backslash - k_ones) & ~backslash)
                      | ((word - k_ones * 0x20) & ~word);
  return (hit & k_highs) != 0;
}

} // namespace

bool JsonScanner::fail(Fault fault) {
  if (m_fault == Fault::none) {
    m_fault = fault;
  }
  return false;
}

void JsonScanner::skip_space() {
  while (m_at != m_end && (*m_at == ' ' || *m_at == '\t' || *m_at == '\r' || *m_at == '\n')) {
    ++m_at;
  }
}

bool JsonScanner::descend() {
  return m_depth_left-- > 0 || fail(Fault::too_deep);
}

bool JsonScanner::accept(char byte) {
  skip_space();
  if (m_at == m_end || *m_at != byte) {
    return false;
  }
  ++m_at;
  return true;
}

bool JsonScanner::expect(char byte) {
  return accept(byte) || fail(Fault::malformed);
}

bool JsonScanner::key(std::string_view& out) {
  skip_space();
  const char* begin = m_at;
  if (m_at == m_end || *m_at != '"' || !string()) {
    return fail(Fault::malformed);
  }
  out = std::string_view(begin, static_cast<std::size_t>(m_at - begin));
  return expect(':');
}

bool JsonScanner::string() {
  ++m_at;
  while (true) {
    while (m_end - m_at >= 8) {
      std::uint64_t word;
      std::memcpy(&word, m_at, sizeof word);
      if (may_hold_special(word)) {
        break;
      }
      m_at += 8;
    }
    if (m_at == m_end || static_cast<unsigned char>(*m_at) < 0x20) {
      return fail(Fault::malformed);
    }
    char byte = *m_at++;
    if (byte == '"') {
      return true;
    }
    if (byte != '\\') {
      continue;
    }
    if (m_at == m_end) {
      return fail(Fault::malformed);
    }
    char letter = *m_at++;
    if (letter == 'u') {
      for (int i = 0; i < 4; ++i) {
        if (m_at == m_end || !is_hex_digit(*m_at++)) {
          return fail(Fault::malformed);
        }
      }
    } else if (letter == '\0' || std::strchr("\"\\/bfnrt", letter) == nullptr) {
      return fail(Fault::malformed);
    }
  }
}

bool JsonScanner::number(JsonKind& kind) {
  auto digits = [&] {
    const char* begin = m_at;
    while (m_at != m_end && is_digit(*m_at)) {
      ++m_at;
    }
    return m_at != begin;
  };
  kind = JsonKind::integer;
  if (m_at != m_end && *m_at == '-') {
    ++m_at;
  }
  if (m_at != m_end && *m_at == '0') {
    ++m_at;
  } else if (!digits()) {
    return fail(Fault::malformed);
  }
  if (m_at != m_end && *m_at == '.') {
    kind = JsonKind::real;
    ++m_at;
    if (!digits()) {
      return fail(Fault::malformed);
    }
  }
  if (m_at != m_end && (*m_at == 'e' || *m_at == 'E')) {
    kind = JsonKind::real;
    ++m_at;
    if (m_at != m_end && (*m_at == '+' || *m_at == '-')) {
      ++m_at;
    }
    if (!digits()) {
      return fail(Fault::malformed);
    }
  }
  return true;
}

bool JsonScanner::literal(std::string_view word) {
  if (static_cast<std::size_t>(m_end - m_at) < word.size()
      || std::string_view(m_at, word.size()) != word) {
    return fail(Fault::malformed);
  }
  m_at += word.size();
  return true;
}

JsonKind JsonScanner::peek() {
  skip_space();
  switch (m_at == m_end ? '\0' : *m_at) {
  case '{':
    return JsonKind::object;
  case '[':
    return JsonKind::array;
  case '"':
    return JsonKind::string;
  case 't':
  case 'f':
    return JsonKind::boolean;
  case 'n':
    return JsonKind::null;
  default:
    return JsonKind::integer;
  }
}

JsonScanner::Value JsonScanner::value() {
  Value found;
  if (m_fault != Fault::none) {
    return found;
  }
  found.kind = peek();
  const char* begin = m_at;
  switch (found.kind) {
  case JsonKind::object:
    members([this](std::string_view) { value(); });
    break;
  case JsonKind::array:
    elements([this] { value(); });
    break;
  case JsonKind::string:
    string();
    break;
  case JsonKind::boolean:
    literal(*m_at == 't' ? "true" : "false");
    break;
  case JsonKind::null:
    literal("null");
    break;
  default:
    number(found.kind);
  }
  if (m_fault == Fault::none) {
    found.raw = std::string_view(begin, static_cast<std::size_t>(m_at - begin));
  }
  return found;
}

bool JsonScanner::at_end() {
  skip_space();
  return m_fault == Fault::none && m_at == m_end;
}

} // namespace upskill::rpc
