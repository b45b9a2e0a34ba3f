#include "skills/eval/svg_plot.h"

#include "protocol/base/utf8.h"
#include "skills/eval/markup.h"
#include "skills/eval/report_numbers.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace upskill::eval {
namespace {

// In units of the picture.
constexpr double k_width = 800;
constexpr double k_left = 220; // of the plot; labels before it
constexpr double k_right = 590;
constexpr double k_row = 28;
constexpr double k_top = 8;
constexpr std::size_t k_longest_label = 28; // bytes

struct Scale {
  double low = -0.1;
  double high = 0.1;

  double x(double value) const {
    return k_left + (std::clamp(value, low, high) - low) / (high - low) * (k_right - k_left);
  }
};

// Whole tenths, with the zero and all ends in between.
Scale scale_of(std::span<const PlottedLift> lifts) {
  Scale scale;
  for (const PlottedLift& one : lifts) {
    scale.low = std::min(scale.low, std::floor(one.lift.low * 10 + 1e-9) / 10);
    scale.high = std::max(scale.high, std::ceil(one.lift.high * 10 - 1e-9) / 10);
  }
  return {std::max(scale.low, -1.0), std::min(scale.high, 1.0)};
}

int tenths_between_ticks(const Scale& scale) {
  double span = scale.high - scale.low;
  return span <= 0.85 ? 1 : span <= 1.65 ? 2 : 5;
}

std::string number(double value) {
  return as_decimal(value, 1);
}

class Plot {
public:
  explicit Plot(std::span<const PlottedLift> lifts)
      : m_lifts(lifts)
      , m_scale(scale_of(lifts))
      , m_bottom(k_top + k_row * static_cast<double>(lifts.size())) {}

  std::string draw() {
    m_svg = "<svg class=\"forest\" role=\"img\" viewBox=\"0 0 " + number(k_width) + " "
            + number(m_bottom + 24) + "\" xmlns=\"http://www.w3.org/2000/svg\">\n"
            + "<title>Lift of each model with its 95 % interval</title>\n";
    axis();
    for (std::size_t i = 0; i < m_lifts.size(); ++i) {
      row(m_lifts[i], k_top + k_row * (static_cast<double>(i) + 0.5));
    }
    return std::move(m_svg) + "</svg>\n";
  }

private:
  void line(std::string_view name, double x1, double y1, double x2, double y2) {
    m_svg += "<line class=\"" + std::string(name) + "\" x1=\"" + number(x1) + "\" y1=\""
             + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) + "\"/>\n";
  }

  void text(double x, double y, std::string_view anchor, std::string_view value) {
    m_svg += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\""
             + std::string(anchor) + "\">";
    append_text(m_svg, value);
    m_svg += "</text>\n";
  }

  void axis() {
    const int step = tenths_between_ticks(m_scale);
    const int first = static_cast<int>(std::lround(m_scale.low * 10));
    const int last = static_cast<int>(std::lround(m_scale.high * 10));
    for (int tenths = first; tenths <= last; ++tenths) {
      if (tenths % step == 0) {
        const double x = m_scale.x(tenths / 10.0);
        line(tenths == 0 ? "zero" : "tick", x, k_top, x, m_bottom);
        text(x, m_bottom + 16, "middle", as_change(tenths / 10.0));
      }
    }
  }

  void row(const PlottedLift& one, double y) {
    const EvalLift& lift = one.lift;
    const std::string_view verdict =
        EnumNames<EvalVerdict>::names[static_cast<std::size_t>(one.verdict)];
    m_svg += "<g class=\"" + std::string(verdict) + "\">\n<title>";
    append_text(m_svg, one.label);
    m_svg += "</title>\n";
    const std::string valid = to_valid_utf8(one.label);
    const std::string_view label = utf8_prefix(valid, k_longest_label);
    text(k_left - 10, y + 4, "end", std::string(label) + (label == valid ? "" : "..."));
    const double low = m_scale.x(lift.low);
    const double high = m_scale.x(lift.high);
    line("interval", low, y, high, y);
    line("interval", low, y - 5, low, y + 5);
    line("interval", high, y - 5, high, y + 5);
    m_svg +=
        "<circle cx=\"" + number(m_scale.x(lift.value)) + "\" cy=\"" + number(y) + "\" r=\"5\"/>\n";
    text(k_right + 12, y + 4, "start", as_lift(lift.value, lift.low, lift.high));
    m_svg += "</g>\n";
  }

  std::span<const PlottedLift> m_lifts;
  Scale m_scale;
  double m_bottom;
  std::string m_svg;
};

} // namespace

std::string forest_plot(std::span<const PlottedLift> lifts) {
  return lifts.empty() ? std::string() : Plot(lifts).draw();
}

std::string rate_bar(std::optional<double> rate) {
  constexpr long cells = 20;
  std::string bar;
  const long full = rate ? std::lround(std::clamp(*rate, 0.0, 1.0) * cells) : 0;
  for (long i = 0; i < cells; ++i) {
    bar += !rate ? " " : i < full ? "\xE2\x96\x88" : "\xE2\x96\x91"; // full block, light shade
  }
  return bar;
}

} // namespace upskill::eval
