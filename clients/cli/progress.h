#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace upskill::cli {

// One line of progress: a bar of 20 cells where the total is known (walk-through facts, section 3),
// at most `columns` wide.
std::string progress_line(double done,
                          std::optional<double> total,
                          std::string_view message,
                          std::size_t columns,
                          bool unicode);

// Shows a call's progress on stderr while it runs, on a terminal only, and wipes it at the end.
class Progress {
public:
  Progress(bool shown, std::size_t columns, bool unicode);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void report(double done, std::optional<double> total, std::string_view message);
  void wipe();

private:
  bool m_shown;
  std::size_t m_columns;
  bool m_unicode;
  bool m_dirty = false;
};

} // namespace upskill::cli
