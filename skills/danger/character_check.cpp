#include "skills/danger/characters.h"
#include "skills/danger/checks.h"

#include <algorithm>
#include <optional>

namespace upskill::danger {
namespace {

constexpr char32_t k_black_flag = 0x1F3F4; // begins the flags of regions, which go on in tags
constexpr char32_t k_tag_end = 0xE007F;
constexpr std::size_t k_longest_flag = 8;    // tags behind the black flag (UTS 51, ED-14a)
constexpr std::size_t k_data_selectors = 4;  // variation selectors in a row: none is of any use
constexpr std::size_t k_data_zero_width = 8; // in a row; Indic words and emoji have one or two
constexpr std::size_t k_most_lines = 1000;   // of a file that are searched for such letters
constexpr std::size_t k_least_mixed = 4;     // letters of a word of two scripts

constexpr Danger k_tags = {
    "tag-text",
    Severity::severe,
    "holds a text that nobody sees and every model reads (tag characters)",
    "remove those characters; the skill comes from somebody who hides things"};
constexpr Danger k_data = {
    "invisible-data",
    Severity::severe,
    "holds data written in characters that nobody sees",
    "remove those characters; the skill comes from somebody who hides things"};
constexpr Danger k_override = {
    "text-direction-override",
    Severity::severe,
    "shows letters in another order than a program or a model reads them",
    "remove the override; text of any language stands without it"};
constexpr Danger k_direction = {"text-direction",
                                Severity::warning,
                                "holds marks of direction where no text goes from right to left",
                                "remove them; they can show code in another order than it runs"};
constexpr Danger k_zero_width = {"invisible-characters",
                                 Severity::note,
                                 "holds characters that nobody sees",
                                 "remove them; most come from copying a web page"};
constexpr Danger k_split_word = {"invisible-characters",
                                 Severity::warning,
                                 "has words cut by characters that nobody sees",
                                 "remove them; they keep words from being found"};
constexpr Danger k_escape = {
    "terminal-escape",
    Severity::warning,
    "holds control characters, which a terminal obeys when the file is shown",
    "write them as escapes, such as `\\x1b`"};
constexpr Danger k_mixed = {"mixed-script-word",
                            Severity::warning,
                            "has a word with letters of another script that look like its own",
                            "write the word in one script"};

bool is_word(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || latin_look_alike(c) != 0;
}

bool is_ascii_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// One pass over the characters of a file. Of each kind but the severe ones the first is told.
class CharacterPass {
public:
  CharacterPass(const FileView& view, Findings& findings)
      : m_view(view)
      , m_text(view.text())
      , m_findings(findings) {}

  void run() {
    for (std::size_t at = 0; at < m_text.size();) {
      std::size_t begin = at;
      char32_t c = next_character(m_text, at);
      if (is_tag(c)) {
        at = take_tags(begin);
      } else if (is_variation_selector(c)) {
        at = take_run(begin, k_data_selectors, is_variation_selector);
      } else if (is_zero_width(c) && begin > 0) {
        take_zero_width(begin, at);
        at = take_run(begin, k_data_zero_width, is_zero_width);
      } else if (is_bidi_control(c)) {
        take_direction(c, begin, at);
      } else if (c == 0x1B || c == 0x08) {
        tell_once(m_escape_told, k_escape, begin, at);
      }
      take_word(c, begin);
      m_before = c;
    }
    end_word(m_text.size());
  }

private:
  void tell_once(bool& is_told, const Danger& danger, std::size_t begin, std::size_t end) {
    if (!is_told) {
      is_told = true;
      m_findings.add(m_view, danger, begin, end);
    }
  }

  std::size_t take_tags(std::size_t begin) {
    std::size_t end = begin;
    std::size_t count = 0;
    char32_t last = 0;
    std::string said;
    for (std::size_t at = begin; at < m_text.size(); ++count) {
      char32_t c = next_character(m_text, at);
      if (!is_tag(c)) {
        break;
      }
      last = c;
      end = at;
      if (c >= 0xE0020 && c < k_tag_end && said.size() < k_most_evidence) {
        said += static_cast<char>(c - 0xE0000);
      }
    }
    bool is_flag = m_before == k_black_flag && last == k_tag_end && count <= k_longest_flag;
    if (!is_flag) {
      m_findings.add_quoting(m_view, k_tags, begin, "hidden text: " + said);
    }
    return end;
  }

  // Behind the run of such characters that begins at `begin`.
  template <class Is> std::size_t take_run(std::size_t begin, std::size_t data, Is is) {
    std::size_t end = begin;
    std::size_t count = 0;
    for (std::size_t at = begin; at < m_text.size();) {
      if (!is(next_character(m_text, at))) {
        break;
      }
      end = at;
      ++count;
    }
    if (count >= data) {
      m_findings.add_quoting(
          m_view, k_data, begin, std::to_string(count) + " invisible characters in a row");
    }
    return end;
  }

  void take_zero_width(std::size_t begin, std::size_t end) {
    std::size_t at = end;
    char32_t after = end < m_text.size() ? next_character(m_text, at) : U'\n';
    // Joiners belong to Persian, Indic scripts and emoji.
    if (m_before >= 0x80 && after >= 0x80) {
      return;
    }
    if (is_ascii_letter(m_before) && is_ascii_letter(after)) {
      tell_once(m_split_told, k_split_word, begin - 1, end + 1);
    } else if (m_before < 0x80 && after < 0x80) {
      tell_once(m_zero_width_told, k_zero_width, begin, end);
    }
  }

  void take_direction(char32_t c, std::size_t begin, std::size_t end) {
    bool is_override = c == 0x202D || c == 0x202E;
    // Beyond that the line is not looked at, and the worse is taken for true.
    bool has_right_to_left = ++m_looked <= k_most_lines && is_line_right_to_left(begin);
    if (is_override && !has_right_to_left) {
      m_findings.add(m_view, k_override, begin, end + k_shown_behind);
    } else if (is_override || !has_right_to_left) {
      tell_once(m_direction_told, k_direction, begin, end + k_shown_behind);
    }
  }

  // Looks at 1,000 bytes round a place at most.
  bool is_line_right_to_left(std::size_t at) const {
    std::size_t begin = at;
    while (begin > 0 && m_text[begin - 1] != '\n' && at - begin < 500) {
      --begin;
    }
    while (begin < m_text.size() && m_text[begin] != '\n' && begin < at + 500) {
      if (is_right_to_left(next_character(m_text, begin))) {
        return true;
      }
    }
    return false;
  }

  void take_word(char32_t c, std::size_t begin) {
    if (!is_word(c)) {
      end_word(begin);
      // A letter that looks like none of ours makes the word one of its own script.
      m_is_other = c >= 0x80 && c != k_ill_formed && !is_zero_width(c) && c < 0x2000;
      m_word = 0;
      m_latin = m_alike = 0;
      return;
    }
    if (m_latin + m_alike == 0) {
      m_word = begin;
    }
    (is_ascii_letter(c) ? m_latin : m_alike) += 1;
  }

  void end_word(std::size_t end) {
    bool is_mixed = m_latin > 0 && m_alike > 0 && m_latin + m_alike >= k_least_mixed && !m_is_other;
    bool goes_on = end < m_text.size() && static_cast<unsigned char>(m_text[end]) >= 0x80;
    if (is_mixed && !goes_on) {
      tell_once(m_mixed_told, k_mixed, m_word, end);
    }
  }

  static constexpr std::size_t k_shown_behind = 60; // bytes of evidence

  const FileView& m_view;
  std::string_view m_text;
  Findings& m_findings;
  char32_t m_before = U'\n';
  std::size_t m_looked = 0; // lines, for right-to-left letters
  bool m_escape_told = false;
  bool m_split_told = false;
  bool m_zero_width_told = false;
  bool m_direction_told = false;
  bool m_mixed_told = false;
  std::size_t m_word = 0;
  std::size_t m_latin = 0; // letters of the word so far
  std::size_t m_alike = 0;
  bool m_is_other = false;
};

constexpr std::size_t k_block = 64; // bytes that are looked at without a branch, as vectors

bool is_plain(char c) {
  return (c >= 0x20 && c < 0x7F) | (c == '\n') | (c == '\t') | (c == '\r');
}

// Whether it has nothing but what most files have: printable ASCII, tabs and line ends.
bool is_all_plain(std::string_view text) {
  for (; text.size() >= k_block; text.remove_prefix(k_block)) {
    bool is_odd = false;
    for (std::size_t i = 0; i < k_block; ++i) {
      is_odd |= !is_plain(text[i]);
    }
    if (is_odd) {
      return false;
    }
  }
  return std::ranges::all_of(text, is_plain);
}

} // namespace

void check_characters(const FileView& view, Findings& findings) {
  if (!is_all_plain(view.text())) {
    CharacterPass(view, findings).run();
  }
}

} // namespace upskill::danger
