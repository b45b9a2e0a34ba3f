#include "skills/sync/unified_diff.h"

#include "protocol/base/utf8.h"
#include "skills/sync/text_diff.h"

#include <algorithm>

namespace upskill::sync {
namespace {

constexpr std::string_view k_cut = "... the rest of the difference is not shown\n";

// Takes whole lines while they fit, with room for the sentence that says it was cut.
class BoundedText {
public:
  explicit BoundedText(std::size_t limit)
      : m_limit(limit) {}

  void add(std::string_view line) {
    if (!m_cut && line.size() <= m_limit - m_text.size()) {
      m_text += line;
      m_whole = m_text.size() + k_cut.size() <= m_limit ? m_text.size() : m_whole;
    } else {
      m_cut = true;
    }
  }

  bool is_cut() const { return m_cut; }

  std::string take() && {
    if (m_cut) {
      m_text.resize(m_whole);
      m_text += k_cut.substr(0, m_limit - m_whole);
    }
    return std::move(m_text);
  }

private:
  std::size_t m_limit;
  std::size_t m_whole = 0; // what may stay when the sentence follows
  std::string m_text;
  bool m_cut = false;
};

// A path, as it may stand in one line.
std::string label(std::string_view text) {
  std::string clean = to_valid_utf8(text);
  std::ranges::replace_if(
      clean, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return clean;
}

bool is_text(std::string_view bytes) {
  return bytes.find('\0') == std::string_view::npos && is_utf8(bytes);
}

void add_line(BoundedText& out, char mark, std::string_view line) {
  std::string text = mark + std::string(line);
  if (!line.ends_with('\n')) {
    text += "\n\\ No newline at end of file\n";
  }
  out.add(text);
}

// `start,count` with the rules of POSIX: lines count from 1, a count of 1 is left out, and an empty
// range is named by the line before it.
std::string range(std::size_t begin, std::size_t end) {
  std::size_t count = end - begin;
  std::string text = std::to_string(count == 0 ? begin : begin + 1);
  return count == 1 ? text : text + "," + std::to_string(count);
}

} // namespace

std::string unified_diff(std::string_view a,
                         std::string_view b,
                         std::string_view label_a,
                         std::string_view label_b,
                         std::size_t context,
                         std::size_t max_bytes) {
  if (a == b) {
    return {};
  }
  BoundedText out(max_bytes);
  std::string name_a = label(label_a);
  std::string name_b = label(label_b);
  if (a.size() > k_max_diff_text || b.size() > k_max_diff_text) {
    out.add("Files " + name_a + " and " + name_b + " differ and are too large to compare\n");
    return std::move(out).take();
  }
  if (!is_text(a) || !is_text(b)) {
    out.add("Binary files " + name_a + " and " + name_b + " differ\n");
    return std::move(out).take();
  }
  out.add("--- " + name_a + "\n+++ " + name_b + "\n");
  std::vector<std::string_view> old_lines = split_lines(a);
  std::vector<std::string_view> new_lines = split_lines(b);
  std::vector<LineChange> changes = diff_lines(old_lines, new_lines);
  context = std::min(context, old_lines.size());
  for (std::size_t first = 0; first < changes.size() && !out.is_cut();) {
    std::size_t last = first;
    while (last + 1 < changes.size()
           && changes[last + 1].a_begin - changes[last].a_end <= 2 * context) {
      ++last;
    }
    std::size_t before = std::min(context, changes[first].a_begin);
    std::size_t after = std::min(context, old_lines.size() - changes[last].a_end);
    std::size_t at = changes[first].a_begin - before;
    std::size_t end = changes[last].a_end + after;
    out.add("@@ -" + range(at, end) + " +"
            + range(changes[first].b_begin - before, changes[last].b_end + after) + " @@\n");
    for (; first <= last; ++first) {
      for (; at < changes[first].a_begin; ++at) {
        add_line(out, ' ', old_lines[at]);
      }
      for (; at < changes[first].a_end; ++at) {
        add_line(out, '-', old_lines[at]);
      }
      for (std::size_t line = changes[first].b_begin; line < changes[first].b_end; ++line) {
        add_line(out, '+', new_lines[line]);
      }
    }
    for (; at < end; ++at) {
      add_line(out, ' ', old_lines[at]);
    }
  }
  return std::move(out).take();
}

} // namespace upskill::sync
