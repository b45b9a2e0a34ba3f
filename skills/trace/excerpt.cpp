#include "skills/trace/excerpt.h"

#include "protocol/base/utf8.h"
#include "skills/trace/injected_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace upskill::trace {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks(" \t\r\n\v\f\0", 7);
  std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// The last `bytes` that do not cut a code point.
std::string_view utf8_suffix(std::string_view text, std::size_t bytes) {
  std::size_t at = text.size() - std::min(bytes, text.size());
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
    ++at;
  }
  return text.substr(at);
}

void clean(std::string& text, TextFilter* filter) {
  if (filter != nullptr) {
    filter->clean(text);
  }
}

std::string joined(std::string_view head, std::string_view tail, std::uint64_t missing) {
  std::string text(head);
  text += "[\u2026 " + grouped(missing) + " bytes \u2026]";
  text += tail;
  return text;
}

std::string cut_whole(std::string text, Cut cut, TextFilter* filter) {
  clean(text, filter);
  std::string_view kept = trimmed(text);
  if (kept.size() <= cut.head + cut.tail) {
    return std::string(kept);
  }
  std::string_view head = utf8_prefix(kept, cut.head);
  std::string_view tail = utf8_suffix(kept, cut.tail);
  return joined(head, tail, kept.size() - head.size() - tail.size());
}

// Of a text that is much longer than what is kept of it: what lies near the windows' edges may be
// half a secret, so it never gets into what is kept.
std::string
cut_windows(std::string head, std::string tail, std::uint64_t size, Cut cut, TextFilter* filter) {
  clean(head, filter);
  clean(tail, filter);
  std::size_t head_room = head.size() - std::min(head.size(), k_cut_margin);
  std::size_t tail_room = tail.size() - std::min(tail.size(), k_cut_margin);
  std::string_view first = utf8_prefix(head, std::min(cut.head, head_room));
  std::string_view last = utf8_suffix(tail, std::min(cut.tail, tail_room));
  return joined(first, last, size - first.size() - last.size());
}

bool is_short(std::size_t size, Cut cut) {
  return size <= cut.head + cut.tail + 2 * k_cut_margin;
}

} // namespace

std::string excerpt(std::string text, Cut cut, TextFilter* filter) {
  strip_injected(text);
  text = std::string(trimmed(text));
  if (is_short(text.size(), cut)) {
    return cut_whole(std::move(text), cut, filter);
  }
  std::string head(utf8_prefix(text, cut.head + k_cut_margin));
  std::string tail(cut.tail == 0 ? std::string_view{} : utf8_suffix(text, cut.tail + k_cut_margin));
  return cut_windows(std::move(head), std::move(tail), text.size(), cut, filter);
}

std::string excerpt(const Text& text, Cut cut, TextFilter* filter) {
  if (is_short(text.raw_size(), cut) || may_hold_injected(text)) {
    return excerpt(text.decoded(), cut, filter);
  }
  std::string head = text.decoded(cut.head + k_cut_margin);
  std::string tail = cut.tail == 0 ? std::string{} : text.decoded_end(cut.tail + k_cut_margin);
  // What is not decoded may be shorter than it looks.
  if (head.size() + tail.size() < cut.head + cut.tail + k_cut_margin) {
    return excerpt(text.decoded(), cut, filter);
  }
  return cut_windows(std::move(head), std::move(tail), text.raw_size(), cut, filter);
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

} // namespace upskill::trace
