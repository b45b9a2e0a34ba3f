#include "skills/store/object_reader.h"

#include "protocol/base/bounds.h"
#include "skills/store/object_end.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace upskill::store {
namespace {

constexpr std::size_t k_piece = 64u << 10;
// Room for the longest path and target within the bounds.
constexpr std::uint64_t k_max_extended = 32u << 10;

bool is_zero(std::string_view block) {
  return block.find_first_not_of('\0') == std::string_view::npos;
}

std::optional<ObjectKind> kind_of(const TarHeader& header) {
  switch (header.type) {
  case TarType::folder:
    return ObjectKind::folder;
  case TarType::link:
    return ObjectKind::link;
  case TarType::file:
    return (header.mode & 0100) != 0 ? ObjectKind::executable : ObjectKind::file;
  case TarType::extended:
    break;
  }
  return std::nullopt;
}

} // namespace

Result<ObjectReader> ObjectReader::open(UniqueFd file, std::string name) {
  struct stat status {};

  if (::fstat(file.get(), &status) != 0) {
    return fail(system_error(errno, "cannot read `" + name + "`"));
  }
  ObjectReader reader(std::move(file), std::move(name), static_cast<std::uint64_t>(status.st_size));
  if (!S_ISREG(status.st_mode)) {
    return reader.corrupt("it is not a regular file");
  }
  if (whole_object_size(reader.m_file.get()) != reader.m_file_size) {
    return reader.corrupt("it is cut off");
  }
  return reader;
}

Result<std::optional<ObjectMember>> ObjectReader::next() {
  m_size = 0;
  std::string block(k_tar_block, '\0');
  TRY(read_at(m_next, block.data(), block.size()));
  if (is_zero(block)) {
    TRY(check_end());
    return std::optional<ObjectMember>();
  }
  std::optional<TarHeader> header = parse_tar_header(block);
  ExtendedHeader extended;
  if (header && header->type == TarType::extended) {
    TRY_ASSIGN(extended, read_extended(header->size));
    TRY(read_at(m_next, block.data(), block.size()));
    header = parse_tar_header(block);
  }
  std::optional<ObjectKind> kind = header ? kind_of(*header) : std::nullopt;
  if (!kind) {
    return corrupt("a header does not parse");
  }
  ObjectMember member{extended.path.value_or(std::move(header->path)),
                      *kind,
                      header->size,
                      extended.target.value_or(std::move(header->target))};
  if (extended.path && *kind == ObjectKind::folder && member.path.ends_with('/')) {
    member.path.pop_back();
  }
  Result<void> checked = check_object_entry(member.path, member.kind, member.size, member.target);
  if (!checked) {
    return corrupt(checked.error().message);
  }
  m_total += member.size;
  if (++m_members > k_max_skill_entries || m_total > k_max_skill_bytes) {
    return corrupt("it holds more than a skill may");
  }
  if (m_members > 1 && member.path <= m_last_path) {
    return corrupt("its members are out of order");
  }
  m_last_path = member.path;
  TRY(place(member.size));
  return std::optional(std::move(member));
}

Result<std::string> ObjectReader::bytes() {
  std::string bytes(m_size, '\0');
  TRY(read_at(m_content, bytes.data(), bytes.size()));
  return bytes;
}

Result<void> ObjectReader::each_piece(const std::function<Result<void>(std::string_view)>& take) {
  std::string piece(std::min<std::uint64_t>(m_size, k_piece), '\0');
  for (std::uint64_t at = 0; at < m_size;) {
    auto count = static_cast<std::size_t>(std::min<std::uint64_t>(m_size - at, k_piece));
    TRY(read_at(m_content + at, piece.data(), count));
    TRY(take(std::string_view(piece).substr(0, count)));
    at += count;
  }
  return {};
}

Result<void> ObjectReader::place(std::uint64_t size) {
  m_content = m_next + k_tar_block;
  // Sizes are bounded, so this does not overflow.
  m_next = m_content + tar_padded(size);
  if (m_next + k_object_end > m_file_size) {
    return corrupt("it is cut off");
  }
  m_size = size;
  return {};
}

Result<ExtendedHeader> ObjectReader::read_extended(std::uint64_t size) {
  if (size > k_max_extended) {
    return corrupt("an extended header is too long");
  }
  TRY(place(size));
  TRY_ASSIGN(std::string records, bytes());
  std::optional<ExtendedHeader> header = parse_extended_header(records);
  if (!header) {
    return corrupt("an extended header does not parse");
  }
  return std::move(*header);
}

Result<void> ObjectReader::check_end() {
  if (m_next + k_object_end != m_file_size) {
    return corrupt("its end is not where it must be");
  }
  return {};
}

Result<void> ObjectReader::read_at(std::uint64_t offset, char* out, std::size_t count) {
  if (offset + count > m_file_size) {
    return corrupt("it is cut off");
  }
  if (offset >= m_window_at && offset + count <= m_window_at + m_window.size()) {
    std::memcpy(out, m_window.data() + (offset - m_window_at), count);
    return {};
  }
  if (count >= k_piece) {
    return read_file_at(offset, out, count);
  }
  m_window.resize(std::min<std::uint64_t>(k_piece, m_file_size - offset));
  m_window_at = offset;
  Result<void> read = read_file_at(offset, m_window.data(), m_window.size());
  if (!read) {
    m_window.clear();
    return read;
  }
  std::memcpy(out, m_window.data(), count);
  return {};
}

Result<void> ObjectReader::read_file_at(std::uint64_t offset, char* out, std::size_t count) {
  while (count > 0) {
    ssize_t got = ::pread(m_file.get(), out, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return fail(system_error(errno, "cannot read `" + m_name + "`"));
    }
    if (got == 0) {
      return corrupt("it is cut off");
    }
    out += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return {};
}

tl::unexpected<Error> ObjectReader::corrupt(std::string_view why) const {
  return fail(ErrorCode::corrupt,
              "the stored version `" + m_name + "` is damaged: " + std::string(why));
}

} // namespace upskill::store
