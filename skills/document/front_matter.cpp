#include "skills/document/front_matter.h"

#include <algorithm>

namespace upskill::document {
namespace {

constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view k_fence = "---";
constexpr std::string_view k_blank = " \t";

// What stands between the fence at `at` and its newline, without a final CR.
std::string_view rest_of_line(std::string_view text, std::size_t at) {
  std::size_t end = std::min(text.find('\n', at), text.size());
  std::string_view rest = text.substr(at, end - at);
  if (rest.ends_with('\r')) {
    rest.remove_suffix(1);
  }
  return rest;
}

std::string_view after_line(std::string_view text, std::size_t at) {
  std::size_t end = text.find('\n', at);
  return end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(k_blank) == std::string_view::npos;
}

// Fills yaml and body once the opening fence's line is found; `closes` says whether the rest of a
// line that begins with `---` makes it a fence.
template <class Closes>
void find_closing_fence(FrontMatterSplit& split, std::string_view rest, Closes closes) {
  split.state = FenceState::unclosed;
  split.yaml = rest;
  split.body = {};
  std::size_t at = 0;
  while (true) {
    if (rest.substr(at).starts_with(k_fence)) {
      std::string_view tail = rest_of_line(rest, at + k_fence.size());
      if (closes(tail)) {
        split.state = FenceState::closed;
        split.yaml = rest.substr(0, at);
        split.body = after_line(rest, at);
        return;
      }
    }
    at = rest.find("\n---", at);
    if (at == std::string_view::npos) {
      return;
    }
    ++at;
  }
}

template <class Closes> FrontMatterSplit split_tolerantly(std::string_view bytes, Closes closes) {
  FrontMatterSplit split;
  std::string_view text = bytes;
  if (text.starts_with(k_byte_order_mark)) {
    split.byte_order_mark = true;
    text.remove_prefix(k_byte_order_mark.size());
  }
  split.body = text;
  std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (!text.substr(start).starts_with(k_fence)) {
    return split;
  }
  std::string_view tail = rest_of_line(text, start + k_fence.size());
  if (!is_blank(tail)) {
    return split;
  }
  split.leading_blank = start > 0;
  split.opening_blank = !tail.empty();
  split.yaml_line =
      2 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + start, '\n'));
  find_closing_fence(split, after_line(text, start), closes);
  return split;
}

bool is_anything(std::string_view) {
  return true;
}

} // namespace

FrontMatterSplit split_front_matter(std::string_view bytes) {
  return split_tolerantly(bytes, is_blank);
}

FrontMatterSplit split_at_prefix(std::string_view bytes) {
  return split_tolerantly(bytes, is_anything);
}

FrontMatterSplit split_as_reference(std::string_view text) {
  FrontMatterSplit split;
  split.body = text;
  split.yaml_line = 1;
  if (!text.starts_with(k_fence)) {
    return split;
  }
  std::string_view rest = text.substr(k_fence.size());
  std::size_t close = rest.find(k_fence);
  if (close == std::string_view::npos) {
    split.state = FenceState::unclosed;
    split.yaml = rest;
    split.body = {};
    return split;
  }
  split.state = FenceState::closed;
  split.yaml = rest.substr(0, close);
  split.body = rest.substr(close + k_fence.size());
  return split;
}

FrontMatterSplit split_exactly(std::string_view bytes) {
  FrontMatterSplit split;
  split.body = bytes;
  if (!bytes.starts_with(k_fence) || !rest_of_line(bytes, k_fence.size()).empty()) {
    return split;
  }
  find_closing_fence(split, after_line(bytes, 0), is_anything);
  return split;
}

} // namespace upskill::document
