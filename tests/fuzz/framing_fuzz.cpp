#include "protocol/rpc/framing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t k_limit = 64;

// What framing must answer, said the slow way: cut at newlines, judge each line.
std::vector<std::string> expected_lines(std::string_view stream) {
  std::vector<std::string> lines;
  while (!stream.empty()) {
    std::size_t end = stream.find('\n');
    std::string_view line = stream.substr(0, end);
    bool is_whole = end != std::string_view::npos;
    stream.remove_prefix(is_whole ? end + 1 : stream.size());
    if (line.size() > k_limit) {
      lines.emplace_back("<oversized>");
    } else if (is_whole) {
      line.remove_suffix(!line.empty() && line.back() == '\r' ? 1 : 0);
      if (!line.empty()) {
        lines.emplace_back(line);
      }
    }
  }
  return lines;
}

} // namespace

// The first byte chooses the size of the pieces, the rest is the stream.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::size_t piece = data[0] % 100u + 1u;
  std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  upskill::rpc::Framing framing(k_limit);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    framing.feed(stream.substr(at, piece));
    while (auto line = framing.next()) {
      lines.push_back(line->oversized ? "<oversized>" : std::string(line->text));
    }
    if (framing.capacity() > 8 * (k_limit + piece)) {
      std::abort();
    }
  }
  if (lines != expected_lines(stream)) {
    std::abort();
  }
  return 0;
}
