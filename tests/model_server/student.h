#pragma once
#include "tests/model_server/draw.h"
#include "tests/model_server/offer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace upskill::model_server {

// A model that knows the answer at a known rate: `pass` or `fail`, each drawn by itself, at one
// rate where the request holds the skill's text and at another where it does not. Where it has
// tools and is offered a skill, it reads that first, at one rate where the task has a word of the
// skill's description and at another where it has none.
struct Rates {
  double base = 1;
  double skill = 1;
  double picks = 1;
  double strays = 0;
  std::string marker = "marker-of-the-skill"; // stands in the skill's text, and nowhere else
  std::uint64_t seed = 1;
};

// Owner: main. Thread: its only one. Lifetime: the server's.
class Student {
public:
  explicit Student(Rates rates)
      : m_rates(std::move(rates))
      , m_draws(m_rates.seed) {}

  // The file of the skill that it reads before it answers; empty: none.
  std::string_view picked(std::string_view body) {
    std::optional<Offer> offer = offer_of(body);
    bool is_picked = offer && draw(body) < (fits(*offer) ? m_rates.picks : m_rates.strays);
    return is_picked ? offer->location : std::string_view();
  }

  std::string_view answer(std::string_view body) {
    bool has_skill = body.find(m_rates.marker) != std::string_view::npos;
    return draw(body) < (has_skill ? m_rates.skill : m_rates.base) ? "pass" : "fail";
  }

private:
  // In [0, 1).
  double draw(std::string_view body) {
    return static_cast<double>(m_draws.next(body) >> 11) * 0x1p-53;
  }

  Rates m_rates;
  Draws m_draws;
};

} // namespace upskill::model_server
