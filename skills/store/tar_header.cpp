#include "skills/store/tar_header.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace upskill::store {
namespace {

struct Field {
  std::size_t at;
  std::size_t size;
};

constexpr Field k_name{0, 100};
constexpr Field k_mode{100, 8};
constexpr Field k_user{108, 8};
constexpr Field k_group{116, 8};
constexpr Field k_size{124, 12};
constexpr Field k_time{136, 12};
constexpr Field k_checksum{148, 8};
constexpr std::size_t k_type = 156;
constexpr Field k_link{157, 100};
constexpr Field k_magic{257, 8};
constexpr Field k_device_major{329, 8};
constexpr Field k_device_minor{337, 8};
constexpr Field k_prefix{345, 155};
constexpr std::string_view k_ustar{"ustar\00000", 8};

void put(std::string& block, Field field, std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), field.size), block.begin() + field.at);
}

// Octal with leading zeros and a final NUL.
void put_octal(std::string& block, Field field, std::uint64_t value) {
  for (std::size_t i = field.size - 1; i-- > 0; value >>= 3) {
    block[field.at + i] = static_cast<char>('0' + (value & 7));
  }
}

std::string_view text_of(std::string_view block, Field field) {
  std::string_view text = block.substr(field.at, field.size);
  return text.substr(0, std::min(text.find('\0'), text.size()));
}

std::optional<std::uint64_t> octal_of(std::string_view block, Field field) {
  std::string_view text = text_of(block, field);
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

// The sum of all bytes, those of the checksum itself taken as spaces.
std::uint64_t checksum_of(std::string_view block) {
  auto sum_of = [](std::string_view bytes) {
    std::uint32_t sum = 0;
    for (char byte : bytes) {
      sum += static_cast<unsigned char>(byte);
    }
    return sum;
  };
  return sum_of(block.substr(0, k_tar_block)) + k_checksum.size * ' '
         - sum_of(block.substr(k_checksum.at, k_checksum.size));
}

// Where a path of more than 100 bytes divides into prefix and name; npos where it does not.
std::size_t split_of(std::string_view path) {
  // The name must not be empty, so the final slash of a folder is no place.
  std::size_t from = path.size() - std::min(path.size(), k_name.size + 1);
  std::size_t slash = path.find('/', from);
  return slash != std::string_view::npos && slash > 0 && slash <= k_prefix.size
                 && slash + 1 < path.size()
             ? slash
             : std::string_view::npos;
}

std::string one_block(std::string_view path, const TarHeader& header, std::string_view target) {
  std::string block(k_tar_block, '\0');
  std::size_t split = path.size() > k_name.size ? split_of(path) : std::string_view::npos;
  if (split != std::string_view::npos) {
    put(block, k_prefix, path.substr(0, split));
    path.remove_prefix(split + 1);
  }
  put(block, k_name, path);
  put_octal(block, k_mode, header.mode);
  put_octal(block, k_user, 0);
  put_octal(block, k_group, 0);
  put_octal(block, k_size, header.size);
  put_octal(block, k_time, 0);
  block[k_type] = static_cast<char>(header.type);
  put(block, k_link, target);
  put(block, k_magic, k_ustar);
  put_octal(block, k_device_major, 0);
  put_octal(block, k_device_minor, 0);
  // Six digits, NUL, space: what every tar writes here.
  put_octal(block, {k_checksum.at, k_checksum.size - 1}, checksum_of(block));
  block[k_checksum.at + k_checksum.size - 1] = ' ';
  return block;
}

// `LENGTH KEY=VALUE\n`, the length counting itself.
std::string record(std::string_view key, std::string_view value) {
  std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + std::to_string(rest).size();
  length = rest + std::to_string(length).size();
  std::string text = std::to_string(length);
  text.append(" ").append(key).append("=").append(value).append("\n");
  return text;
}

} // namespace

std::uint64_t tar_padded(std::uint64_t size) {
  return (size + k_tar_block - 1) / k_tar_block * k_tar_block;
}

std::string write_tar_header(const TarHeader& header) {
  std::string path = header.path;
  if (header.type == TarType::folder) {
    path += '/';
  }
  std::string records;
  if (path.size() > k_name.size && split_of(path) == std::string_view::npos) {
    records += record("path", path);
  }
  if (header.target.size() > k_link.size) {
    records += record("linkpath", header.target);
  }
  std::string blocks;
  if (!records.empty()) {
    TarHeader extended{"././@PaxHeader", TarType::extended, 0644, records.size()};
    blocks = one_block(extended.path, extended, {});
    blocks += records;
    blocks.resize(k_tar_block + tar_padded(records.size()), '\0');
  }
  blocks += one_block(path, header, header.target);
  return blocks;
}

std::optional<TarHeader> parse_tar_header(std::string_view block) {
  if (block.size() != k_tar_block || block.substr(k_magic.at, k_magic.size) != k_ustar) {
    return std::nullopt;
  }
  std::string_view sum = block.substr(k_checksum.at, k_checksum.size - 1);
  std::optional<std::uint64_t> checksum = octal_of(sum, {0, sum.size()});
  std::optional<std::uint64_t> mode = octal_of(block, k_mode);
  std::optional<std::uint64_t> size = octal_of(block, k_size);
  auto type = static_cast<TarType>(block[k_type]);
  constexpr std::array k_types{TarType::file, TarType::link, TarType::folder, TarType::extended};
  if (block[k_checksum.at + k_checksum.size - 1] != ' ' || !checksum
      || *checksum != checksum_of(block) || !mode || *mode > 0777 || !size
      || std::ranges::find(k_types, type) == k_types.end()) {
    return std::nullopt;
  }
  TarHeader header;
  header.path = text_of(block, k_prefix);
  if (!header.path.empty()) {
    header.path += '/';
  }
  header.path += text_of(block, k_name);
  if (type == TarType::folder && header.path.ends_with('/')) {
    header.path.pop_back();
  }
  header.type = type;
  header.mode = static_cast<std::uint32_t>(*mode);
  header.size = *size;
  header.target = text_of(block, k_link);
  return header;
}

std::optional<ExtendedHeader> parse_extended_header(std::string_view records) {
  ExtendedHeader header;
  while (!records.empty()) {
    std::size_t length = 0;
    auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), length);
    auto digits = static_cast<std::size_t>(end - records.data());
    // After the digits come at least a space, a `=` and a line feed.
    if (error != std::errc() || length > records.size() || length < digits + 3
        || records[digits] != ' ' || records[length - 1] != '\n') {
      return std::nullopt;
    }
    std::string_view pair = records.substr(digits + 1, length - digits - 2);
    records.remove_prefix(length);
    std::size_t equals = pair.find('=');
    std::string_view key = pair.substr(0, equals);
    if (equals == std::string_view::npos || (key != "path" && key != "linkpath")) {
      return std::nullopt;
    }
    (key == "path" ? header.path : header.target) = std::string(pair.substr(equals + 1));
  }
  return header;
}

} // namespace upskill::store
