#include "skills/generate/prompt_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace upskill::generate {
namespace {

// Sessions that nobody sees are counted along, with all common words in each and no other one: so
// that common words say little where there are few sessions, too.
constexpr std::size_t k_unseen = 30;
constexpr double k_most_bits = 6;
constexpr double k_least_bits = 0.05;
constexpr double k_worth_comparing = 1; // bits of a word that two phrases must have in common

// Two phrases are alike where the words they share weigh so much of all their words,
constexpr double k_alike = 0.34;
// or so much of the shorter one's, which then is told in the longer one among other things.
constexpr double k_contained = 0.6;
constexpr std::size_t k_least_shared = 4;           // half words
constexpr std::size_t k_least_shared_contained = 6; // half words

constexpr std::size_t k_rarest = 8;        // words of a phrase by which it is looked for
constexpr std::size_t k_most_posted = 512; // groups with a word: more, and it is not rare
constexpr std::size_t k_most_compared = 32;

// The newest ones, whatever order they came in.
std::vector<Said> newest_prompts(const std::vector<SessionDigest>& sessions,
                                 const std::vector<std::string>& ids) {
  std::vector<Said> said;
  for (const SessionDigest& session : sessions) {
    auto at = std::ranges::lower_bound(ids, session.id);
    auto number = static_cast<std::uint32_t>(at - ids.begin());
    for (const PromptDigest& prompt : session.prompts) {
      said.push_back({&prompt, number, &prompt == session.prompts.data()});
    }
  }
  std::ranges::sort(said, [](const Said& a, const Said& b) {
    return std::tuple(b.prompt->time_ms.value_or(0), a.session, std::string_view(a.prompt->text))
           < std::tuple(a.prompt->time_ms.value_or(0), b.session, std::string_view(b.prompt->text));
  });
  said.resize(std::min(said.size(), k_most_prompts));
  return said;
}

struct Likeness {
  bool is_alike = false;
  double share = 0;
};

class Grouping {
public:
  explicit Grouping(const PromptTable& table)
      : m_table(table)
      , m_posted(table.words().size()) {}

  std::vector<std::vector<std::uint32_t>> groups() {
    for (std::uint32_t phrase : in_order()) {
      std::optional<std::uint32_t> group = nearest(phrase);
      if (group) {
        m_groups[*group].push_back(phrase);
      } else if (m_groups.size() < k_most_groups) {
        post(phrase);
      }
    }
    return std::move(m_groups);
  }

private:
  double bits(WordId word) const { return m_table.words()[word].bits; }

  double weight(const Phrase& phrase) const {
    double sum = 0;
    for (WordId word : phrase.words) {
      sum += bits(word);
    }
    return sum;
  }

  // Those of the most sessions first, then the short ones: what others say at length begins no
  // group where somebody said it in few words. What says nothing is in none.
  std::vector<std::uint32_t> in_order() const {
    std::vector<std::tuple<std::int64_t, std::size_t, std::uint32_t>> order;
    for (std::uint32_t i = 0; i < m_table.phrases().size(); ++i) {
      const Phrase& phrase = m_table.phrases()[i];
      if (m_table.says_something(phrase)) {
        std::set<std::uint32_t> sessions;
        for (const Said& said : phrase.said) {
          sessions.insert(said.session);
        }
        order.emplace_back(-static_cast<std::int64_t>(sessions.size()), phrase.words.size(), i);
      }
    }
    std::ranges::sort(order);
    std::vector<std::uint32_t> phrases;
    for (const auto& [sessions, words, phrase] : order) {
      phrases.push_back(phrase);
    }
    return phrases;
  }

  // A word of one session is in no prompt of another.
  bool is_shared(WordId word) const { return m_table.words()[word].sessions > 1; }

  std::vector<WordId> rarest(const Phrase& phrase) const {
    std::vector<WordId> words;
    std::ranges::copy_if(phrase.words, std::back_inserter(words), [&](WordId word) {
      return is_shared(word) && m_table.is_telling(word);
    });
    std::ranges::sort(
        words, [&](WordId a, WordId b) { return std::pair(-bits(a), a) < std::pair(-bits(b), b); });
    words.resize(std::min(words.size(), k_rarest));
    return words;
  }

  void post(std::uint32_t phrase) {
    auto group = static_cast<std::uint32_t>(m_groups.size());
    m_groups.push_back({phrase});
    m_found.push_back(0);
    for (WordId word : m_table.phrases()[phrase].words) {
      if (m_posted[word].size() <= k_most_posted && is_shared(word)) {
        m_posted[word].push_back(group);
      }
    }
  }

  std::optional<std::uint32_t> nearest(std::uint32_t index) {
    const Phrase& phrase = m_table.phrases()[index];
    std::vector<std::uint32_t> touched;
    for (WordId word : rarest(phrase)) {
      if (m_posted[word].size() > k_most_posted) {
        continue;
      }
      for (std::uint32_t group : m_posted[word]) {
        if (m_found[group] == 0) {
          touched.push_back(group);
        }
        m_found[group] += bits(word);
      }
    }
    std::size_t compared = std::min(touched.size(), k_most_compared);
    std::ranges::partial_sort(
        touched, touched.begin() + static_cast<std::ptrdiff_t>(compared), [&](auto a, auto b) {
          return std::pair(-m_found[a], a) < std::pair(-m_found[b], b);
        });
    std::optional<std::uint32_t> best;
    double most = 0;
    for (std::size_t i = 0; i < compared; ++i) {
      Likeness like = likeness(phrase, m_table.phrases()[m_groups[touched[i]].front()]);
      if (like.is_alike && like.share > most) {
        most = like.share;
        best = touched[i];
      }
    }
    for (std::uint32_t group : touched) {
      m_found[group] = 0;
    }
    return best;
  }

  Likeness likeness(const Phrase& a, const Phrase& b) const {
    std::vector<WordId> shared;
    std::ranges::set_intersection(a.words, b.words, std::back_inserter(shared));
    double common = 0;
    std::size_t telling = 0;
    for (WordId word : shared) {
      common += bits(word);
      telling += m_table.is_telling(word) ? m_table.halves(word) : 0;
    }
    double share = common / (weight(a) + weight(b) - common);
    double contained = common / std::min(weight(a), weight(b));
    return {(share >= k_alike && telling >= k_least_shared)
                || (contained >= k_contained && telling >= k_least_shared_contained),
            share};
  }

  const PromptTable& m_table;
  std::vector<std::vector<std::uint32_t>> m_posted; // groups by word of their first phrase
  std::vector<std::vector<std::uint32_t>> m_groups = {};
  std::vector<double> m_found = {}; // by group: bits of a phrase's rare words
};

} // namespace

PromptTable::PromptTable(const std::vector<SessionDigest>& sessions) {
  for (const SessionDigest& session : sessions) {
    m_sessions.push_back(session.id);
  }
  std::ranges::sort(m_sessions);
  auto rest = std::ranges::unique(m_sessions);
  m_sessions.erase(rest.begin(), rest.end());

  std::vector<Said> said = newest_prompts(sessions, m_sessions);
  std::vector<std::vector<PromptWord>> prompts;
  std::map<PromptWord, std::set<std::uint32_t>> seen;
  for (const Said& one : said) {
    prompts.push_back(words_of_prompt(one.prompt->text));
    for (const PromptWord& word : prompts.back()) {
      seen[word].insert(one.session);
    }
  }
  std::map<PromptWord, WordId> ids;
  for (const auto& [word, in] : seen) {
    ids.emplace(word, static_cast<WordId>(m_words.size()));
    WordUse use{word, is_common_word(word), static_cast<std::uint32_t>(in.size())};
    use.bits = bits_of(use, in.size(), 0);
    m_words.push_back(std::move(use));
  }
  std::map<std::vector<WordId>, std::vector<Said>> phrases;
  for (std::size_t i = 0; i < said.size(); ++i) {
    std::vector<WordId> words;
    for (const PromptWord& word : prompts[i]) {
      words.push_back(ids.at(word));
    }
    std::ranges::sort(words);
    phrases[std::move(words)].push_back(said[i]);
  }
  for (auto& [words, all] : phrases) {
    Phrase phrase{words, 0, std::move(all)};
    for (WordId word : words) {
      phrase.telling += is_telling(word) ? halves(word) : 0;
    }
    auto count = static_cast<std::uint32_t>(phrase.said.size());
    if (says_something(phrase)) {
      m_prompts += count;
      for (WordId word : words) {
        m_words[word].prompts += count;
      }
    }
    m_phrases.push_back(std::move(phrase));
  }
}

bool PromptTable::says_something(const Phrase& phrase) const {
  return phrase.telling >= k_least_shared;
}

bool PromptTable::is_telling(WordId word) const {
  return !m_words[word].is_common && m_words[word].bits >= k_worth_comparing;
}

double PromptTable::bits_of(const WordUse& word, std::size_t sessions, std::size_t inside) const {
  std::size_t unseen = m_sessions.size() + k_unseen;
  std::size_t all = m_sessions.size() - inside + unseen;
  std::size_t with = sessions + (word.is_common ? unseen : 0);
  double bits =
      std::log2(static_cast<double>(all) / static_cast<double>(std::max<std::size_t>(with, 1)));
  return std::clamp(bits, k_least_bits, k_most_bits);
}

std::vector<std::vector<std::uint32_t>> group_phrases(const PromptTable& table) {
  return Grouping(table).groups();
}

} // namespace upskill::generate
