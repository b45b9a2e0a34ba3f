#include "clients/cli/watch_keys.h"

#include <array>
#include <optional>

namespace upskill::cli {
namespace {

constexpr char k_escape = '\x1b';
constexpr std::size_t k_longest = 32; // bytes of a sequence; more is none

struct Named {
  std::string_view sequence; // without the escape
  KeyKind kind;
};

constexpr std::array<Named, 16> k_named{{{"[A", KeyKind::up},
                                         {"[B", KeyKind::down},
                                         {"[H", KeyKind::home},
                                         {"[F", KeyKind::end},
                                         {"OA", KeyKind::up},
                                         {"OB", KeyKind::down},
                                         {"OH", KeyKind::home},
                                         {"OF", KeyKind::end},
                                         {"OM", KeyKind::enter},
                                         {"[1~", KeyKind::home},
                                         {"[7~", KeyKind::home},
                                         {"[4~", KeyKind::end},
                                         {"[8~", KeyKind::end},
                                         {"[5~", KeyKind::page_up},
                                         {"[6~", KeyKind::page_down},
                                         {"[E", KeyKind::enter}}};

bool is_final(char c) {
  return c >= 0x40 && c <= 0x7E;
}

// Whether these bytes after an escape are a whole sequence.
bool is_whole(std::string_view sequence) {
  if (sequence.empty()) {
    return false;
  }
  if (sequence.front() == 'O') {
    return sequence.size() == 2;
  }
  return sequence.front() != '[' || (sequence.size() > 1 && is_final(sequence.back()));
}

std::optional<Key> key_of(std::string_view sequence) {
  for (const Named& named : k_named) {
    if (named.sequence == sequence) {
      return Key{named.kind};
    }
  }
  return std::nullopt;
}

std::optional<Key> plain_key(char c) {
  if (c == '\r' || c == '\n') {
    return Key{KeyKind::enter};
  }
  if (c == '\x7f' || c == '\b') {
    return Key{KeyKind::erase};
  }
  return c >= 0x20 && c < 0x7F ? std::optional(Key{KeyKind::letter, c}) : std::nullopt;
}

} // namespace

std::vector<Key> KeyReader::feed(std::string_view bytes) {
  std::vector<Key> keys;
  for (char c : bytes) {
    if (c == k_escape) {
      if (m_pending.size() == 1) {
        keys.push_back({KeyKind::escape}); // pressed twice
      }
      m_pending = k_escape;
      continue;
    }
    std::optional<Key> key;
    if (m_pending.empty()) {
      key = plain_key(c);
    } else {
      m_pending += c;
      std::string_view sequence = std::string_view(m_pending).substr(1);
      if (is_whole(sequence)) {
        key = key_of(sequence);
        m_pending.clear();
      } else if (m_pending.size() > k_longest) {
        m_pending.clear();
      }
    }
    if (key) {
      keys.push_back(*key);
    }
  }
  return keys;
}

std::vector<Key> KeyReader::give_up() {
  bool is_key = m_pending.size() == 1;
  m_pending.clear();
  return is_key ? std::vector<Key>{{KeyKind::escape}} : std::vector<Key>{};
}

} // namespace upskill::cli
