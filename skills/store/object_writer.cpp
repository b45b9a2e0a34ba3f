#include "skills/store/object_writer.h"

#include "protocol/base/utf8.h"
#include "skills/store/object_end.h"
#include "skills/store/tar_header.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

namespace upskill::store {
namespace {

// Most skills fit, and are written by one call.
constexpr std::size_t k_buffer = 256u << 10;

TarHeader header_of(const ObjectEntry& entry) {
  TarHeader header;
  header.path = entry.path;
  header.size = entry.size;
  header.target = entry.target;
  switch (entry.kind) {
  case ObjectKind::folder:
    header.type = TarType::folder;
    header.mode = 0755;
    break;
  case ObjectKind::file:
    header.mode = 0644;
    break;
  case ObjectKind::executable:
    header.mode = 0755;
    break;
  case ObjectKind::link:
    header.type = TarType::link;
    header.mode = 0777;
    break;
  }
  return header;
}

tl::unexpected<Error> changed(const ObjectEntry& entry) {
  return fail(ErrorCode::changed,
              "`" + to_valid_utf8(entry.path) + "` was changed while it was read");
}

class Writer {
public:
  Writer(int fd, std::size_t expected)
      : m_fd(fd) {
    m_buffer.reserve(expected);
  }

  std::uint64_t written() const { return m_flushed + m_buffer.size(); }

  Result<void> write(std::string_view bytes) {
    if (m_buffer.size() + bytes.size() > k_buffer) {
      TRY(flush());
    }
    if (bytes.size() >= k_buffer) {
      return write_out(bytes);
    }
    m_buffer += bytes;
    return {};
  }

  Result<void> zeros(std::uint64_t count) {
    m_buffer.append(count, '\0');
    return {};
  }

  Result<void> flush() {
    TRY(write_out(m_buffer));
    m_buffer.clear();
    return {};
  }

private:
  Result<void> write_out(std::string_view bytes) {
    m_flushed += bytes.size();
    while (!bytes.empty()) {
      ssize_t written = ::write(m_fd, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written < 0) {
        return fail(system_error(errno, "cannot write a version of a skill"));
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

  int m_fd;
  std::string m_buffer = {};
  std::uint64_t m_flushed = 0; // bytes that went past or out of the buffer
};

Result<void> write_given(Writer& writer, const ObjectEntry& entry, std::string_view bytes) {
  if (bytes.size() != entry.size || (entry.content && sha256(bytes) != *entry.content)) {
    return changed(entry);
  }
  return writer.write(bytes);
}

// Exactly the entry's size: one byte more or less is a change.
Result<void> write_read(Writer& writer, const ObjectEntry& entry, int fd) {
  Sha256 sha;
  std::uint64_t left = entry.size;
  std::vector<char> piece(64u << 10);
  for (;;) {
    ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return fail(system_error(errno, "cannot read `" + to_valid_utf8(entry.path) + "`"));
    }
    if (got == 0) {
      break;
    }
    auto size = static_cast<std::uint64_t>(got);
    if (size > left) {
      return changed(entry);
    }
    left -= size;
    std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    if (entry.content) {
      sha.update(bytes);
    }
    TRY(writer.write(bytes));
  }
  if (left != 0 || (entry.content && sha.finish() != *entry.content)) {
    return changed(entry);
  }
  return {};
}

} // namespace

std::uint64_t object_size(std::span<const ObjectEntry> entries) {
  std::uint64_t size = k_object_end;
  for (const ObjectEntry& entry : entries) {
    size += write_tar_header(header_of(entry)).size() + tar_padded(entry.size);
  }
  return size;
}

Result<void>
write_object(int fd, std::span<const ObjectEntry> entries, const OpenEntry& open_entry) {
  std::uint64_t expected = k_object_end; // what most write: a header each
  for (const ObjectEntry& entry : entries) {
    expected += k_tar_block + tar_padded(entry.size);
  }
  Writer writer(fd, std::min<std::uint64_t>(expected, k_buffer));
  for (const ObjectEntry& entry : entries) {
    TRY(writer.write(write_tar_header(header_of(entry))));
    if (entry.kind != ObjectKind::file && entry.kind != ObjectKind::executable) {
      continue;
    }
    if (entry.bytes) {
      TRY(write_given(writer, entry, *entry.bytes));
    } else if (open_entry) {
      TRY_ASSIGN(UniqueFd file, open_entry(entry));
      TRY(write_read(writer, entry, file.get()));
    } else {
      return fail(ErrorCode::invalid_argument,
                  "the bytes of `" + to_valid_utf8(entry.path) + "` are missing");
    }
    TRY(writer.zeros(tar_padded(entry.size) - entry.size));
  }
  TRY(writer.write(object_end(writer.written() + k_object_end)));
  return writer.flush();
}

} // namespace upskill::store
