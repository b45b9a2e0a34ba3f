#include "skills/danger/file_kinds.h"

#include <array>
#include <cstddef>

namespace upskill::danger {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  Content content;
};

constexpr std::array<Signature, 29> k_signatures{{
    {"\x7F"
     "ELF"sv,
     Content::program},
    {"\xFE\xED\xFA\xCE"sv, Content::program},
    {"\xFE\xED\xFA\xCF"sv, Content::program},
    {"\xCE\xFA\xED\xFE"sv, Content::program},
    {"\xCF\xFA\xED\xFE"sv, Content::program},
    {"\0asm"sv, Content::program},
    {"\xCA\xFE\xBA\xBE"sv, Content::byte_code}, // Java, and Mach-O for several processors
    {"dex\n0"sv, Content::byte_code},
    {"PK\x03\x04"sv, Content::archive},
    {"PK\x05\x06"sv, Content::archive},
    {"\x1F\x8B"sv, Content::archive},
    {"BZh"sv, Content::archive},
    {"\xFD"
     "7zXZ\0"sv,
     Content::archive},
    {"7z\xBC\xAF\x27\x1C"sv, Content::archive},
    {"Rar!\x1A\x07"sv, Content::archive},
    {"\x28\xB5\x2F\xFD"sv, Content::archive},
    {"MSCF\0\0\0\0"sv, Content::archive},
    {"\x89PNG\r\n\x1A\n"sv, Content::media},
    {"\xFF\xD8\xFF"sv, Content::media},
    {"GIF8"sv, Content::media},
    {"RIFF"sv, Content::media},
    {"%PDF-"sv, Content::media},
    {"wOFF"sv, Content::media},
    {"wOF2"sv, Content::media},
    {"OTTO\0"sv, Content::media},
    {"\0\1\0\0\0"sv, Content::media}, // TrueType
    {"ID3"sv, Content::media},
    {"OggS"sv, Content::media},
    {"SQLite format 3\0"sv, Content::media},
}};

// `MZ`, and the place of the second header within the file (PE/COFF 3.1).
bool is_windows_program(std::string_view bytes) {
  if (!bytes.starts_with("MZ") || bytes.size() < 64) {
    return false;
  }
  std::size_t header = 0;
  for (std::size_t i = 4; i-- > 0;) {
    header = header << 8 | static_cast<unsigned char>(bytes[0x3C + i]);
  }
  return header >= 64 && header + 4 <= bytes.size() && bytes.substr(header, 2) == "PE";
}

// Since Python 3.3 the number of the version stands before CR LF.
bool is_python_code(std::string_view bytes) {
  return bytes.size() >= 16 && bytes.substr(2, 2) == "\r\n"
         && bytes.substr(0, 16).find('\0') != std::string_view::npos;
}

} // namespace

Content content_of(std::string_view bytes) {
  for (const Signature& signature : k_signatures) {
    if (bytes.starts_with(signature.bytes)) {
      return signature.content;
    }
  }
  if (is_windows_program(bytes)) {
    return Content::program;
  }
  if (is_python_code(bytes)) {
    return Content::byte_code;
  }
  bool is_tar = bytes.size() >= 262 && bytes.substr(257, 5) == "ustar";
  return is_tar ? Content::archive : Content::text;
}

bool is_encrypted_zip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") && bytes.size() > 6 && (bytes[6] & 1) != 0;
}

} // namespace upskill::danger
