#include "skills/install/unpack.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/utf8.h"
#include "skills/install/archive_path.h"
#include "skills/install/inflate.h"
#include "skills/install/unpack_tar.h"
#include "skills/install/unpack_target.h"
#include "skills/install/zip_directory.h"

#include <functional>

namespace upskill::install {
namespace {

using Take = std::function<Result<void>(std::string_view)>;

// Hands on the bytes of an entry, which must be those that its headers promise: more of them is
// seen before it is handed on.
Result<void> each_piece(const ZipEntry& entry, const Take& take) {
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;
  auto take_piece = [&](std::string_view piece) -> Result<void> {
    size += piece.size();
    checksum = crc32_of(piece, checksum);
    return size > entry.size ? Result<void>() : take(piece);
  };
  if (entry.is_deflated) {
    Inflate inflate(entry.packed, Inflate::Form::raw);
    for (bool is_at_end = false; !is_at_end && size <= entry.size;) {
      TRY_ASSIGN(std::string_view piece, inflate.next());
      is_at_end = piece.empty();
      TRY(take_piece(piece));
    }
  } else {
    TRY(take_piece(entry.packed));
  }
  if (size != entry.size || checksum != entry.checksum) {
    return fail(ErrorCode::corrupt,
                "the zip is damaged: " + in_backticks(utf8_prefix(entry.name, 200))
                    + " is not what its checksum says",
                "get it or make it again");
  }
  return {};
}

Result<void> unpack_entry(const ZipEntry& entry, UnpackTarget& target) {
  if (entry.kind == ZipEntry::Kind::folder) {
    return target.add_folder(entry.name);
  }
  if (entry.kind == ZipEntry::Kind::link) {
    if (entry.size > k_longest_archive_path) {
      return fail(ErrorCode::refused, "the zip has a link with a target of over 4096 bytes");
    }
    std::string link;
    TRY(each_piece(entry, [&](std::string_view piece) -> Result<void> {
      link += piece;
      return {};
    }));
    return target.add_link(entry.name, link);
  }
  TRY(target.begin_file(entry.name, entry.is_program));
  TRY(each_piece(entry, [&](std::string_view piece) { return target.write(piece); }));
  return target.end_file();
}

Result<void> unpack_zip(std::string_view bytes, UnpackTarget& target, const UnpackLimits& limits) {
  TRY_ASSIGN(std::vector<ZipEntry> entries, read_zip_directory(bytes, limits.files));
  if (entries.empty()) {
    return fail(ErrorCode::corrupt, "the zip is empty");
  }
  for (const ZipEntry& entry : entries) {
    TRY(unpack_entry(entry, target));
  }
  return {};
}

} // namespace

Result<void>
unpack(const std::string& archive, const std::string& into, const UnpackLimits& limits) {
  TRY_ASSIGN(std::string bytes, read_file(archive, limits.packed_bytes));
  TRY_ASSIGN(UnpackTarget target, UnpackTarget::open(into, limits));
  return is_zip(bytes) ? unpack_zip(bytes, target, limits) : unpack_tar(bytes, target, limits);
}

} // namespace upskill::install
