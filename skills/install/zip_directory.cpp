#include "skills/install/zip_directory.h"

#include "protocol/base/utf8.h"

#include <sys/stat.h>

#include <algorithm>

namespace upskill::install {
namespace {

constexpr std::uint32_t k_local_mark = 0x04034b50;
constexpr std::uint32_t k_central_mark = 0x02014b50;
constexpr std::uint32_t k_end_mark = 0x06054b50;
constexpr std::uint32_t k_descriptor_mark = 0x08074b50;
constexpr std::size_t k_local_size = 30;
constexpr std::size_t k_central_size = 46;
constexpr std::size_t k_end_size = 22;
constexpr unsigned k_encrypted = 1u << 0 | 1u << 6 | 1u << 13; // of the flags
constexpr unsigned k_described = 1u << 3;
constexpr unsigned k_patched = 1u << 5;
constexpr unsigned k_stored = 0;
constexpr unsigned k_deflated = 8;
constexpr std::uint16_t k_unicode_path = 0x7075; // an extra field of Info-ZIP's

// Little endian numbers at a place; the caller has seen to it that they are there.
std::uint16_t number16(std::string_view bytes, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
  return static_cast<std::uint16_t>(byte(0) | byte(1) << 8);
}

std::uint32_t number32(std::string_view bytes, std::size_t at) {
  return number16(bytes, at) | static_cast<std::uint32_t>(number16(bytes, at + 2)) << 16;
}

// What both headers say of an entry.
struct Facts {
  unsigned flags = 0;
  unsigned method = 0;
  std::uint32_t checksum = 0;
  std::uint32_t packed = 0; // bytes
  std::uint32_t size = 0;   // bytes
  std::string_view name = {};
};

struct Central {
  Facts facts = {};
  unsigned maker = 0;           // 3: Unix, 19: macOS
  std::uint32_t attributes = 0; // of a file, as its maker has them
  std::uint32_t offset = 0;     // of the local header
  std::string_view extra = {};
};

tl::unexpected<Error> corrupt(std::string message) {
  return fail(
      ErrorCode::corrupt, "the zip is damaged: " + std::move(message), "get it or make it again");
}

tl::unexpected<Error> refused(std::string message, std::string hint = {}) {
  return fail(ErrorCode::refused, "the zip " + std::move(message), std::move(hint));
}

std::string shown(std::string_view name) {
  return in_backticks(utf8_prefix(name, 200));
}

// The fields from the flags on are in both headers in one order.
Facts facts_at(std::string_view bytes, std::size_t at) {
  return {.flags = number16(bytes, at),
          .method = number16(bytes, at + 2),
          .checksum = number32(bytes, at + 8),
          .packed = number32(bytes, at + 12),
          .size = number32(bytes, at + 16)};
}

struct End {
  std::size_t at = 0;
  std::size_t entries = 0;
  std::size_t directory = 0;
};

// Its comment ends the file.
Result<End> find_end(std::string_view bytes) {
  constexpr std::size_t k_longest_comment = 65535;
  if (bytes.size() >= k_end_size) {
    std::size_t last = bytes.size() - k_end_size;
    std::size_t first = last - std::min(last, k_longest_comment);
    for (std::size_t at = last + 1; at-- > first;) {
      if (number32(bytes, at) != k_end_mark || number16(bytes, at + 20) != last - at) {
        continue;
      }
      End end{.at = at, .entries = number16(bytes, at + 10), .directory = number32(bytes, at + 16)};
      std::size_t size = number32(bytes, at + 12);
      if (end.entries == 0xffff || end.directory == 0xffffffff || size == 0xffffffff) {
        return refused("has the form for very large ones (zip64)");
      }
      if (number16(bytes, at + 4) != 0 || number16(bytes, at + 6) != 0
          || number16(bytes, at + 8) != end.entries) {
        return refused("is one of several parts");
      }
      if (end.directory + size != at) {
        return corrupt("its directory is not where it should be");
      }
      return end;
    }
  }
  return corrupt("it has no end, or something lies behind it");
}

Result<Central> read_central(std::string_view bytes, std::size_t& at, std::size_t end) {
  if (end - at < k_central_size || number32(bytes, at) != k_central_mark) {
    return corrupt("its directory has fewer entries than it says");
  }
  Central central{.facts = facts_at(bytes, at + 8),
                  .maker = static_cast<unsigned>(number16(bytes, at + 4)) >> 8,
                  .attributes = number32(bytes, at + 38),
                  .offset = number32(bytes, at + 42)};
  std::size_t name = number16(bytes, at + 28);
  std::size_t extra = number16(bytes, at + 30);
  std::size_t comment = number16(bytes, at + 32);
  if (number16(bytes, at + 34) != 0) {
    return refused("is one of several parts");
  }
  if (end - at - k_central_size < name + extra + comment) {
    return corrupt("its directory ends in the middle of an entry");
  }
  at += k_central_size;
  central.facts.name = bytes.substr(at, name);
  central.extra = bytes.substr(at + name, extra);
  at += name + extra + comment;
  return central;
}

// Where the bytes of an entry begin, once its local header says what the directory says.
Result<std::size_t>
check_local(std::string_view bytes, const Central& central, std::size_t directory) {
  const Facts& facts = central.facts;
  std::size_t at = central.offset;
  if (at + k_local_size > directory || number32(bytes, at) != k_local_mark) {
    return corrupt("nothing is where " + shown(facts.name) + " should be");
  }
  Facts local = facts_at(bytes, at + 6);
  std::size_t name = number16(bytes, at + 26);
  std::size_t begin = at + k_local_size + name + number16(bytes, at + 28);
  if (begin > directory || facts.packed > directory - begin) {
    return corrupt(shown(facts.name) + " reaches into what is not its own");
  }
  local.name = bytes.substr(at + k_local_size, name);
  bool is_described = (facts.flags & k_described) != 0;
  auto agree = [&](std::uint32_t here, std::uint32_t there) {
    return here == there || (is_described && here == 0);
  };
  if (local.name != facts.name || local.flags != facts.flags || local.method != facts.method
      || !agree(local.checksum, facts.checksum) || !agree(local.packed, facts.packed)
      || !agree(local.size, facts.size)) {
    return refused("says two different things about " + shown(facts.name),
                   "two programs would unpack two different skills");
  }
  return begin;
}

// What follows the bytes of an entry whose local header was written before its size was known.
bool is_descriptor(std::string_view gap, const Facts& facts) {
  std::size_t mark = gap.size() == 16 && number32(gap, 0) == k_descriptor_mark ? 4 : 0;
  return gap.size() == 12 + mark && number32(gap, mark) == facts.checksum
         && number32(gap, mark + 4) == facts.packed && number32(gap, mark + 8) == facts.size;
}

Result<ZipEntry::Kind> kind_of(const Central& central, unsigned mode) {
  bool has_slash = central.facts.name.ends_with('/');
  switch (mode & S_IFMT) {
  case S_IFDIR:
    return ZipEntry::Kind::folder;
  case 0:
  case S_IFREG:
    return has_slash ? ZipEntry::Kind::folder : ZipEntry::Kind::file;
  case S_IFLNK:
    if (!has_slash) {
      return ZipEntry::Kind::link;
    }
    [[fallthrough]];
  default:
    return refused("has " + shown(central.facts.name)
                   + " in it, which is neither a file nor a folder nor a link");
  }
}

// A name that is not UTF-8 may be told again as what it means.
std::string_view name_of(const Central& central) {
  std::string_view name = central.facts.name;
  std::string_view rest = is_utf8(name) ? std::string_view() : central.extra;
  while (rest.size() >= 4) {
    std::size_t size = std::min<std::size_t>(number16(rest, 2), rest.size() - 4);
    if (number16(rest, 0) == k_unicode_path && size > 5 && rest[4] == 1) {
      return rest.substr(9, size - 5); // behind a version and a checksum
    }
    rest.remove_prefix(4 + size);
  }
  return name;
}

Result<ZipEntry> entry_of(const Central& central) {
  const Facts& facts = central.facts;
  if ((facts.flags & k_encrypted) != 0) {
    return refused("is encrypted: " + shown(facts.name), "a skill that hides is not installed");
  }
  if ((facts.method != k_stored && facts.method != k_deflated) || (facts.flags & k_patched) != 0) {
    return refused("packs " + shown(facts.name) + " by a method that is not read here",
                   "make it again with `zip`, or with `upskill pack`");
  }
  bool is_unix = central.maker == 3 || central.maker == 19;
  unsigned mode = is_unix ? central.attributes >> 16 : 0;
  TRY_ASSIGN(ZipEntry::Kind kind, kind_of(central, mode));
  if (kind == ZipEntry::Kind::folder && (facts.packed != 0 || facts.size != 0)) {
    return corrupt("the folder " + shown(facts.name) + " has bytes");
  }
  return ZipEntry{.name = std::string(name_of(central)),
                  .kind = kind,
                  .is_program = (mode & 0111) != 0,
                  .is_deflated = facts.method == k_deflated,
                  .checksum = facts.checksum,
                  .size = facts.size};
}

} // namespace

bool is_zip(std::string_view bytes) {
  return bytes.size() >= 4
         && (number32(bytes, 0) == k_local_mark || number32(bytes, 0) == k_end_mark);
}

Result<std::vector<ZipEntry>> read_zip_directory(std::string_view bytes, std::size_t most) {
  TRY_ASSIGN(End end, find_end(bytes));
  if (end.entries > most) {
    return fail(ErrorCode::too_large,
                "the zip has " + std::to_string(end.entries) + " entries, more than "
                    + std::to_string(most));
  }
  std::vector<Central> rows;
  std::size_t at = end.directory;
  for (std::size_t i = 0; i < end.entries; ++i) {
    TRY_ASSIGN(Central row, read_central(bytes, at, end.at));
    rows.push_back(row);
  }
  if (at != end.at) {
    return corrupt("its directory has more entries than it says");
  }
  std::ranges::sort(rows, {}, &Central::offset);
  std::vector<ZipEntry> entries;
  at = 0; // what has been accounted for
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Central& row = rows[i];
    if (row.offset != at) {
      return refused("has bytes in it that belong to two entries, or to none");
    }
    TRY_ASSIGN(std::size_t begin, check_local(bytes, row, end.directory));
    TRY_ASSIGN(ZipEntry entry, entry_of(row));
    entry.packed = bytes.substr(begin, row.facts.packed);
    at = begin + row.facts.packed;
    std::size_t next = i + 1 < rows.size() ? rows[i + 1].offset : end.directory;
    if (next > at && (row.facts.flags & k_described) != 0
        && is_descriptor(bytes.substr(at, next - at), row.facts)) {
      at = next;
    }
    entries.push_back(std::move(entry));
  }
  if (at != end.directory) {
    return refused("has bytes in it that belong to two entries, or to none");
  }
  return entries;
}

} // namespace upskill::install
