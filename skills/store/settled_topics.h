#pragma once
#include "protocol/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::store {

inline constexpr std::size_t k_max_settled = 1000; // topics that are remembered

enum class Settled : std::uint8_t { declined, accepted };

// A topic that is not to be proposed again.
struct SettledTopic {
  std::string fingerprint = {};
  std::string skill = {};
  Settled settled = Settled::declined;
  std::int64_t time_ms = 0;

  friend bool operator==(const SettledTopic&, const SettledTopic&) = default;
};

struct SettledTopics {
  std::vector<SettledTopic> topics = {};  // oldest first
  std::vector<std::string> problems = {}; // what was set aside, as long as it lies there

  // Whether a topic of this fingerprint, or one in slightly other words, is among them.
  bool has(std::string_view fingerprint) const;
};

// Whether two fingerprints, words with spaces between them, are about the same: most of the words
// of the shorter one are in the other.
bool is_same_topic(std::string_view a, std::string_view b);

// What an inbox remembers, which is open and locked. What cannot be understood is set aside.
// unsupported: of a newer version.
Result<SettledTopics> read_settled(int inbox, const std::string& folder);

// Remembers these, the last k_max_settled of them.
Result<void> keep_settled(const std::string& folder, std::vector<SettledTopic> topics);

} // namespace upskill::store
