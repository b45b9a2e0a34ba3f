#include "skills/generate/reply_lines.h"

#include "skills/generate/draft_files.h"

#include <algorithm>

namespace upskill::generate {
namespace {

constexpr std::string_view k_blank = " \t";

std::string_view trim(std::string_view text) {
  std::size_t first = text.find_first_not_of(k_blank);
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(k_blank) + 1 - first);
}

} // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string join_lines(Lines lines) {
  std::string text;
  for (std::string_view line : lines) {
    text += line;
    text += '\n';
  }
  return text;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(k_blank) == std::string_view::npos;
}

std::size_t next_text(Lines lines, std::size_t from) {
  while (from < lines.size() && is_blank(lines[from])) {
    ++from;
  }
  return from;
}

std::optional<Fence> fence_of(std::string_view line) {
  constexpr std::size_t k_most_indented = 3;
  constexpr std::size_t k_least_length = 3;
  std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(indent);
  if (indent > k_most_indented || line.empty() || (line[0] != '`' && line[0] != '~')) {
    return std::nullopt;
  }
  Fence fence;
  fence.mark = line[0];
  fence.length = std::min(line.find_first_not_of(fence.mark), line.size());
  fence.info = trim(line.substr(fence.length));
  if (fence.length < k_least_length
      || (fence.mark == '`' && fence.info.find('`') != std::string_view::npos)) {
    return std::nullopt;
  }
  return fence;
}

std::size_t end_of_block(Lines lines, std::size_t open) {
  Fence outer = fence_of(lines[open]).value_or(Fence{});
  std::size_t inner = 0;               // the fence of the block within, while there is one
  std::size_t doubtful = lines.size(); // a fence that may have ended the whole
  for (std::size_t at = open + 1; at < lines.size(); ++at) {
    std::optional<Fence> fence = fence_of(lines[at]);
    if (!fence || fence->mark != outer.mark || fence->length < outer.length) {
      continue;
    }
    if (inner != 0) {
      inner = fence->info.empty() ? 0 : inner;
    } else if (!fence->info.empty()) {
      inner = at;
    } else if (at + 1 == lines.size() || is_blank(lines[at + 1]) || begins_file(lines[at + 1])) {
      return at;
    } else {
      inner = doubtful = at;
    }
  }
  return inner == doubtful ? inner : lines.size();
}

} // namespace upskill::generate
