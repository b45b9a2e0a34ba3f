#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "protocol/types/describe.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

// Columns of sync.db that hold a list: text fields, every one ended by a zero byte, so that a
// person reads them with sqlite3. For the encoders of skills/store only.
namespace upskill::store {

inline void put_field(std::string& record, std::string_view field) {
  record.append(field).append(1, '\0');
}

inline void put_field(std::string& record, const std::optional<Digest>& digest) {
  put_field(record, digest ? digest->hex() : std::string());
}

// Reads them in their order; the first that is missing or wrong makes the whole record damaged.
class FieldReader {
public:
  explicit FieldReader(std::string_view record)
      : m_left(record) {}

  bool at_end() const { return m_left.empty(); }

  bool damaged() const { return m_damaged; }

  std::string_view text() {
    std::size_t end = m_left.find('\0');
    if (end == std::string_view::npos) {
      fail();
      return {};
    }
    std::string_view field = m_left.substr(0, end);
    m_left.remove_prefix(end + 1);
    return field;
  }

  std::optional<Digest> digest() {
    std::string_view hex = text();
    std::optional<Digest> digest = Digest::from_hex(hex);
    if (!digest && !hex.empty()) {
      fail();
    }
    return digest;
  }

  template <DescribedEnum E> E word() {
    const auto& names = EnumNames<E>::names;
    auto at = std::ranges::find(names, text());
    if (at == names.end()) {
      fail();
      return {};
    }
    return static_cast<E>(at - names.begin());
  }

  // Nothing more is read, so that a loop over at_end() ends.
  void fail() {
    m_damaged = true;
    m_left = {};
  }

private:
  std::string_view m_left;
  bool m_damaged = false;
};

} // namespace upskill::store
