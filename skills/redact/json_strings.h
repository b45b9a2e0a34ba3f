#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace upskill::redact {

// A string of a JSON text.
struct JsonString {
  std::size_t begin = 0; // behind its quote, in the text
  std::size_t end = 0;   // its other quote, or the end of the text where it is cut off
  bool is_key = false;
  bool has_escape = false;
  std::string_view key = {}; // as it stands, of the member whose value it is or lies in
};

// Goes over the strings of one JSON text, or of several that follow each other; a text that is cut
// off counts. It does not judge JSON: it is content where nothing but blanks, punctuation, numbers
// and literals stands outside of strings, where no secret can be.
class JsonStrings {
public:
  explicit JsonStrings(std::string_view text);

  // False at the end, or where the text turns out to be no JSON.
  bool next(JsonString& string);

  // Whether all that was seen so far may be JSON.
  bool is_json() const { return m_is_json; }

private:
  static constexpr std::size_t k_max_depth = 256;

  bool skip_to_string();
  void find_end(JsonString& string);

  std::string_view m_text;
  std::size_t m_at = 0;
  bool m_is_json = true;
  std::size_t m_depth = 0;
  std::string_view m_key = {};
  std::array<std::string_view, k_max_depth> m_keys = {}; // of what is open around
};

} // namespace upskill::redact
