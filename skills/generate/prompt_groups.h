#pragma once
#include "skills/generate/prompt_words.h"
#include "skills/generate/propose.h"

#include <cstdint>
#include <string>
#include <vector>

// Prompts by their words, and which of them are alike.
namespace upskill::generate {

using WordId = std::uint32_t; // by the order of the words

// A prompt that was said somewhere.
struct Said {
  const PromptDigest* prompt = nullptr;
  std::uint32_t session = 0; // by the order of their ids
  bool is_first = false;     // in its session
};

// All prompts of the very same words.
struct Phrase {
  std::vector<WordId> words = {}; // sorted
  std::size_t telling = 0;        // half words of them that tell something
  std::vector<Said> said = {};
};

// A word, and what it is worth.
struct WordUse {
  PromptWord word = {};
  bool is_common = false;     // in any session of anybody
  std::uint32_t sessions = 0; // in which it occurs
  std::uint32_t prompts = 0;  // of those that say something
  double bits = 0;            // that it tells: the rarer, the more
};

// The prompts of sessions with their words. Borrows the sessions.
class PromptTable {
public:
  explicit PromptTable(const std::vector<SessionDigest>& sessions);

  const std::vector<WordUse>& words() const { return m_words; }

  const std::vector<Phrase>& phrases() const { return m_phrases; }

  const std::string& session(std::uint32_t index) const { return m_sessions[index]; }

  // Prompts that say something.
  std::size_t prompts() const { return m_prompts; }

  bool says_something(const Phrase& phrase) const;
  bool is_telling(WordId word) const;

  std::size_t halves(WordId word) const { return m_words[word].word.is_part ? 1 : 2; }

  // Bits of a word that occurs in `sessions` of those outside of `inside` that are of one topic.
  double bits_of(const WordUse& word, std::size_t sessions, std::size_t inside) const;

private:
  std::vector<std::string> m_sessions = {}; // sorted ids
  std::vector<WordUse> m_words = {};
  std::vector<Phrase> m_phrases = {}; // by their words
  std::size_t m_prompts = 0;
};

// Phrases that are alike, as indexes; at most k_most_groups, each phrase in one at most. One pass,
// and only phrases that share a rare word are compared.
std::vector<std::vector<std::uint32_t>> group_phrases(const PromptTable& table);

} // namespace upskill::generate
