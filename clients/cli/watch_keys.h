#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace upskill::cli {

enum class KeyKind { letter, up, down, page_up, page_down, home, end, enter, escape, erase };

struct Key {
  KeyKind kind = KeyKind::letter;
  char letter = 0; // of a letter, else 0

  friend bool operator==(const Key&, const Key&) = default;
};

// Makes keys of what a terminal sends, in pieces as they come (ECMA-48, 5.4; xterm's and VT220's
// names of keys). What has no meaning here is swallowed whole, so that half a sequence never acts.
class KeyReader {
public:
  std::vector<Key> feed(std::string_view bytes);

  // There is the beginning of a sequence, or the key Escape: it is the key if nothing follows soon.
  bool is_waiting() const { return !m_pending.empty(); }

  // Nothing has followed.
  std::vector<Key> give_up();

private:
  std::string m_pending = {};
};

} // namespace upskill::cli
