#pragma once
#include "tests/model_server/draw.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace upskill::model_server {

// A model that knows the answer at a known rate: `pass` or `fail`, each drawn by itself, at one
// rate where the request holds the skill's text and at another where it does not.
struct Rates {
  double base = 1;
  double skill = 1;
  std::string marker = "marker-of-the-skill"; // stands in the skill's text, and nowhere else
  std::uint64_t seed = 1;
};

// Owner: main. Thread: its only one. Lifetime: the server's.
class Student {
public:
  explicit Student(Rates rates)
      : m_rates(std::move(rates))
      , m_draws(m_rates.seed) {}

  std::string_view answer(std::string_view body) {
    double share = static_cast<double>(m_draws.next(body) >> 11) * 0x1p-53; // in [0, 1)
    bool has_skill = body.find(m_rates.marker) != std::string_view::npos;
    return share < (has_skill ? m_rates.skill : m_rates.base) ? "pass" : "fail";
  }

private:
  Rates m_rates;
  Draws m_draws;
};

} // namespace upskill::model_server
