#include "skills/generate/reply_document.h"

#include "protocol/base/utf8.h"
#include "skills/document/front_matter.h"
#include "skills/document/unicode.h"
#include "skills/generate/draft_files.h"
#include "skills/generate/visible_text.h"

#include <algorithm>
#include <array>

namespace upskill::generate {
namespace {

constexpr std::string_view k_emphasis = "*_` \t";
constexpr std::array<std::string_view, 2> k_keys{"name", "description"};

std::string_view without_front(std::string_view text, std::string_view characters) {
  return text.substr(std::min(text.find_first_not_of(characters), text.size()));
}

std::string_view without_end(std::string_view text, std::string_view characters) {
  return text.substr(0, text.find_last_not_of(characters) + 1);
}

bool is_front_matter_line(std::string_view line) {
  return line.starts_with("---") && is_blank(line.substr(3));
}

// Whether the `---` at `at` begins a front matter, and no part of the words around it.
bool begins_front_matter(Lines lines, std::size_t at) {
  constexpr std::size_t k_most_lines = 50;
  if (!is_front_matter_line(lines[at])) {
    return false;
  }
  std::size_t last = std::min(lines.size(), at + k_most_lines);
  for (std::size_t i = at + 1; i < last && !is_front_matter_line(lines[i]); ++i) {
    std::string_view line = without_front(lines[i], "\"' \t");
    if (std::ranges::any_of(k_keys, [&](std::string_view key) {
          return line.starts_with(key)
                 && without_front(line.substr(key.size()), "\"' \t").starts_with(':');
        })) {
      return true;
    }
  }
  return false;
}

// Whether a document without front matter may begin with this line.
bool begins_text(std::string_view line) {
  return is_heading(line) || std::ranges::any_of(k_keys, [&](std::string_view key) {
           return !loose_field(line, key).empty();
         });
}

struct Start {
  std::size_t line = 0;
  std::optional<std::size_t> fence = {}; // the line that opens the fence around it
};

std::optional<Start> find_front_matter(Lines lines) {
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (!begins_front_matter(lines, at)) {
      continue;
    }
    std::size_t before = at;
    while (before > 0 && is_blank(lines[before - 1])) {
      --before;
    }
    Start start{at, std::nullopt};
    if (before > 0 && fence_of(lines[before - 1])) {
      start.fence = before - 1;
    }
    return start;
  }
  return std::nullopt;
}

std::optional<Start> find_text(Lines lines) {
  constexpr std::array<std::string_view, 3> k_languages{"", "markdown", "md"};
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (begins_text(lines[at])) {
      return Start{at, std::nullopt};
    }
    std::optional<Fence> fence = fence_of(lines[at]);
    if (!fence) {
      continue;
    }
    std::size_t first = next_text(lines, at + 1);
    if (first < lines.size() && begins_text(lines[first])
        && std::ranges::find(k_languages, document::fold_case(fence->info)) != k_languages.end()) {
      return Start{first, at};
    }
    at = end_of_block(lines, at); // the lines of another block are no headings
  }
  return std::nullopt;
}

// A fence round the front matter alone, and the body behind it.
bool is_front_matter_alone(Lines lines) {
  std::string text = join_lines(lines);
  document::FrontMatterSplit parts = document::split_front_matter(text);
  return parts.state == document::FenceState::closed && document::strip(parts.body).empty();
}

} // namespace

bool is_heading(std::string_view line) {
  std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= 6 && line.substr(level).starts_with(' ')
         && !is_blank(line.substr(level));
}

std::string_view loose_field(std::string_view line, std::string_view key) {
  line = without_front(line, "*_->` \t");
  if (document::fold_case(line.substr(0, key.size())) != key) {
    return {};
  }
  line = without_front(line.substr(key.size()), k_emphasis);
  if (!line.starts_with(':')) {
    return {};
  }
  line = without_end(without_front(line.substr(1), k_emphasis), k_emphasis);
  bool is_quoted = line.size() > 1 && line.front() == line.back()
                   && (line.front() == '"' || line.front() == '\'');
  return is_quoted ? line.substr(1, line.size() - 2) : line;
}

std::optional<ReplyDocument> find_document(Lines reply, std::string_view mark) {
  std::optional<Start> start = find_front_matter(reply);
  start = start ? start : find_text(reply);
  if (!start) {
    return std::nullopt;
  }
  ReplyDocument found;
  Lines document = reply.subspan(start->line);
  Lines tail;
  if (start->fence) {
    std::size_t end = end_of_block(reply, *start->fence);
    found.is_unclosed = end == reply.size();
    document = reply.subspan(start->line, end - start->line);
    tail = reply.subspan(std::min(end + 1, reply.size()));
  }
  std::size_t files = find_files(document, mark);
  found.document.assign(document.begin(), document.begin() + static_cast<std::ptrdiff_t>(files));
  found.rest.assign(document.begin() + static_cast<std::ptrdiff_t>(files), document.end());
  std::size_t behind = find_files(tail, mark);
  if (found.rest.empty() && is_front_matter_alone(found.document)) {
    found.document.insert(
        found.document.end(), tail.begin(), tail.begin() + static_cast<std::ptrdiff_t>(behind));
  }
  found.rest.insert(
      found.rest.end(), tail.begin() + static_cast<std::ptrdiff_t>(behind), tail.end());
  return found;
}

std::optional<NotWarranted> find_refusal(Lines reply) {
  constexpr std::size_t k_most_reason = 500; // bytes
  std::size_t at = next_text(reply, 0);
  if (at < reply.size() && !find_document(reply, {}) && !fence_of(reply[at])) {
    // Words, and the answer in a fence.
    std::size_t fence = at;
    while (fence < reply.size() && !fence_of(reply[fence])) {
      ++fence;
    }
    at = reply[at].find(k_no_skill) == std::string_view::npos ? fence : at;
  }
  if (at < reply.size() && fence_of(reply[at])) {
    at = next_text(reply, at + 1);
  }
  if (at == reply.size()) {
    return std::nullopt;
  }
  std::string_view line = without_front(reply[at], "*_#>` \t");
  if (!line.starts_with(k_no_skill)) {
    return std::nullopt;
  }
  line = without_front(line.substr(k_no_skill.size()), k_emphasis);
  constexpr std::array<std::string_view, 4> k_separators{":", "-", ".", "\xE2\x80\x94"};
  auto is_next = [&](std::string_view separator) { return line.starts_with(separator); };
  auto separator = std::ranges::find_if(k_separators, is_next);
  if (!line.empty() && separator == k_separators.end()) {
    return std::nullopt; // `NO SKILLS ...`, or a title
  }
  std::string_view reason =
      line.empty() ? line : without_front(line.substr(separator->size()), k_emphasis);
  if (std::size_t next = next_text(reply, at + 1);
      reason.empty() && next < reply.size() && !fence_of(reply[next])) {
    reason = reply[next];
  }
  std::string told = one_line(without_end(reason, k_emphasis));
  return NotWarranted{told.empty() ? "no reason was given"
                                   : std::string(utf8_prefix(told, k_most_reason))};
}

} // namespace upskill::generate
