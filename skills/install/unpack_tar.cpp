#include "skills/install/unpack_tar.h"

#include "protocol/base/utf8.h"
#include "skills/install/inflate.h"

#include <archive.h>
#include <archive_entry.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

namespace upskill::install {
namespace {

constexpr std::uint64_t k_around_file = 4096; // bytes of headers and padding for each file, at most
constexpr std::uint64_t k_around_all = 4u << 20;

// What libarchive reads: the bytes themselves, or what is packed in them. libarchive's own gunzip
// checks no checksum.
struct Input {
  std::string_view plain = {};
  std::optional<Inflate> packed = {};
  std::uint64_t left = 0; // bytes that may still come
  std::optional<Error> problem = {};

  Result<std::string_view> next() {
    if (!packed) {
      return std::exchange(plain, {});
    }
    TRY_ASSIGN(std::string_view piece, packed->next());
    if (piece.size() > left) {
      return fail(ErrorCode::too_large,
                  "the archive is too large: more is packed in it than a skill has",
                  "a skill is small; look at what else is in it");
    }
    left -= piece.size();
    return piece;
  }
};

la_ssize_t on_read(archive* reader, void* data, const void** piece) {
  Input& input = *static_cast<Input*>(data);
  Result<std::string_view> next = input.next();
  if (!next) {
    input.problem = std::move(next).error();
    ::archive_set_error(reader, EINVAL, "unreadable");
    return ARCHIVE_FATAL;
  }
  *piece = next->data();
  return static_cast<la_ssize_t>(next->size());
}

// Owner: a call. Thread: one at a time. Lifetime: shorter than its input.
class TarReader {
public:
  explicit TarReader(Input& input)
      : m_input(input)
      , m_reader(::archive_read_new(), &::archive_read_free) {}

  Result<void> open() {
    archive* reader = m_reader.get();
    bool is_open =
        reader != nullptr && ::archive_read_support_format_tar(reader) == ARCHIVE_OK
        && ::archive_read_open(reader, &m_input, nullptr, &on_read, nullptr) == ARCHIVE_OK;
    return is_open ? Result<void>() : failed();
  }

  // Nothing at the end.
  Result<archive_entry*> next() {
    archive_entry* entry = nullptr;
    int answer = ::archive_read_next_header(m_reader.get(), &entry);
    if (answer == ARCHIVE_EOF) {
      return nullptr;
    }
    if (answer != ARCHIVE_OK && !(answer == ARCHIVE_WARN && is_about_locale())) {
      return failed();
    }
    return entry;
  }

  // The next piece of an entry; empty at its end. What is sparse comes as zeros.
  Result<std::string_view> read() {
    la_ssize_t size = ::archive_read_data(m_reader.get(), m_piece, sizeof m_piece);
    return size < 0 ? failed()
                    : Result<std::string_view>({m_piece, static_cast<std::size_t>(size)});
  }

private:
  // That the C locale cannot say a name is no matter: names are bytes here, and checked by us. Any
  // other warning is of a damaged header, which two programs may read differently.
  bool is_about_locale() const {
    const char* warning = ::archive_error_string(m_reader.get());
    return warning != nullptr
           && std::string_view(warning).find("can't be converted") != std::string_view::npos;
  }

  tl::unexpected<Error> failed() const {
    if (m_input.problem) {
      return fail(*m_input.problem);
    }
    const char* reason = m_reader == nullptr ? nullptr : ::archive_error_string(m_reader.get());
    std::string why = reason == nullptr ? "it cannot be read" : to_valid_utf8(reason);
    return fail(ErrorCode::corrupt,
                "it is no archive, or a damaged one: " + std::string(utf8_prefix(why, 200)),
                "it must be a `.skill` or `.zip`, or a `.tar.gz`");
  }

  Input& m_input;
  std::unique_ptr<archive, decltype(&::archive_read_free)> m_reader;
  char m_piece[16u << 10];
};

Result<void> unpack_entry(TarReader& reader, archive_entry* entry, UnpackTarget& target) {
  const char* path = ::archive_entry_pathname(entry);
  if (path == nullptr) {
    return fail(ErrorCode::corrupt, "the archive has an entry without a name");
  }
  if (::archive_entry_hardlink(entry) != nullptr) {
    return fail(ErrorCode::refused,
                "the archive has a hard link at " + in_backticks(utf8_prefix(path, 200)),
                "put a copy of the file in its place");
  }
  switch (::archive_entry_filetype(entry)) {
  case AE_IFDIR:
    return target.add_folder(path);
  case AE_IFLNK: {
    const char* link = ::archive_entry_symlink(entry);
    return target.add_link(path, link == nullptr ? "" : link);
  }
  case AE_IFREG:
    break;
  default:
    return fail(ErrorCode::refused,
                "the archive has " + in_backticks(utf8_prefix(path, 200))
                    + " in it, which is neither a file nor a folder nor a link");
  }
  TRY(target.begin_file(path, (::archive_entry_perm(entry) & 0111) != 0));
  for (;;) {
    TRY_ASSIGN(std::string_view piece, reader.read());
    if (piece.empty()) {
      return target.end_file();
    }
    TRY(target.write(piece));
  }
}

} // namespace

Result<void> unpack_tar(std::string_view bytes, UnpackTarget& target, const UnpackLimits& limits) {
  Input input;
  if (bytes.starts_with("\x1f\x8b")) {
    input.packed.emplace(bytes, Inflate::Form::gzip);
    input.left = limits.bytes + limits.files * k_around_file + k_around_all;
  } else {
    input.plain = bytes;
  }
  TarReader reader(input);
  TRY(reader.open());
  bool is_empty = true;
  for (;;) {
    TRY_ASSIGN(archive_entry * entry, reader.next());
    if (entry == nullptr) {
      break;
    }
    is_empty = false;
    TRY(unpack_entry(reader, entry, target));
  }
  // What follows the last entry is padding, and a checksum of everything.
  for (bool has_more = true; has_more;) {
    TRY_ASSIGN(std::string_view piece, input.next());
    has_more = !piece.empty();
  }
  return is_empty ? fail(ErrorCode::corrupt, "the archive is empty") : Result<void>();
}

} // namespace upskill::install
