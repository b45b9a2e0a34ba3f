#include "skills/redact/prefilter.h"

#include <algorithm>
#include <bit>
#include <deque>

namespace upskill::redact {
namespace {

constexpr std::uint64_t k_case = 0x2020202020202020;
constexpr std::uint64_t k_each = 0x0101010101010101;
constexpr std::size_t k_looked_at = 6; // places of which one look tells
constexpr std::size_t k_shown = 16;    // bytes that one look may read

// Byte 0 in the lowest bits, on every machine. Letters lose their case, and other bytes may fall
// together: the automaton decides.
std::uint64_t load_eight(const char* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (std::endian::native == std::endian::big) {
    value = __builtin_bswap64(value);
  }
  return value | k_case;
}

// Every 13 bits of it, from bit 8 * i on, mix the three bytes from i on.
std::uint64_t mix(std::uint64_t eight) {
  return eight ^ eight >> 11;
}

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

} // namespace

Prefilter::Prefilter(std::span<const std::string> keywords) {
  for (const std::string& keyword : keywords) {
    m_lengths.push_back(static_cast<std::uint32_t>(keyword.size()));
    for (char c : keyword) {
      std::uint8_t& known = m_class[static_cast<unsigned char>(c)];
      if (known == 0) {
        known = static_cast<std::uint8_t>(m_classes++);
      }
      m_class[static_cast<unsigned char>(upper(c))] = known;
    }
  }
  add_states(keywords);
  link_states();
}

void Prefilter::add_states(std::span<const std::string> keywords) {
  m_pieces.assign(k_pieces, 0);
  m_next.assign(m_classes, 0);
  m_ends.assign(1, {});
  for (std::uint32_t i = 0; i < keywords.size(); ++i) {
    std::uint32_t state = 0;
    for (char c : keywords[i]) {
      std::size_t edge = state * m_classes + m_class[static_cast<unsigned char>(c)];
      if (m_next[edge] == 0) {
        m_next[edge] = static_cast<std::uint32_t>(m_ends.size());
        m_ends.emplace_back();
        m_next.resize(m_next.size() + m_classes, 0);
      }
      state = m_next[edge];
    }
    m_ends[state].push_back(i);
    add_pieces(keywords[i]);
  }
}

void Prefilter::add_pieces(std::string_view keyword) {
  char bytes[8] = {};
  keyword.copy(bytes, sizeof bytes);
  std::uint64_t mixed = mix(load_eight(bytes));
  auto mark = [&](std::size_t piece, unsigned bit) {
    m_pieces[mixed >> 8 * piece & (k_pieces - 1)] |= static_cast<std::uint8_t>(1u << bit);
  };
  if (keyword.size() == k_shortest_keyword) {
    mark(0, 5);
  } else if (keyword.size() == k_shortest_keyword + 1) {
    mark(0, 3);
    mark(1, 4);
  } else {
    mark(0, 0);
    mark(1, 1);
    mark(2, 2);
  }
}

// Breadth first, so that the state a failure leads to is complete when it is needed.
void Prefilter::link_states() {
  std::vector<std::uint32_t> failure(m_ends.size(), 0);
  std::deque<std::uint32_t> waiting;
  for (std::uint32_t c = 0; c < m_classes; ++c) {
    if (m_next[c] != 0) {
      waiting.push_back(m_next[c]);
    }
  }
  while (!waiting.empty()) {
    std::uint32_t state = waiting.front();
    waiting.pop_front();
    const std::vector<std::uint32_t>& shorter = m_ends[failure[state]];
    m_ends[state].insert(m_ends[state].end(), shorter.begin(), shorter.end());
    for (std::uint32_t c = 0; c < m_classes; ++c) {
      std::uint32_t& next = m_next[state * m_classes + c];
      std::uint32_t fallback = m_next[failure[state] * m_classes + c];
      if (next == 0) {
        next = fallback;
      } else {
        failure[next] = fallback;
        waiting.push_back(next);
      }
    }
  }
  m_output_begin.assign(1, 0);
  for (const std::vector<std::uint32_t>& ends : m_ends) {
    m_outputs.insert(m_outputs.end(), ends.begin(), ends.end());
    m_output_begin.push_back(static_cast<std::uint32_t>(m_outputs.size()));
  }
  m_ends.clear();
}

// The lowest bit of byte i says that a keyword may begin at i, for i below k_looked_at.
std::uint64_t Prefilter::starts_in(const char* sixteen) const {
  std::uint64_t first = mix(load_eight(sixteen));
  std::uint64_t second = mix(load_eight(sixteen + k_looked_at));
  std::uint64_t pieces = 0;
  for (unsigned i = 0; i < k_looked_at; ++i) {
    pieces |= std::uint64_t{m_pieces[first >> 8 * i & (k_pieces - 1)]} << 8 * i;
  }
  pieces |= std::uint64_t{m_pieces[second & (k_pieces - 1)]} << 48;
  pieces |= std::uint64_t{m_pieces[second >> 8 & (k_pieces - 1)]} << 56;
  // Bit 1 of the next byte comes to bit 0 of this one, bit 2 of the one after it too, and so on.
  std::uint64_t five = pieces & pieces >> 9 & pieces >> 18;
  std::uint64_t four = pieces >> 3 & pieces >> 12;
  std::uint64_t three = pieces >> 5;
  return (five | four | three) & (k_each >> 8 * (8 - k_looked_at));
}

std::size_t Prefilter::next_start(std::string_view text, std::size_t at) const {
  if (m_lengths.empty()) {
    return text.size();
  }
  for (; at + k_shown <= text.size(); at += k_looked_at) {
    if (std::uint64_t found = starts_in(text.data() + at); found != 0) {
      return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    }
  }
  for (; at < text.size(); at += k_looked_at) {
    char rest[k_shown] = {};
    text.copy(rest, k_shown, at);
    if (std::uint64_t found = starts_in(rest); found != 0) {
      return std::min(at + static_cast<std::size_t>(std::countr_zero(found)) / 8, text.size());
    }
  }
  return text.size();
}

bool Prefilter::found_in(std::string_view text) const {
  bool found = false;
  scan(text, [&](std::uint32_t, std::size_t, std::size_t) { found = true; });
  return found;
}

} // namespace upskill::redact
