#include "daemon/evals/answer_file.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace upskill::evals {
namespace {

struct Fence {
  char character = '`';
  std::size_t length = 0;
  std::string_view info = {};
};

std::optional<Fence> fence_of(std::string_view line) {
  std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  if (begin > 3 || begin == line.size() || (line[begin] != '`' && line[begin] != '~')) {
    return std::nullopt;
  }
  Fence fence;
  fence.character = line[begin];
  std::size_t end = std::min(line.find_first_not_of(fence.character, begin), line.size());
  fence.length = end - begin;
  fence.info = line.substr(end);
  while (!fence.info.empty() && (fence.info.back() == ' ' || fence.info.back() == '\r')) {
    fence.info.remove_suffix(1);
  }
  // What has backticks behind it is code within a line.
  bool is_inline = fence.character == '`' && fence.info.find('`') != std::string_view::npos;
  return fence.length >= 3 && !is_inline ? std::optional(fence) : std::nullopt;
}

} // namespace

std::string_view file_of_answer(std::string_view answer) {
  std::size_t blocks = 0;
  std::string_view content;
  std::optional<Fence> open;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < answer.size();) {
    std::size_t end = std::min(answer.find('\n', at), answer.size());
    std::optional<Fence> fence = fence_of(answer.substr(at, end - at));
    std::size_t next = std::min(end + 1, answer.size());
    if (!open && fence) {
      open = fence;
      begin = next;
    } else if (open && fence && fence->character == open->character && fence->length >= open->length
               && fence->info.empty()) {
      ++blocks;
      content = answer.substr(begin, at - begin);
      open.reset();
    }
    at = next;
  }
  return blocks == 1 && !open ? content : answer;
}

} // namespace upskill::evals
