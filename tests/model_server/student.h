#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace upskill::model_server {

// A model that knows the answer at a known rate: `pass` or `fail`, each drawn by itself, at one
// rate where the request holds the skill's text and at another where it does not.
struct Rates {
  double base = 1;
  double skill = 1;
  std::string marker = "marker-of-the-skill"; // stands in the skill's text, and nowhere else
  std::uint64_t seed = 1;
};

// What it draws depends on the seed, the request and how often that was asked before, so that the
// order in which requests come decides nothing.
// Owner: main. Thread: its only one. Lifetime: the server's.
class Student {
public:
  explicit Student(Rates rates)
      : m_rates(std::move(rates)) {}

  std::string_view answer(std::string_view body) {
    std::uint64_t request = hash(body);
    std::uint64_t drawn = mixed(m_rates.seed ^ mixed(request ^ mixed(++m_asked[request])));
    double share = static_cast<double>(drawn >> 11) * 0x1p-53; // in [0, 1)
    bool has_skill = body.find(m_rates.marker) != std::string_view::npos;
    return share < (has_skill ? m_rates.skill : m_rates.base) ? "pass" : "fail";
  }

private:
  // FNV-1a, and the finaliser of SplitMix64.
  static std::uint64_t hash(std::string_view text) {
    std::uint64_t state = 0xcbf29ce484222325;
    for (unsigned char c : text) {
      state = (state ^ c) * 0x100000001b3;
    }
    return state;
  }

  static std::uint64_t mixed(std::uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
  }

  Rates m_rates;
  std::unordered_map<std::uint64_t, std::uint64_t> m_asked; // by the request
};

} // namespace upskill::model_server
