#include "clients/cli/diff_view.h"

#include "clients/cli/text.h"

#include <algorithm>
#include <string>
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

} // namespace upskill::cli
