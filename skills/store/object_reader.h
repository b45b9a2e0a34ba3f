#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"
#include "skills/store/object_entry.h"
#include "skills/store/tar_header.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::store {

struct ObjectMember {
  std::string path;
  ObjectKind kind = ObjectKind::file;
  std::uint64_t size = 0;  // bytes of a file
  std::string target = {}; // of a link

  friend bool operator==(const ObjectMember&, const ObjectMember&) = default;
};

// Reads one object from front to back. The file is not trusted: what put() would not have written
// (order, paths, kinds, sizes, checksums, a missing end) is corrupt. Bytes of files are given as
// they are: who cares compares their hash.
class ObjectReader {
public:
  // `name` is for messages.
  static Result<ObjectReader> open(UniqueFd file, std::string name);

  // The next member; nothing after the last.
  Result<std::optional<ObjectMember>> next();
  // The current member's bytes; each call from the start.
  Result<std::string> bytes();
  // The same in pieces of at most 64 KiB.
  Result<void> each_piece(const std::function<Result<void>(std::string_view)>& take);

private:
  ObjectReader(UniqueFd file, std::string name, std::uint64_t file_size)
      : m_file(std::move(file))
      , m_name(std::move(name))
      , m_file_size(file_size) {}

  // Through the window, or past it.
  Result<void> read_at(std::uint64_t offset, char* out, std::size_t count);
  Result<void> read_file_at(std::uint64_t offset, char* out, std::size_t count);
  // Places the current member's bytes, and what follows them.
  Result<void> place(std::uint64_t size);
  Result<ExtendedHeader> read_extended(std::uint64_t size);
  Result<void> check_end();
  tl::unexpected<Error> corrupt(std::string_view why) const;

  UniqueFd m_file;
  std::string m_name;
  std::uint64_t m_file_size;
  std::uint64_t m_next = 0;    // offset of the next header
  std::uint64_t m_content = 0; // offset and size of the current member's bytes
  std::uint64_t m_size = 0;
  std::uint64_t m_total = 0; // bytes and members so far, against the bounds
  std::uint64_t m_members = 0;
  std::string m_last_path = {};
  std::string m_window = {}; // read ahead, because headers are small and many
  std::uint64_t m_window_at = 0;
};

} // namespace upskill::store
