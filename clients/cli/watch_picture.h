#pragma once
#include "clients/cli/watch_view.h"

#include <cstddef>
#include <string>
#include <vector>

namespace upskill::cli {

inline constexpr std::size_t k_least_columns = 40;
inline constexpr std::size_t k_least_lines = 10;

struct WatchPicture {
  std::vector<std::string> lines =
      {};               // as many as the window has, none wider than it, with colours
  std::size_t rows = 0; // skills that it has room for
};

// The window of `window.columns` by `lines`; of one that is too small, a line that says so.
WatchPicture draw(const WatchView& view, const Screen& window, std::size_t lines);

// The parts, each of at most `lines` lines.
// watch_picture_list.cpp
std::vector<std::string> draw_list(const WatchView& view, const Screen& screen, std::size_t lines);
// watch_picture_detail.cpp
std::vector<std::string>
draw_detail(const WatchView& view, const Screen& screen, std::size_t lines);
std::vector<std::string> draw_log(const WatchView& view, const Screen& screen, std::size_t lines);
std::vector<std::string> draw_help(const Screen& screen, std::size_t lines);

// A line that is put together of parts, each cut to what is left of it.
class WatchRow {
public:
  explicit WatchRow(const Screen& screen)
      : m_page(screen) {}

  std::size_t left() const { return m_page.screen().columns - m_width; }

  // Cleaned here.
  void add(std::string_view text, Tint tint = Tint::plain);
  // In `columns` columns: cut to them, or filled up.
  void cell(std::string_view text, std::size_t columns, Tint tint = Tint::plain);

  std::string_view sign(std::string_view unicode, std::string_view ascii) const {
    return m_page.sign(unicode, ascii);
  }

  const std::string& text() const { return m_text; }

private:
  Page m_page;
  std::string m_text = {};
  std::size_t m_width = 0;
};

// "-- title ------", over a part.
std::string draw_rule(std::string_view title, const Screen& screen);
// The first lines of a text that was made of others' words.
std::vector<std::string> first_lines(std::string text, const Screen& screen, std::size_t lines);

} // namespace upskill::cli
