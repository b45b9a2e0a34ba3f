#pragma once
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/model_server.h"
#include "tests/bench/swaps.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace upskill::bench {

// What is known of a watched skill, as far as benches look at it.
struct WatchedNow {
  std::string hash = {};
  std::string state = {};
  std::string why = {};
};

// A home whose agents are in sync, with skills of 20 cases that were all accepted, and a client
// that is told by long polling what the daemon knows of them. Owner: a bench. Thread: its only one.
// Lifetime: of the daemon and the model.
class Watched {
public:
  static constexpr std::size_t k_skills = 300;

  explicit Watched(const Settings& settings);
  ~Watched();

  // The way editors save. The same `version` is the same text, 0 the accepted one.
  void save(std::size_t number, std::size_t version) const;
  // Waits until `is_it` says so of this skill.
  WatchedNow wait(std::size_t number, const std::function<bool(const WatchedNow&)>& is_it);
  // Begins the wait, so that what comes next is told as soon as it is known.
  void listen(std::size_t number);
  // Ends when it has been tested as far as it goes.
  void test(std::size_t number);

  // Sees copies come into the folders of the other agents.
  Swaps swaps() const { return Swaps({m_home.root(1), m_home.root(2)}); }

  const Home& home() const { return m_home; }

private:
  std::string status_call(std::size_t number) const;
  WatchedNow take(std::string_view answer);

  Home m_home;
  ModelServer m_model;
  UniqueFd m_socket = {};
  std::unique_ptr<Lines> m_lines = {};
  std::int64_t m_generation = 0;
  bool m_is_listening = false;
};

} // namespace upskill::bench
