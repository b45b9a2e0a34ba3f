#include "skills/install/skill_front.h"

#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/document/document.h"
#include "skills/library/beneath.h"

#include <fcntl.h>
#include <unistd.h>
#include <utf8proc.h>

#include <cerrno>

namespace upskill::install {
namespace {

constexpr std::size_t k_first_bytes = 8u << 10; // nearly every front matter ends within
constexpr std::size_t k_most_bytes = document::k_max_front_matter + (4u << 10);
constexpr std::size_t k_name_bytes = 256;
constexpr std::size_t k_description_bytes = 4096;

// Appends up to `most` bytes; false at the end of the file, or on a failure.
bool read_more(int fd, std::string& bytes, std::size_t most) {
  std::size_t used = bytes.size();
  bytes.resize(most);
  while (used < most) {
    ssize_t got = ::read(fd, bytes.data() + used, most - used);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      break;
    }
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return used == most;
}

bool is_shown(utf8proc_int32_t point) {
  bool selects_variant =
      (point >= 0xFE00 && point <= 0xFE0F) || (point >= 0xE0100 && point <= 0xE01EF);
  switch (utf8proc_category(point)) {
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_CF: // marks of direction, joiners, tags
  case UTF8PROC_CATEGORY_CN:
  case UTF8PROC_CATEGORY_CS:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
  case UTF8PROC_CATEGORY_ZS:
    return false;
  default:
    return !selects_variant;
  }
}

} // namespace

SkillFront read_front(int folder) {
  UniqueFd file = library::open_beneath(folder, "SKILL.md", O_RDONLY);
  if (!file) {
    file = library::open_beneath(folder, "skill.md", O_RDONLY);
  }
  if (!file) {
    return {};
  }
  std::string bytes;
  bool has_more = read_more(file.get(), bytes, k_first_bytes);
  if (has_more && document::split_front_matter(bytes).state != document::FenceState::closed) {
    read_more(file.get(), bytes, k_most_bytes);
  }
  document::Document document = document::read_document(bytes);
  return {one_line(document.name, k_name_bytes),
          one_line(document.description, k_description_bytes)};
}

std::string one_line(std::string_view text, std::size_t bytes) {
  std::string valid = to_valid_utf8(text);
  std::string line;
  for (std::size_t at = 0; at < valid.size();) {
    utf8proc_int32_t point = 0;
    utf8proc_ssize_t size =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()) + at,
                         static_cast<utf8proc_ssize_t>(valid.size() - at),
                         &point);
    std::size_t length = size > 0 ? static_cast<std::size_t>(size) : 1;
    if (size > 0 && is_shown(point)) {
      line.append(valid, at, length);
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
    at += length;
  }
  line.resize(utf8_prefix(line, bytes).size());
  while (line.ends_with(' ')) {
    line.pop_back();
  }
  return line;
}

} // namespace upskill::install
