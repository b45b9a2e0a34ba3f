#pragma once
#include "daemon/watch/watch_types.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upskill::watch {

// Decides when a changed skill is quiet enough to be looked at (decisions: Sync). Pure: the driver
// says what changed and when it is, and asks for the next deadline. At most
// k_max_skills_per_root skills wait at once.
//
// A lone close or rename acts at once: one file of a skill was closed after writing, or a file or a
// whole skill was renamed to its place, and nothing else of that skill happened in the same batch
// or within the time before. Writing a temporary file and renaming it into place is one rename.
// Everything else waits until nothing happened for `quiet`, at most `most` after its first change.
class Settle {
public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  struct Options {
    Duration quiet = std::chrono::milliseconds(100);
    Duration most = std::chrono::seconds(2);
  };

  struct Ready {
    std::uint32_t root = 0;
    std::string skill;
    std::uint64_t order = 0; // of its last change
    bool lone = false;

    friend bool operator==(const Ready&, const Ready&) = default;
  };

  Settle() = default;

  explicit Settle(Options options)
      : m_options(options) {}

  // One report's changes. False when too many skills wait: all are forgotten, and the caller
  // rescans every root instead.
  [[nodiscard]] bool add(std::span<const Change> changes, Time now);

  // When take_ready will next have something; none: no wake-up is needed. May lie in the past.
  std::optional<Time> deadline() const;

  // The roots have other numbers from here on: `number_of` says which, and nothing for a root that
  // is not among them any more, whose skills are forgotten.
  void renumber(const std::function<std::optional<std::uint32_t>(std::uint32_t root)>& number_of);

  // In the order of their last change.
  std::vector<Ready> take_ready(Time now);

  std::size_t size() const { return m_waiting.size(); }

  // Every skill that waits, by root and name.
  std::vector<Ready> waiting() const;

private:
  enum class Shape : std::uint8_t {
    fresh,
    temporary, // one file was made, and perhaps closed
    leaving,   // and is being renamed
    lone,
    busy
  };

  struct Waiting {
    Time first;
    Time last;
    std::uint64_t order = 0;
    Shape shape = Shape::fresh;
    std::uint32_t entry = 0;
    std::uint32_t cookie = 0;
  };

  static void note(Waiting& waiting, const Change& change);
  Time due(const Waiting& waiting) const;

  Options m_options;
  std::map<std::pair<std::uint32_t, std::string>, Waiting> m_waiting;
};

} // namespace upskill::watch
