#pragma once
#include "skills/install/inflate.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Archives as nobody's program would make them, byte by byte.
namespace install_test {

using namespace upskill::install;

inline std::string little(std::uint64_t number, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) {
    out += static_cast<char>(number >> (8 * i) & 0xff);
  }
  return out;
}

// An entry of a zip, and what its local header says where that is something else.
struct Zipped {
  std::string name = {};
  std::string bytes = {};
  std::uint32_t mode = S_IFREG | 0644;
  unsigned flags = 1u << 11;
  bool is_deflated = true;
  unsigned method = 99;        // 99: by is_deflated
  std::string local_name = {}; // empty: the same
  std::int64_t local_size = -1;
  std::int64_t checksum = -1; // in both headers
  std::int64_t size = -1;     // likewise
  bool is_described = false;  // sizes and checksum behind the bytes
  std::string extra = {};     // in the directory
};

inline std::string zip(const std::vector<Zipped>& entries,
                       const std::string& before = {},
                       const std::string& between = {},
                       const std::string& comment = {}) {
  std::string out = before;
  std::string directory;
  for (const Zipped& entry : entries) {
    std::string packed = entry.is_deflated ? deflated(entry.bytes) : entry.bytes;
    unsigned method = entry.method != 99 ? entry.method : entry.is_deflated ? 8 : 0;
    std::uint64_t checksum =
        entry.checksum < 0 ? crc32_of(entry.bytes) : static_cast<std::uint64_t>(entry.checksum);
    std::uint64_t size =
        entry.size < 0 ? entry.bytes.size() : static_cast<std::uint64_t>(entry.size);
    unsigned flags = entry.flags | (entry.is_described ? 8u : 0u);
    std::string kind = little(20, 2) + little(flags, 2) + little(method, 2) + little(0x21'0000, 4);
    std::string sizes = little(checksum, 4) + little(packed.size(), 4) + little(size, 4);
    std::string local_sizes = sizes;
    if (entry.is_described) {
      local_sizes = std::string(12, '\0');
    } else if (entry.local_size >= 0) {
      local_sizes.replace(8, 4, little(static_cast<std::uint64_t>(entry.local_size), 4));
    }
    std::string local_name = entry.local_name.empty() ? entry.name : entry.local_name;
    directory += "PK\x01\x02" + little(3 << 8 | 20, 2) + kind + sizes + little(entry.name.size(), 2)
                 + little(entry.extra.size(), 2) + std::string(6, '\0')
                 + little(std::uint64_t{entry.mode} << 16, 4) + little(out.size(), 4) + entry.name
                 + entry.extra;
    out += "PK\x03\x04" + kind + local_sizes + little(local_name.size(), 2) + little(0, 2)
           + local_name + packed;
    if (entry.is_described) {
      out += "PK\x07\x08" + sizes;
    }
  }
  out += between;
  std::string end = "PK\x05\x06" + std::string(4, '\0') + little(entries.size(), 2)
                    + little(entries.size(), 2) + little(directory.size(), 4)
                    + little(out.size(), 4) + little(comment.size(), 2) + comment;
  return out + directory + end;
}

// An entry of a tar (ustar).
struct Tarred {
  std::string name = {};
  std::string bytes = {};
  char type = '0'; // 0 file, 1 hard link, 2 link, 3 device, 5 folder, 6 fifo, x pax header
  std::string link = {};
  unsigned mode = 0644;
  std::int64_t size = -1; // that its header promises
  std::uint64_t hole = 0; // zeros before its bytes that are not there: a sparse file (GNU)
};

inline std::string octal(std::uint64_t number, std::size_t digits) {
  std::string out(digits, '0');
  for (std::size_t i = digits; number != 0 && i-- > 0; number >>= 3) {
    out[i] = static_cast<char>('0' + (number & 7));
  }
  return out + '\0';
}

inline std::string tar(const std::vector<Tarred>& entries) {
  std::string out;
  for (const Tarred& entry : entries) {
    std::string head(512, '\0');
    auto put = [&](std::size_t at, const std::string& text) {
      head.replace(at, text.size(), text);
    };
    put(0, entry.name.substr(0, 100));
    put(100, octal(entry.mode, 7));
    put(108, octal(0, 7));
    put(116, octal(0, 7));
    put(124,
        octal(entry.size < 0 ? entry.bytes.size() : static_cast<std::uint64_t>(entry.size), 11));
    put(136, octal(0, 11));
    put(148, "        ");
    put(156, std::string(1, entry.type));
    put(157, entry.link.substr(0, 100));
    put(257,
        std::string("ustar\0"
                    "00",
                    8));
    if (entry.hole > 0) {
      put(156, "S");
      put(257, std::string("ustar  \0", 8));
      put(386, octal(entry.hole, 11) + octal(entry.bytes.size(), 11));
      put(483, octal(entry.hole + entry.bytes.size(), 11));
    }
    std::uint64_t sum = 0;
    for (unsigned char c : head) {
      sum += c;
    }
    put(148, octal(sum, 6) + " ");
    out += head + entry.bytes;
    out.resize((out.size() + 511) / 512 * 512);
  }
  return out + std::string(1024, '\0');
}

// What a pax header says of the entry behind it: its path.
inline Tarred pax_path(const std::string& path) {
  std::string told = " path=" + path + "\n";
  std::size_t digits = told.size() + 2 < 100 ? 2 : 3;
  return {.name = "pax", .bytes = std::to_string(told.size() + digits) + told, .type = 'x'};
}

inline std::string gzip(const std::string& bytes) {
  return std::string("\x1f\x8b\x08\0\0\0\0\0\x02\x03", 10) + deflated(bytes)
         + little(crc32_of(bytes), 4) + little(bytes.size(), 4);
}

} // namespace install_test
