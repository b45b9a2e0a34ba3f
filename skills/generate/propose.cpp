#include "skills/generate/propose.h"

#include "protocol/base/utf8.h"
#include "skills/generate/prompt_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace upskill::generate {
namespace {

constexpr double k_telling = 3;       // bits of a word that says something: not in every eighth
constexpr std::size_t k_merged = 200; // groups that are compared with each other
constexpr double k_covered = 0.6;     // of a topic's bits that a known skill has words for
constexpr double k_same = 0.6;        // of the bits of the smaller of two groups that are one

// What a group must say, in half words and bits: more where fewer sessions said it.
struct Least {
  std::size_t halves;
  double bits;
};

constexpr Least k_least{6, 12};
constexpr Least k_least_of_two{8, 16};         // sessions
constexpr Least k_least_of_correction{4, 8};   // most of them correct the agent
constexpr Least k_least_of_beginning{4, 9};    // sessions begin with it, three at least
constexpr std::size_t k_sessions_of_short = 3; // that must say so little

// So many prompts are there at least: unseen ones have none but common words.
constexpr double k_least_prompts = 150;
constexpr double k_margin = 6; // bits: one time in 64 it is chance after all

// A word that most sessions of a group have.
struct CoreWord {
  WordId word = 0;
  double bits = 0;   // that it tells: how few sessions outside of the group have it
  double chance = 0; // bits: how few prompts outside of it do
};

struct Group {
  std::vector<std::uint32_t> phrases = {};
  std::set<std::uint32_t> sessions = {};
  std::vector<CoreWord> core = {}; // that tell something, the most telling first
  Topic topic = {};
};

bool is_correction(const PromptDigest& prompt) {
  return prompt.corrects || prompt.is_corrected || prompt.was_interrupted;
}

// One line of a prompt, for people.
std::string one_line(std::string_view text) {
  std::string line;
  for (char c : utf8_prefix(text, 4 * k_max_intent)) {
    bool is_space = static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
    if (!is_space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  bool is_cut = line.size() > k_max_intent;
  line = to_valid_utf8(utf8_prefix(line, k_max_intent - 3));
  while (line.ends_with(' ')) {
    line.pop_back();
  }
  return is_cut ? line + "…" : line;
}

class Topics {
public:
  explicit Topics(const std::vector<SessionDigest>& sessions)
      : m_table(sessions) {}

  std::vector<Topic> found(const TopicsWanted& wanted) {
    std::vector<Group> groups;
    for (std::vector<std::uint32_t>& phrases : group_phrases(m_table)) {
      Group group{std::move(phrases)};
      count(group);
      if (group.sessions.size() > 1) {
        groups.push_back(std::move(group));
      }
    }
    rank(groups);
    merge(groups);
    std::erase_if(groups, [&](const Group& group) { return !is_worth(group); });
    rank(groups);
    std::vector<Topic> topics;
    for (Group& group : groups) {
      if (topics.size() == std::min(wanted.limit, k_most_topics)) {
        break;
      }
      tell(group);
      bool is_settled = wanted.is_settled && wanted.is_settled(group.topic);
      bool is_covered = std::ranges::any_of(
          wanted.known, [&](const KnownSkill& skill) { return covers(skill, group); });
      if (!is_settled && !is_covered) {
        topics.push_back(std::move(group.topic));
      }
    }
    return topics;
  }

private:
  template <class F> void each_said(const Group& group, F&& visit) const {
    for (std::uint32_t index : group.phrases) {
      const Phrase& phrase = m_table.phrases()[index];
      for (const Said& said : phrase.said) {
        visit(phrase, said);
      }
    }
  }

  void count(Group& group) const {
    std::map<WordId, std::set<std::uint32_t>> in;
    std::map<WordId, std::uint32_t> prompts;
    group.sessions.clear();
    group.core.clear();
    group.topic = {};
    each_said(group, [&](const Phrase& phrase, const Said& said) {
      group.sessions.insert(said.session);
      ++group.topic.prompts;
      group.topic.corrections += is_correction(*said.prompt) ? 1 : 0;
      group.topic.errors += said.prompt->had_error ? 1 : 0;
      group.topic.newest_ms = std::max(group.topic.newest_ms, said.prompt->time_ms.value_or(0));
      for (WordId word : phrase.words) {
        in[word].insert(said.session);
        ++prompts[word];
      }
    });
    double prompts_outside =
        std::max(static_cast<double>(m_table.prompts() - group.topic.prompts), k_least_prompts);
    for (const auto& [word, sessions] : in) {
      const WordUse& use = m_table.words()[word];
      double bits = m_table.bits_of(use, use.sessions - sessions.size(), group.sessions.size());
      if (2 * sessions.size() > group.sessions.size() && bits >= k_telling) {
        double with = 1.0 + use.prompts - prompts[word] + (use.is_common ? prompts_outside : 0);
        group.core.push_back({word, bits, std::max(std::log2(prompts_outside / with), 0.0)});
      }
    }
    std::ranges::sort(group.core, [](const CoreWord& a, const CoreWord& b) {
      return std::pair(-a.bits, a.word) < std::pair(-b.bits, b.word);
    });
  }

  static void rank(std::vector<Group>& groups) {
    std::ranges::sort(groups, [](const Group& a, const Group& b) {
      auto key = [](const Group& group) {
        return std::tuple(group.sessions.size(), group.topic.corrections, group.topic.newest_ms);
      };
      return key(a) != key(b) ? key(a) > key(b) : a.phrases.front() < b.phrases.front();
    });
  }

  // What one pass did not bring together, because it began with other words.
  void merge(std::vector<Group>& groups) const {
    std::size_t compared = std::min(groups.size(), k_merged);
    for (std::size_t i = 0; i < compared; ++i) {
      for (std::size_t j = i + 1; j < compared; ++j) {
        if (is_same(groups[i], groups[j])) {
          groups[i].phrases.insert(
              groups[i].phrases.end(), groups[j].phrases.begin(), groups[j].phrases.end());
          std::ranges::sort(groups[i].phrases);
          groups[j] = {};
          count(groups[i]);
        }
      }
    }
    std::erase_if(groups, [](const Group& group) { return group.phrases.empty(); });
  }

  bool is_same(const Group& a, const Group& b) const {
    const Group& small = a.core.size() < b.core.size() ? a : b;
    const Group& large = &small == &a ? b : a;
    double shared = 0;
    double all = 0;
    std::size_t count = 0;
    for (const CoreWord& one : small.core) {
      bool is_shared = std::ranges::find(large.core, one.word, &CoreWord::word) != large.core.end();
      all += one.bits;
      shared += is_shared ? one.bits : 0;
      count += is_shared ? m_table.halves(one.word) : 0;
    }
    return count >= k_least_of_correction.halves && shared >= k_same * all;
  }

  // Whether so many prompts would be alike by chance, where each has its words by itself. Some
  // prompt is the first one; that another session has one as like it as that has the odds of its
  // words, however they are chosen, for each of all prompts.
  bool is_chance(const Group& group) const {
    std::map<std::uint32_t, double> best; // bits by session
    each_said(group, [&](const Phrase& phrase, const Said& said) {
      double bits = 0;
      double shared = 0;
      for (const CoreWord& one : group.core) {
        bool has = std::ranges::binary_search(phrase.words, one.word);
        bits += has ? one.chance * static_cast<double>(m_table.halves(one.word)) / 2 : 0;
        shared += has ? static_cast<double>(m_table.halves(one.word)) / 2 : 0;
      }
      double all = std::max(static_cast<double>(phrase.telling) / 2, shared);
      double ways = (std::lgamma(all + 1) - std::lgamma(shared + 1) - std::lgamma(all - shared + 1))
                    / std::log(2.0);
      double& most = best.try_emplace(said.session, 0).first->second;
      most = std::max(most, bits - ways);
    });
    double any = std::log2(static_cast<double>(m_table.prompts()));
    double sum = 0;
    double first = 0;
    for (const auto& [session, bits] : best) {
      sum += bits - any;
      first = std::max(first, bits - any);
    }
    return sum - first < any + k_margin;
  }

  // That it says something. What nearly every session says, in any language, tells no bits; and
  // what few words say must be said by more, so that it is no accident.
  bool is_worth(const Group& group) const {
    if (is_chance(group)) {
      return false;
    }
    std::size_t said = 0;
    double bits = 0;
    for (const CoreWord& one : group.core) {
      said += m_table.halves(one.word);
      bits += one.bits;
    }
    auto has = [&](const Least& least) { return said >= least.halves && bits >= least.bits; };
    std::set<std::uint32_t> beginning;
    std::size_t correcting = 0;
    each_said(group, [&](const Phrase&, const Said& one) {
      correcting += one.prompt->corrects ? 1 : 0;
      if (one.is_first) {
        beginning.insert(one.session);
      }
    });
    if (has(group.sessions.size() > 2 ? k_least : k_least_of_two)) {
      return true;
    }
    if (2 * correcting > group.topic.prompts) {
      return has(k_least_of_correction);
    }
    return beginning.size() >= k_sessions_of_short && has(k_least_of_beginning);
  }

  void tell(Group& group) const {
    std::vector<std::string> words;
    for (const CoreWord& one : group.core) {
      if (words.size() < k_fingerprint_words) {
        words.push_back(m_table.words()[one.word].word.text);
      }
    }
    std::ranges::sort(words);
    for (const std::string& word : words) {
      group.topic.fingerprint += (group.topic.fingerprint.empty() ? "" : " ") + word;
    }
    std::map<std::uint32_t, std::int64_t> newest;
    std::optional<std::tuple<double, std::size_t, std::string_view>> best;
    each_said(group, [&](const Phrase& phrase, const Said& said) {
      std::int64_t& time = newest[said.session];
      time = std::max(time, said.prompt->time_ms.value_or(0));
      std::string_view text = said.prompt->text;
      std::tuple stands(-fit(group, phrase), text.size(), text);
      best = best ? std::min(*best, stands) : stands;
    });
    group.topic.intent = one_line(std::get<2>(*best));
    std::vector<std::pair<std::int64_t, std::uint32_t>> order;
    for (const auto& [session, time] : newest) {
      order.emplace_back(-time, session);
    }
    std::ranges::sort(order);
    for (const auto& [time, session] : order) {
      group.topic.sessions.push_back(m_table.session(session));
    }
  }

  // How well a phrase stands for its group: with the words of all, and few others.
  double fit(const Group& group, const Phrase& phrase) const {
    double sum = 0;
    for (WordId word : phrase.words) {
      auto core = std::ranges::find(group.core, word, &CoreWord::word);
      sum += core != group.core.end() ? core->bits : -m_table.words()[word].bits / 4;
    }
    return sum;
  }

  bool covers(const KnownSkill& skill, const Group& group) const {
    std::string name = skill.name;
    std::ranges::replace(name, '-', ' ');
    std::ranges::replace(name, '_', ' ');
    std::vector<PromptWord> named = words_of_prompt(name);
    std::erase_if(named, is_common_word);
    std::vector<PromptWord> told = words_of_prompt(name + "\n" + skill.description);
    double all = 0;
    double covered = 0;
    std::set<PromptWord> core;
    for (const CoreWord& one : group.core) {
      const PromptWord& word = m_table.words()[one.word].word;
      core.insert(word);
      all += one.bits;
      covered += std::ranges::find(told, word) != told.end() ? one.bits : 0;
    }
    bool has_name = named.size() > 1 && std::ranges::all_of(named, [&](const PromptWord& word) {
                      return core.contains(word);
                    });
    return has_name || covered >= k_covered * all;
  }

  PromptTable m_table;
};

} // namespace

std::vector<Topic> find_topics(const std::vector<SessionDigest>& sessions,
                               const TopicsWanted& wanted) {
  return Topics(sessions).found(wanted);
}

} // namespace upskill::generate
