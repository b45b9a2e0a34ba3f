#include "skills/redact/key_block.h"

#include <algorithm>

namespace upskill::redact {
namespace {

constexpr std::size_t k_line = 16;        // base64 in a row: a line, however it was wrapped
constexpr std::size_t k_least_body = 40;  // bytes of lines; the shortest key there is has 64
constexpr std::size_t k_longest_gap = 96; // between two lines; headers of old PEM files are there
constexpr std::size_t k_longest_foot = 80;
constexpr std::string_view k_dashes = "-----";

bool is_base64(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+'
         || c == '/' || c == '=';
}

bool is_break(char c) {
  return c == '\n' || c == '\r' || c == '\\';
}

struct Lines {
  std::size_t end = 0;   // of the last of them
  std::size_t bytes = 0; // in them
  bool to_the_end = false;
};

// Lines from the start of what `byte` tells, `size` bytes of it in the direction that it goes.
template <class Byte> Lines read_lines(std::size_t size, Byte byte) {
  Lines lines;
  std::size_t run = 0;
  std::size_t dashes = 0;
  for (std::size_t i = 0; i < size && i - lines.end <= k_longest_gap; ++i) {
    char c = byte(i);
    dashes = c == '-' ? dashes + 1 : 0;
    if (c == '[' || dashes == k_dashes.size()) {
      return lines;
    }
    run = is_base64(c) ? run + 1 : 0;
    if (run >= k_line) {
      lines.bytes += run == k_line ? k_line : 1;
      lines.end = i + 1;
    }
  }
  lines.to_the_end = size - lines.end <= k_longest_gap;
  return lines;
}

// The last line may be a short one.
std::size_t with_short_line(std::string_view text, std::size_t end) {
  std::size_t at = end;
  while (at < text.size() && at < end + 4
         && (is_break(text[at]) || (at > end && text[at] == 'n'))) {
    ++at;
  }
  if (at == end) {
    return end;
  }
  std::size_t stop = at;
  while (stop < text.size() && is_base64(text[stop])) {
    ++stop;
  }
  bool is_line = stop == text.size() || is_break(text[stop]) || text[stop] == '"';
  return is_line && stop - at < k_line ? stop : end;
}

// Where the foot ends that follows at or behind `end`; 0 where none does.
std::size_t foot_behind(std::string_view text, std::size_t end) {
  std::string_view near = text.substr(end, k_longest_gap + k_longest_foot);
  std::size_t foot = near.find("-----END");
  if (foot == std::string_view::npos || foot > k_longest_gap) {
    return 0;
  }
  std::size_t close = near.find(k_dashes, foot + k_dashes.size());
  return close == std::string_view::npos ? end + near.size() : end + close + k_dashes.size();
}

BlockPart read_block(std::string_view text, std::size_t least) {
  Lines lines = read_lines(text.size(), [&](std::size_t i) { return text[i]; });
  std::size_t foot = foot_behind(text, lines.end);
  if (foot != 0) {
    return lines.bytes < least ? BlockPart{} : BlockPart{foot, false};
  }
  std::size_t end = with_short_line(text, lines.end);
  bool is_open = end == text.size() || std::ranges::all_of(text.substr(end), [](char c) {
                   return is_break(c) || c == ' ';
                 });
  if (lines.bytes < (is_open ? std::min(least, k_line) : least)) {
    return {};
  }
  return {end, is_open};
}

} // namespace

BlockPart block_behind(std::string_view text) {
  return read_block(text, k_least_body);
}

BlockPart block_before(std::string_view text) {
  Lines lines = read_lines(text.size(), [&](std::size_t i) { return text[text.size() - 1 - i]; });
  return lines.bytes < k_least_body ? BlockPart{} : BlockPart{lines.end, false};
}

BlockPart block_continued(std::string_view text) {
  // The first line may be the rest of one, and the last one may be all there is.
  std::size_t rest = 0;
  while (rest < text.size() && rest < k_line && is_base64(text[rest])) {
    ++rest;
  }
  BlockPart part = read_block(text, k_line);
  if (part.size != 0 || rest == 0 || rest == k_line) {
    return part;
  }
  std::size_t foot = foot_behind(text, rest);
  bool is_foot_next = foot != 0 && text.substr(rest, 8).find('-') != std::string_view::npos;
  return is_foot_next ? BlockPart{foot, false} : BlockPart{};
}

} // namespace upskill::redact
