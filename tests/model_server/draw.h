#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace upskill::model_server {

// FNV-1a.
inline std::uint64_t hash(std::string_view text) {
  std::uint64_t state = 0xcbf29ce484222325;
  for (unsigned char c : text) {
    state = (state ^ c) * 0x100000001b3;
  }
  return state;
}

// The finaliser of SplitMix64.
inline std::uint64_t mixed(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

// A number for each request: it depends on the seed, the request and how often that was asked
// before, so that the order in which requests come decides nothing.
// Owner: who answers. Thread: its only one. Lifetime: the server's.
class Draws {
public:
  explicit Draws(std::uint64_t seed)
      : m_seed(seed) {}

  std::uint64_t next(std::string_view body) {
    std::uint64_t request = hash(body);
    return mixed(m_seed ^ mixed(request ^ mixed(++m_asked[request])));
  }

private:
  std::uint64_t m_seed;
  std::unordered_map<std::uint64_t, std::uint64_t> m_asked = {}; // by the request
};

} // namespace upskill::model_server
