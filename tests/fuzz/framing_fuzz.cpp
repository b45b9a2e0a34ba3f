#include "daemon/session_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

using upskill::UniqueFd;
using upskill::daemon::Mapping;
using upskill::daemon::SessionMemory;

namespace {

constexpr std::size_t k_limit = 64;

// What must come out, said the slow way: cut at newlines, judge each line.
std::vector<std::string> expected_lines(std::string_view stream) {
  std::vector<std::string> lines;
  while (!stream.empty()) {
    std::size_t end = std::min(stream.find('\n'), stream.size());
    std::string_view line = stream.substr(0, end);
    stream.remove_prefix(std::min(end + 1, stream.size()));
    if (line.size() > k_limit) {
      lines.emplace_back("<oversized>");
      continue;
    }
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    if (!line.empty()) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

// The memory as the next daemon finds it after the death of the one before.
SessionMemory open_kept(int kept) {
  auto mapping = Mapping::of_memfd(UniqueFd(::dup(kept)), SessionMemory::k_size);
  auto memory =
      mapping ? SessionMemory::open(std::move(*mapping), k_limit) : upskill::fail(mapping.error());
  if (!memory) {
    std::abort();
  }
  return std::move(*memory);
}

void take_lines(SessionMemory& memory, std::vector<std::string>& lines) {
  for (;;) {
    SessionMemory::Line line = memory.next_line();
    switch (line.kind) {
    case SessionMemory::LineKind::none:
      memory.handled();
      return;
    case SessionMemory::LineKind::whole:
      lines.emplace_back(line.text);
      break;
    case SessionMemory::LineKind::oversized:
      lines.emplace_back("<oversized>");
      break;
    case SessionMemory::LineKind::interrupted:
      std::abort(); // nothing was being handled when we died
    }
  }
}

} // namespace

// The first byte chooses the size of the pieces, and whether the daemon dies after each of them;
// the rest is what a client sends. JSON holds no NUL, and what is read but not recorded is found
// by that, so bytes of zero are left out.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::size_t piece = data[0] % 100u + 1u;
  bool dies = data[0] >= 128;
  std::string stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::erase(stream, '\0');
  UniqueFd kept(::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  SessionMemory memory = open_kept(kept.get());
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    std::string_view part = std::string_view(stream).substr(at, piece);
    std::memcpy(memory.room().data(), part.data(), part.size());
    if (dies) {
      memory = open_kept(kept.get()); // before it could say how much arrived
    } else {
      memory.arrived(part.size());
    }
    take_lines(memory, lines);
  }
  memory.end_of_input();
  take_lines(memory, lines);
  if (lines != expected_lines(stream)) {
    std::abort();
  }
  return 0;
}
