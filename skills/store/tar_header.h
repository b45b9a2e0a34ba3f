#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The tar format as far as objects need it: ustar headers (POSIX.1-2017, pax, "ustar Interchange
// Format") and extended headers for the two things that may not fit, paths and links' targets.
namespace upskill::store {

inline constexpr std::size_t k_tar_block = 512;
inline constexpr std::size_t k_tar_end = 2 * k_tar_block; // two blocks of zeros

enum class TarType : char { file = '0', link = '2', folder = '5', extended = 'x' };

struct TarHeader {
  std::string path; // of a folder: without the final slash
  TarType type = TarType::file;
  std::uint32_t mode = 0644;
  std::uint64_t size = 0; // bytes that follow, without padding; at most 8 GiB - 1
  std::string target = {};
};

// `size` and the padding that follows it.
std::uint64_t tar_padded(std::uint64_t size);

// The blocks that precede the member's bytes: its header, after an extended one where the path or
// target needs it. Time, owner and group are 0.
std::string write_tar_header(const TarHeader& header);

// One block; nothing when it is not of the form and the types that write_tar_header writes,
// checksum included.
std::optional<TarHeader> parse_tar_header(std::string_view block);

struct ExtendedHeader {
  std::optional<std::string> path = {};
  std::optional<std::string> target = {};
};

// The records of an extended header; nothing when they say anything but `path` and `linkpath`.
std::optional<ExtendedHeader> parse_extended_header(std::string_view records);

} // namespace upskill::store
