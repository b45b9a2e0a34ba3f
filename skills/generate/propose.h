#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What comes up again and again in sessions: what a skill may be worth having for. Decided by
// counting alone; no model is asked.
namespace upskill::generate {

inline constexpr std::size_t k_most_topics = 5;
inline constexpr std::size_t k_most_prompts = 20'000; // that are looked at, the newest
inline constexpr std::size_t k_most_groups = 8192;    // of prompts that are alike
inline constexpr std::size_t k_max_intent = 200;      // bytes
inline constexpr std::size_t k_fingerprint_words = 8; // at most

struct Topic;

// What a person said once, without secrets.
struct PromptDigest {
  std::string text;
  std::optional<std::int64_t> time_ms = {}; // Unix time
  bool corrects = false;                    // says that what the agent did before it was wrong
  bool is_corrected = false;                // the person's next words say so of what came of it
  bool had_error = false;                   // a tool failed
  bool was_interrupted = false;             // the person stopped the agent
};

struct SessionDigest {
  std::string id; // one for each session; those of copies of one session are left out
  std::string agent = {};
  std::string folder = {};                // of the project
  std::vector<PromptDigest> prompts = {}; // in the order in which they were said
};

// A skill that is there already.
struct KnownSkill {
  std::string name;
  std::string description = {};
};

struct TopicsWanted {
  std::size_t limit = k_most_topics;
  std::vector<KnownSkill> known = {};
  // Of a topic that is to be told otherwise: that it was settled before. None: nothing was.
  std::function<bool(const Topic& topic)> is_settled = {};
};

// What several sessions have in common.
struct Topic {
  std::string intent = {};                // a prompt that stands for all of them, one line of it
  std::string fingerprint = {};           // the words that they share, sorted
  std::vector<std::string> sessions = {}; // ids, the one with the newest prompt first
  std::size_t prompts = 0;
  // Of them that correct the agent, were corrected, or that the person stopped it at.
  std::size_t corrections = 0;
  std::size_t errors = 0; // of them at which a tool failed
  std::int64_t newest_ms = 0;

  friend bool operator==(const Topic&, const Topic&) = default;
};

// At most `limit`, those of the most sessions first, then of the most corrections, then the newest.
// Each is of two sessions at least, says something (of what nearly every session says nothing is
// told), is covered by no known skill and was not settled before. The same for the same sessions in
// whatever order. Time: some 50 us a prompt.
std::vector<Topic> find_topics(const std::vector<SessionDigest>& sessions,
                               const TopicsWanted& wanted);

} // namespace upskill::generate
