#include "clients/cli/progress.h"

#include "clients/cli/page.h"
#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_cells = 20;

} // namespace

std::string progress_line(double done,
                          std::optional<double> total,
                          std::string_view message,
                          std::size_t columns,
                          bool unicode) {
  std::string line;
  if (total && *total > 0) {
    double part = std::clamp(done / *total, 0.0, 1.0);
    auto full = static_cast<std::size_t>(part * k_cells);
    for (std::size_t i = 0; i < k_cells; ++i) {
      line += i < full ? (unicode ? "█" : "#") : (unicode ? "░" : ".");
    }
    line += " " + std::to_string(static_cast<int>(part * 100)) + "%  ";
  } else if (done > 0) {
    line += grouped(static_cast<long long>(std::min(done, 1e15))) + "  ";
  }
  line += clean_line(message);
  return cut(line, columns > 1 ? columns - 1 : columns, unicode ? "…" : "...");
}

Progress::Progress(bool shown, std::size_t columns, bool unicode)
    : m_shown(shown)
    , m_columns(columns)
    , m_unicode(unicode) {}

Progress::~Progress() {
  wipe();
}

void Progress::report(double done, std::optional<double> total, std::string_view message) {
  if (m_shown) {
    write_all(2, "\r\x1b[K" + progress_line(done, total, message, m_columns, m_unicode));
    m_dirty = true;
  }
}

void Progress::wipe() {
  if (m_dirty) {
    write_all(2, "\r\x1b[K");
    m_dirty = false;
  }
}

} // namespace upskill::cli
