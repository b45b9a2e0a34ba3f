#include "protocol/codec/writer.h"

#include "protocol/base/utf8.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace upskill {
namespace {

// Whether one of eight bytes is a quote, a backslash or a control character (the classic zero-byte
// test; it may raise a false alarm, never miss).
bool may_need_escape(const char* bytes) {
  constexpr std::uint64_t k_ones = 0x0101010101010101;
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  std::uint64_t quote = word ^ (k_ones * '"');
  std::uint64_t backslash = word ^ (k_ones * '\\');
  std::uint64_t hit = ((quote - k_ones) & ~quote) | ((backslash - k_ones) & ~backslash)
                      | ((word - k_ones * 0x20) & ~word);
  return (hit & (k_ones * 0x80)) != 0;
}

} // namespace

void JsonWriter::separate() {
  if (m_need_comma) {
    m_out += ',';
  }
  m_need_comma = true;
}

void JsonWriter::begin_object() {
  separate();
  m_out += '{';
  m_need_comma = false;
}

void JsonWriter::end_object() {
  m_out += '}';
  m_need_comma = true;
}

void JsonWriter::begin_array() {
  separate();
  m_out += '[';
  m_need_comma = false;
}

void JsonWriter::end_array() {
  m_out += ']';
  m_need_comma = true;
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(m_out, name);
  m_out += ':';
  m_need_comma = false;
}

void JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(m_out, text);
}

void JsonWriter::value(bool flag) {
  separate();
  m_out += flag ? "true" : "false";
}

void JsonWriter::value(std::int64_t number) {
  separate();
  char buffer[24];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  m_out.append(buffer, end);
}

void JsonWriter::value(std::uint64_t number) {
  separate();
  char buffer[24];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  m_out.append(buffer, end);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) {
    null();
    return;
  }
  separate();
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  m_out.append(buffer, end);
}

void JsonWriter::null() {
  separate();
  m_out += "null";
}

void JsonWriter::raw(std::string_view json) {
  separate();
  m_out += json;
}

void append_json_string(std::string& out, std::string_view text) {
  std::string repaired;
  if (!is_utf8(text)) {
    repaired = to_valid_utf8(text);
    text = repaired;
  }
  static constexpr char k_hex[] = "0123456789abcdef";
  out += '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    while (text.size() - i >= 8 && !may_need_escape(text.data() + i)) {
      i += 8;
    }
    if (i == text.size()) {
      break;
    }
    auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') {
      continue;
    }
    out.append(text, plain, i - plain);
    plain = i + 1;
    switch (byte) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      out += "\\u00";
      out += k_hex[byte >> 4];
      out += k_hex[byte & 15];
    }
  }
  out.append(text, plain, text.size() - plain);
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

} // namespace upskill
