#pragma once
#include "clients/cli/page.h"

#include <string>
#include <vector>

namespace upskill::cli {

enum class Fit {
  content, // as wide as its widest cell
  shrinks, // gives way when the screen is narrow
  right    // as content, numbers to the right
};

struct Column {
  std::string title;
  Fit fit = Fit::content;
};

struct Cell {
  std::string text; // cleaned when it is added
  Tint tint = Tint::plain;
};

// Rows under titles, in as many columns of the screen as there are. What does not fit is cut, never
// wrapped, so that a row is a line.
class Table {
public:
  explicit Table(std::vector<Column> columns)
      : m_columns(std::move(columns)) {}

  // One cell for each column.
  void add(std::vector<Cell> row);

  bool empty() const { return m_rows.empty(); }

  // Each line after `indent` spaces; titles only where there is one.
  void print(Page& page, std::size_t indent = 0) const;

private:
  std::vector<std::size_t> widths(std::size_t available) const;

  std::vector<Column> m_columns;
  std::vector<std::vector<Cell>> m_rows = {};
};

} // namespace upskill::cli
