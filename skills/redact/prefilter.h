#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::redact {

inline constexpr std::size_t k_shortest_keyword = 3; // bytes
inline constexpr std::size_t k_longest_keyword = 64; // bytes
inline constexpr std::size_t k_max_keywords = 4096;

// Finds all keywords in one pass, whatever the case of their letters (Aho and Corasick 1975, the
// failure links worked into one dense table). Nearly all of a text is far from any keyword; there
// a small table of the pieces of three bytes that keywords begin with says where the automaton has
// to look at all, with nothing that depends on the byte before (as Hyperscan's FDR does).
// Owner: a RuleSet. Thread: any, it does not change. Allocates nothing while it scans.
class Prefilter {
public:
  Prefilter() = default;
  // Lower-case ASCII of k_shortest_keyword to k_longest_keyword bytes, at most k_max_keywords.
  explicit Prefilter(std::span<const std::string> keywords);

  // Calls visit(keyword, begin, end) for every place of every keyword, by where they end. Answers
  // of visit are not looked at.
  template <class Visit> void scan(std::string_view text, Visit visit) const {
    std::size_t at = 0;
    while ((at = next_start(text, at)) < text.size()) {
      std::uint32_t state = 0;
      do {
        state = m_next[state * m_classes + m_class[static_cast<unsigned char>(text[at])]];
        ++at;
        for (std::uint32_t i = m_output_begin[state]; i < m_output_begin[state + 1]; ++i) {
          std::uint32_t keyword = m_outputs[i];
          visit(keyword, at - m_lengths[keyword], at);
        }
      } while (state != 0 && at < text.size());
    }
  }

  bool found_in(std::string_view text) const;

  // The next place from `at` on where a keyword may begin; text.size() when there is none.
  std::size_t next_start(std::string_view text, std::size_t at) const;

private:
  // What a piece of three bytes may be, a bit each: that at 0, 1 and 2 of a keyword of five bytes
  // and more (bits 0 to 2), that at 0 and 1 of one of four (3 and 4), all of one of three (5).
  static constexpr std::size_t k_pieces = 1u << 13;

  void add_pieces(std::string_view keyword);
  std::uint64_t starts_in(const char* sixteen) const;
  void add_states(std::span<const std::string> keywords);
  void link_states();

  std::array<std::uint8_t, 256> m_class = {}; // 0: in no keyword
  std::uint32_t m_classes = 1;
  std::vector<std::uint32_t> m_next = {0}; // state * m_classes + class -> state
  std::vector<std::vector<std::uint32_t>> m_ends = {};
  std::vector<std::uint32_t> m_output_begin = {0, 0};
  std::vector<std::uint32_t> m_outputs = {};
  std::vector<std::uint32_t> m_lengths = {};
  std::vector<std::uint8_t> m_pieces = {};
};

} // namespace upskill::redact
