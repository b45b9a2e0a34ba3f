#include "clients/cli/table.h"

#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_gap = 2;
constexpr std::size_t k_narrowest_column = 8;
constexpr std::size_t k_narrowest_at_all = 3; // where even that is too much for the screen

} // namespace

void Table::add(std::vector<Cell> row) {
  for (Cell& cell : row) {
    cell.text = clean_line(cell.text);
  }
  row.resize(m_columns.size());
  m_rows.push_back(std::move(row));
}

std::vector<std::size_t> Table::widths(std::size_t available) const {
  std::vector<std::size_t> widths;
  std::size_t total = 0;
  for (std::size_t i = 0; i < m_columns.size(); ++i) {
    std::size_t width = display_width(m_columns[i].title);
    for (const std::vector<Cell>& row : m_rows) {
      width = std::max(width, display_width(row[i].text));
    }
    widths.push_back(width);
    total += width + (i == 0 ? 0 : k_gap);
  }

  // The widest that may shrink gives way first; where none may, the widest of all.
  struct Round {
    bool any;
    std::size_t narrowest;
  };

  constexpr Round k_rounds[] = {{false, k_narrowest_column},
                                {true, k_narrowest_column},
                                {false, k_narrowest_at_all},
                                {true, k_narrowest_at_all}};
  while (total > available) {
    std::size_t widest = m_columns.size();
    for (const Round& round : k_rounds) {
      for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if ((round.any || m_columns[i].fit == Fit::shrinks) && widths[i] > round.narrowest
            && (widest == m_columns.size() || widths[i] > widths[widest])) {
          widest = i;
        }
      }
      if (widest != m_columns.size()) {
        break;
      }
    }
    if (widest == m_columns.size()) {
      break;
    }
    --widths[widest];
    --total;
  }
  return widths;
}

void Table::print(Page& page, std::size_t indent) const {
  std::size_t columns = page.screen().columns;
  std::vector<std::size_t> wide = widths(columns > indent ? columns - indent : columns);
  auto print_row = [&](auto&& cell_at) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
      Cell cell = cell_at(i);
      std::string text = cut(cell.text, wide[i], page.ellipsis());
      std::string space(wide[i] - std::min(wide[i], display_width(text)), ' ');
      bool right = m_columns[i].fit == Fit::right;
      line += right ? space + page.tint(cell.tint, text) : page.tint(cell.tint, text);
      if (i + 1 < m_columns.size()) {
        line += (right ? std::string() : space) + std::string(k_gap, ' ');
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    page.line(line);
  };
  bool titled = std::any_of(m_columns.begin(), m_columns.end(), [](const Column& column) {
    return !column.title.empty();
  });
  if (titled) {
    print_row([&](std::size_t i) { return Cell{m_columns[i].title, Tint::bold}; });
  }
  for (const std::vector<Cell>& row : m_rows) {
    print_row([&](std::size_t i) { return row[i]; });
  }
}

} // namespace upskill::cli
