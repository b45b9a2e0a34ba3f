#pragma once
#include "skills/redact/rule_set.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::redact {

// A secret in a text.
struct Finding {
  std::uint16_t rule = 0; // in RuleSet::rules()
  std::size_t begin = 0;  // bytes
  std::size_t end = 0;
  bool is_open = false; // a private key's block that ends with the text, and not with its foot

  friend bool operator==(const Finding&, const Finding&) = default;
};

// How much was found. What is definite was replaced; candidates are still there.
struct Counts {
  struct OfRule {
    std::uint16_t rule = 0;
    std::uint32_t count = 0;

    friend bool operator==(const OfRule&, const OfRule&) = default;
  };

  std::uint32_t definite = 0;
  std::uint32_t candidates = 0;
  std::vector<OfRule> by_rule = {}; // by number

  void add(std::uint16_t rule, Confidence confidence);
  Counts& operator+=(const Counts& other);
};

enum class Wanted { all, definite };

// Finds secrets in plain text, and replaces those that are one for certain.
// Owner: whoever redacts. Thread: one at a time. Lifetime: any; nothing is kept from text to text
// but memory, so that a text without secrets costs no allocation.
class Redactor {
public:
  explicit Redactor(RuleSet rules);

  const RuleSet& rules() const { return m_rules; }

  // The secrets of `text`, by where they begin, none over another: what is definite wins, and of
  // two of a kind the longer one gives its rule to both. Marks of earlier redactions are left
  // alone, and no character of UTF-8 is cut. `findings` is emptied first.
  void scan(std::string_view text, std::vector<Finding>& findings, Wanted wanted = Wanted::all);

  // Whether in the last text a keyword stood behind an escape such as `\n`, whose letter looks like
  // a part of its word.
  bool met_behind_escape() const { return m_met_behind_escape; }

  // Replaces each definite secret by its mark, until none is left.
  Counts redact(std::string& text);

  // Joins findings that lie over each other, as scan() does.
  void settle(std::vector<Finding>& findings);

private:
  struct Progress {
    std::size_t done = 0;         // nothing that begins before this is looked at again
    std::size_t window_begin = 0; // of a rule whose matches begin before their keywords: what is
    std::size_t window_end = 0;   // still to be searched
    bool is_touched = false;
  };

  void meet(std::uint16_t rule, std::size_t begin, std::size_t end);
  void match_at(std::uint16_t rule, std::size_t begin, std::size_t end);
  void widen_window(std::uint16_t rule, std::size_t begin, std::size_t end);
  void search_window(std::uint16_t rule);
  void take_match(std::uint16_t rule,
                  std::string_view match,
                  std::string_view secret,
                  std::size_t keyword_end,
                  std::size_t stop);
  void take_block(std::uint16_t rule, std::string_view match);
  bool is_harmless(std::uint16_t rule, std::string_view secret, std::size_t prefix) const;
  void add_outside_marks(Finding finding, bool is_definite);
  Progress& progress_of(std::uint16_t rule);

  RuleSet m_rules;
  std::vector<Progress> m_progress;
  std::vector<std::uint16_t> m_touched = {};
  std::string_view m_text = {};
  Wanted m_wanted = Wanted::all;
  bool m_met_behind_escape = false;
  std::vector<Finding>* m_findings = nullptr;
  std::vector<Finding> m_kept = {};
  std::vector<Finding> m_candidates = {};
};

// Replaces ranges of `text`, given in order and apart from each other, by their rules' marks.
void put_marks(std::string& text, const std::vector<Finding>& findings, const RuleSet& rules);

} // namespace upskill::redact
