#include "skills/trace/injected_text.h"

#include <array>
#include <string_view>

namespace upskill::trace {
namespace {

constexpr std::array<std::string_view, 7> k_tags = {
    "system-reminder",
    "user-prompt-submit-hook",
    "environment_context",
    "user_instructions",
    "ide_opened_file",
    "ide_selection",
    "available_skills",
};

enum class Edge { none, begin, end };

// What stands at `at`, where `<` is; `size` is the tag's.
Edge edge_at(std::string_view text, std::size_t at, std::string_view tag, std::size_t& size) {
  std::string_view rest = text.substr(at + 1);
  bool is_end = rest.starts_with('/');
  rest.remove_prefix(is_end ? 1 : 0);
  if (!rest.starts_with(tag)) {
    return Edge::none;
  }
  rest.remove_prefix(tag.size());
  // A beginning may have attributes; a longer name is another tag.
  if (rest.empty() || (rest[0] != '>' && rest[0] != ' ')) {
    return Edge::none;
  }
  std::size_t close = rest.substr(0, 256).find('>');
  if (close == std::string_view::npos) {
    return Edge::none;
  }
  size = 1 + (is_end ? 1 : 0) + tag.size() + close + 1;
  return is_end ? Edge::end : Edge::begin;
}

void strip_tag(std::string& text, std::string_view tag) {
  std::string kept;
  std::size_t depth = 0;
  std::size_t from = 0; // of what is to be kept
  std::string_view view = text;
  for (std::size_t at = view.find('<'); at != std::string_view::npos;) {
    std::size_t size = 1;
    Edge edge = edge_at(view, at, tag, size);
    if (edge == Edge::begin && depth++ == 0) {
      kept += view.substr(from, at - from);
    } else if (edge == Edge::end) {
      if (depth == 0) {
        kept.clear();
      } else {
        --depth;
      }
      from = at + size;
    }
    at = view.find('<', at + size);
  }
  if (depth == 0) {
    kept += view.substr(from);
  }
  text = std::move(kept);
}

bool holds_tag(std::string_view piece) {
  for (std::string_view tag : k_tags) {
    if (piece.find(tag) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// Whether any tag begins or ends in a decoded text; without one, stripping brings none to light.
// One pass: code is full of `<`, and hardly ever holds a tag.
bool has_tag(std::string_view text) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    std::string_view rest = text.substr(at + 1);
    rest.remove_prefix(rest.starts_with('/') ? 1 : 0);
    for (std::string_view tag : k_tags) {
      if (rest.starts_with(tag)) {
        return true;
      }
    }
  }
  return false;
}

} // namespace

bool may_hold_injected(const Text& text) {
  // Writers of JSON that escape `<` leave letters alone.
  bool holds = holds_tag(text.first);
  for (std::string_view piece : text.more) {
    holds = holds || holds_tag(piece);
  }
  return holds;
}

void strip_injected(std::string& text) {
  if (!has_tag(text)) {
    return;
  }
  for (std::string_view tag : k_tags) {
    if (text.find(tag) != std::string::npos) {
      strip_tag(text, tag);
    }
  }
}

} // namespace upskill::trace
