#include "clients/cli/diff_view.h"

#include "clients/cli/text.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace upskill::cli {
namespace {

constexpr std::string_view k_more = "and more; --json has it whole";

// Visits the lines until `most` were; false where there are more.
template <class F> bool for_each_line(std::string_view text, std::size_t most, F visit) {
  std::size_t at = 0;
  for (std::size_t shown = 0; at < text.size() && shown < most; ++shown) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    visit(text.substr(at, end - at));
    at = end + 1;
  }
  return at >= text.size();
}

// In pieces of at most so many columns, with every space.
std::vector<std::string> pieces_of(std::string_view text, std::size_t columns) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    std::string piece = cut(text, columns, "");
    if (piece.empty()) {
      break;
    }
    text.remove_prefix(piece.size());
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

// How many lines a hunk has of the old file and of the new one (`@@ -1,2 +1,3 @@`; without a number
// it is one).
std::pair<long long, long long> lengths_of(std::string_view header) {
  auto number_after = [&](char sign) {
    std::size_t at = header.find(sign, 2);
    std::size_t end = at == std::string_view::npos ? at : header.find(' ', at);
    if (end == std::string_view::npos) {
      return 0LL;
    }
    std::string_view range = header.substr(at + 1, end - at - 1);
    std::size_t comma = range.find(',');
    long long number = 1;
    if (comma != std::string_view::npos) {
      number = 0;
      std::from_chars(range.data() + comma + 1, range.data() + range.size(), number);
    }
    return std::max(number, 0LL);
  };
  return {number_after('-'), number_after('+')};
}

// The file of a part, which two columns do not tell: of a file that went, its old name.
void print_name(Page& page, std::string_view part, std::size_t indent) {
  std::string name;
  for_each_line(clean_block(part), 4, [&](std::string_view line) {
    bool is_name = line.starts_with("--- ") || line.starts_with("+++ ");
    if (is_name && line.substr(4) != "/dev/null") {
      name = line.substr(4);
      name.erase(0, name.starts_with("a/") || name.starts_with("b/") ? 2 : 0);
    }
  });
  if (!name.empty()) {
    page.line(std::string(indent, ' ') + page.tint(Tint::bold, name));
  }
}

class SideBySide {
public:
  SideBySide(Page& page, std::size_t indent)
      : m_page(page)
      , m_indent(indent) {
    std::size_t columns = page.screen().columns;
    std::size_t taken = indent + 7; // a mark and a space on both sides, ` | ` between them
    m_width = columns > taken + 20 ? (columns - taken) / 2 : 10;
  }

  void add(std::string_view line) {
    if (line.starts_with("@@")) {
      m_is_body = true;
      flush();
      m_page.line(std::string(m_indent, ' ') + m_page.tint(Tint::cyan, line));
    } else if (!m_is_body) {
      if (!line.starts_with("---") && !line.starts_with("+++")) { // one sentence, and no lines
        m_page.line(std::string(m_indent, ' ') + std::string(line));
      }
    } else if (line.starts_with('-')) {
      m_before.emplace_back(line.substr(1));
    } else if (line.starts_with('+')) {
      m_after.emplace_back(line.substr(1));
    } else if (line.starts_with(' ')) {
      flush();
      row(" ", line.substr(1), " ", line.substr(1), false);
    } else { // of the line before, or of what is cut off
      flush();
      m_page.line(std::string(m_indent, ' ') + m_page.tint(Tint::dim, line));
    }
  }

  void flush() {
    for (std::size_t i = 0; i < std::max(m_before.size(), m_after.size()); ++i) {
      bool has_before = i < m_before.size();
      bool has_after = i < m_after.size();
      row(has_before ? "-" : " ",
          has_before ? m_before[i] : std::string_view(),
          has_after ? "+" : " ",
          has_after ? m_after[i] : std::string_view(),
          true);
    }
    m_before.clear();
    m_after.clear();
  }

private:
  void row(std::string_view left_mark,
           std::string_view left,
           std::string_view right_mark,
           std::string_view right,
           bool is_change) {
    std::vector<std::string> lefts = pieces_of(left, m_width);
    std::vector<std::string> rights = pieces_of(right, m_width);
    std::size_t lines = std::max<std::size_t>({lefts.size(), rights.size(), 1});
    lefts.resize(lines);
    rights.resize(lines);
    for (std::size_t i = 0; i < lines; ++i) {
      std::string space(m_width - std::min(m_width, display_width(lefts[i])), ' ');
      auto marked = [i](std::string_view mark, const std::string& piece) {
        return std::string(i > 0 && piece.empty() ? " " : mark) + " " + piece;
      };
      std::string before = marked(left_mark, lefts[i]);
      std::string after = marked(right_mark, rights[i]);
      std::string line(m_indent, ' ');
      line += m_page.tint(is_change ? Tint::red : Tint::plain, before) + space + " ";
      line += m_page.sign("│", "|");
      line += " " + m_page.tint(is_change ? Tint::green : Tint::plain, after);
      line.erase(line.find_last_not_of(' ') + 1);
      m_page.line(line);
    }
  }

  Page& m_page;
  std::size_t m_indent;
  std::size_t m_width = 0; // of one side
  bool m_is_body = false;
  std::vector<std::string> m_before = {};
  std::vector<std::string> m_after = {};
};

} // namespace

void print_diff(Page& page, std::string_view diff, std::size_t indent, std::size_t most) {
  const std::string space(indent, ' ');
  bool is_body = false;
  bool is_whole = for_each_line(clean_block(diff), most, [&](std::string_view line) {
    is_body = is_body || line.starts_with("@@");
    Tint tint = line.starts_with("@@")  ? Tint::cyan
                : !is_body              ? Tint::bold
                : line.starts_with('+') ? Tint::green
                : line.starts_with('-') ? Tint::red
                                        : Tint::plain;
    page.line(space + page.tint(tint, line));
  });
  if (!is_whole) {
    page.line(page.tint(Tint::dim, space + std::string(k_more)));
  }
}

void print_side_by_side(Page& page, std::string_view diff, std::size_t indent, std::size_t most) {
  SideBySide sides(page, indent);
  std::string text = clean_block(diff);
  bool is_whole = for_each_line(text, most, [&](std::string_view line) { sides.add(line); });
  sides.flush();
  if (!is_whole) {
    page.line(page.tint(Tint::dim, std::string(indent, ' ') + std::string(k_more)));
  }
}

std::vector<std::string_view> parts_of_diff(std::string_view diff) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  // Lines of the hunk that are still to come: one that begins with `---` may be a removed line.
  long long before = 0;
  long long after = 0;
  bool has_body = false; // of the part that is being read
  for (std::size_t at = 0; at < diff.size();) {
    std::size_t end = std::min(diff.find('\n', at), diff.size());
    std::string_view line = diff.substr(at, end - at);
    if (before > 0 || after > 0) {
      before -= line.starts_with('+') || line.starts_with('\\') ? 0 : 1;
      after -= line.starts_with('-') || line.starts_with('\\') ? 0 : 1;
    } else if (line.starts_with("@@ -")) {
      std::tie(before, after) = lengths_of(line);
      has_body = true;
    } else if (has_body && !line.starts_with('\\')) {
      parts.push_back(diff.substr(start, at - start));
      start = at;
      has_body = false;
    }
    at = end + 1;
  }
  if (start < diff.size()) {
    parts.push_back(diff.substr(start));
  }
  return parts;
}

void print_diffs(Page& page, std::string_view diff, std::size_t indent, std::size_t most) {
  bool is_wide = page.screen().columns >= k_side_by_side;
  for (std::string_view part : parts_of_diff(diff)) {
    auto lines = static_cast<std::size_t>(std::ranges::count(part, '\n'));
    lines += part.ends_with('\n') ? 0 : 1;
    if (is_wide) {
      print_name(page, part, indent);
      print_side_by_side(page, part, indent, most);
    } else {
      print_diff(page, part, indent, most);
    }
    if (lines >= most) {
      if (lines == most && part.data() + part.size() != diff.data() + diff.size()) {
        page.line(page.tint(Tint::dim, std::string(indent, ' ') + std::string(k_more)));
      }
      return;
    }
    most -= lines;
  }
}

} // namespace upskill::cli
