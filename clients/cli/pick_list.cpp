#include "clients/cli/pick_list.h"

#include "clients/cli/text.h"

#include <algorithm>
#include <utility>

namespace upskill::cli {
namespace {

constexpr std::size_t k_fewest_columns = 24;
constexpr std::size_t k_fewest_lines = 5;
constexpr std::size_t k_lines_with_detail = 12; // of a screen that has room for what it is, in full
constexpr std::size_t k_detail = 2;             // lines of that
constexpr std::size_t k_longest_filter = 100;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

std::string padded(std::string text, std::size_t columns) {
  std::size_t width = display_width(text);
  return text + std::string(columns > width ? columns - width : 0, ' ');
}

} // namespace

PickList::PickList(std::string title, std::vector<PickItem> items)
    : m_title(clean_line(title))
    , m_items(std::move(items))
    , m_is_chosen(m_items.size(), false) {
  for (PickItem& item : m_items) {
    item.name = clean_line(item.name);
    item.mark.text = clean_line(item.mark.text);
    item.about = clean_line(item.about);
  }
  filter();
}

PickEnd PickList::press(const Key& key) {
  m_said.clear();
  if (m_is_typing && type(key)) {
    return PickEnd::none;
  }
  if (key.letter == 'q' || (key.kind == KeyKind::escape && m_filter.empty())) {
    return PickEnd::given_up;
  }
  if (key.kind == KeyKind::escape) {
    m_filter.clear();
    filter();
  } else if (key.kind == KeyKind::enter) {
    if (!chosen().empty()) {
      return PickEnd::chosen;
    }
    m_said = "Nothing is chosen yet: space chooses, q leaves.";
  } else if (key.letter == '/') {
    m_is_typing = true;
  } else if (key.letter == 'a') {
    choose_all();
  } else if (key.letter == ' ' && m_cursor < m_shown.size()) {
    std::size_t place = m_shown[m_cursor];
    if (m_items[place].is_fixed) {
      m_said = "This one cannot be installed.";
    } else {
      m_is_chosen[place] = !m_is_chosen[place];
    }
  } else {
    move(key);
  }
  return PickEnd::none;
}

bool PickList::type(const Key& key) {
  if (key.kind == KeyKind::letter) {
    if (m_filter.size() < k_longest_filter) {
      m_filter += key.letter;
    }
  } else if (key.kind == KeyKind::erase) {
    m_is_typing = !m_filter.empty(); // once more than there is to erase
    m_filter.resize(m_filter.size() - (m_filter.empty() ? 0 : 1));
  } else if (key.kind == KeyKind::escape) {
    m_filter.clear();
    m_is_typing = false;
  } else if (key.kind == KeyKind::enter) {
    m_is_typing = false;
    return true;
  } else {
    return false; // the list moves meanwhile
  }
  filter();
  return true;
}

// Every word of the filter, whatever its case, in the name or in what it is.
void PickList::filter() {
  m_shown.clear();
  std::vector<std::string> words;
  const std::string wanted = lower(m_filter);
  for (std::size_t at = 0; at < wanted.size();) {
    std::size_t end = std::min(wanted.find(' ', at), wanted.size());
    if (end > at) {
      words.push_back(wanted.substr(at, end - at));
    }
    at = end + 1;
  }
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    const std::string text = lower(m_items[i].name + '\n' + m_items[i].about);
    if (std::ranges::all_of(
            words, [&](const std::string& word) { return text.find(word) != std::string::npos; })) {
      m_shown.push_back(i);
    }
  }
  m_cursor = 0;
  m_top = 0;
}

void PickList::move(const Key& key) {
  std::size_t last = m_shown.empty() ? 0 : m_shown.size() - 1;
  if (key.kind == KeyKind::up || key.letter == 'k') {
    m_cursor -= m_cursor > 0 ? 1 : 0;
  } else if (key.kind == KeyKind::down || key.letter == 'j') {
    m_cursor = std::min(m_cursor + 1, last);
  } else if (key.kind == KeyKind::page_up) {
    m_cursor -= std::min(m_cursor, m_rows);
  } else if (key.kind == KeyKind::page_down) {
    m_cursor = std::min(m_cursor + m_rows, last);
  } else if (key.kind == KeyKind::home) {
    m_cursor = 0;
  } else if (key.kind == KeyKind::end) {
    m_cursor = last;
  }
}

// Of what the filter shows; a second time none of it.
void PickList::choose_all() {
  bool all = std::ranges::all_of(
      m_shown, [&](std::size_t place) { return m_is_chosen[place] || m_items[place].is_fixed; });
  for (std::size_t place : m_shown) {
    m_is_chosen[place] = !all && !m_items[place].is_fixed;
  }
}

std::vector<std::size_t> PickList::chosen() const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < m_is_chosen.size(); ++i) {
    if (m_is_chosen[i]) {
      places.push_back(i);
    }
  }
  return places;
}

std::string PickList::row(const Page& page, std::size_t shown, const Widths& widths) const {
  const PickItem& item = m_items[m_shown[shown]];
  bool is_here = shown == m_cursor;
  bool is_chosen = m_is_chosen[m_shown[shown]];
  std::string box = item.is_fixed ? "[-]" : is_chosen ? "[x]" : "[ ]";
  std::string line = is_here ? page.tint(Tint::bold, "> ") : "  ";
  line += page.tint(is_chosen ? Tint::green : Tint::plain, box) + " ";
  std::string name = padded(cut(item.name, widths.name, page.ellipsis()), widths.name);
  line += page.tint(is_here ? Tint::bold : item.is_fixed ? Tint::dim : Tint::plain, name);
  std::size_t taken = 6 + widths.name;
  std::size_t columns = page.screen().columns;
  if (!item.mark.text.empty() && columns > taken + 4) {
    std::size_t width = std::min(widths.mark, columns - taken - 2);
    taken += 2 + width;
    line += "  "
            + page.tint(item.mark.tint, padded(cut(item.mark.text, width, page.ellipsis()), width));
  }
  if (!item.about.empty() && columns > taken + 8) {
    line += "  " + page.tint(Tint::dim, cut(item.about, columns - taken - 2, page.ellipsis()));
  }
  return line;
}

std::string PickList::foot(std::size_t columns) const {
  if (m_is_typing) {
    return "/" + m_filter + "_   enter keeps it, escape shows all";
  }
  if (!m_said.empty()) {
    return m_said;
  }
  std::string keys = m_filter.empty() ? "" : "/" + m_filter + "   ";
  std::string told = keys + "space chooses, a all, / filters, enter installs, q leaves";
  return display_width(told) <= columns ? told : keys + "space, a all, /, enter, q";
}

std::vector<std::string> PickList::draw(const Screen& screen, std::size_t lines) {
  Page page(screen);
  auto fitted = [&](std::string_view text) { return cut(text, screen.columns, page.ellipsis()); };
  std::vector<std::string> out;
  if (lines < k_fewest_lines || screen.columns < k_fewest_columns) {
    out.resize(lines);
    if (lines > 0) {
      out.front() = fitted("This window is too small; q leaves.");
    }
    return out;
  }
  bool has_detail = lines >= k_lines_with_detail;
  m_rows = lines - 3 - (has_detail ? k_detail + 1 : 0);
  // A window that has grown is filled.
  m_top = std::min({m_top, m_cursor, m_shown.size() - std::min(m_shown.size(), m_rows)});
  m_top = std::max(m_top, m_cursor + 1 > m_rows ? m_cursor + 1 - m_rows : 0);

  std::string sums = grouped(static_cast<long long>(chosen().size())) + " of "
                     + grouped(static_cast<long long>(m_items.size())) + " chosen";
  std::string title = cut(m_title,
                          screen.columns > sums.size() + 2 ? screen.columns - sums.size() - 2 : 0,
                          page.ellipsis());
  out.push_back(page.tint(Tint::bold, title) + (title.empty() ? "" : "  ")
                + page.tint(Tint::dim, sums));

  Widths widths;
  for (std::size_t place : m_shown) {
    widths.name = std::max(widths.name, display_width(m_items[place].name));
    widths.mark = std::max(widths.mark, display_width(m_items[place].mark.text));
  }
  widths.name = std::min(widths.name, std::max<std::size_t>(10, screen.columns * 2 / 5));
  for (std::size_t i = 0; i < m_rows; ++i) {
    out.push_back(m_top + i < m_shown.size() ? row(page, m_top + i, widths) : std::string());
  }
  if (m_shown.empty()) {
    out[1] = fitted("  Nothing matches.");
  }

  std::size_t below = m_shown.size() - std::min(m_shown.size(), m_top + m_rows);
  out.push_back(page.tint(
      Tint::dim, below > 0 ? fitted("  " + grouped(static_cast<long long>(below)) + " more") : ""));
  if (has_detail) {
    std::vector<std::string> about;
    if (m_cursor < m_shown.size()) {
      about = wrap(m_items[m_shown[m_cursor]].about, screen.columns - 2);
    }
    about.resize(k_detail);
    for (const std::string& line : about) {
      out.push_back("  " + line);
    }
    out.emplace_back();
  }
  out.push_back(
      page.tint(m_said.empty() ? Tint::cyan : Tint::yellow, fitted(foot(screen.columns))));
  return out;
}

} // namespace upskill::cli
