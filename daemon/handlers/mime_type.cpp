#include "daemon/handlers/mime_type.h"

#include "protocol/base/paths.h"

#include <algorithm>
#include <array>
#include <string>

namespace upskill::daemon {
namespace {

struct MimeRow {
  std::string_view extension;
  std::string_view type;
};

// What lies in real skills (skills facts, section 6), by the registry of IANA.
constexpr std::array k_types{
    MimeRow{"css", "text/css"},
    MimeRow{"csv", "text/csv"},
    MimeRow{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    MimeRow{"gif", "image/gif"},
    MimeRow{"gz", "application/gzip"},
    MimeRow{"htm", "text/html"},
    MimeRow{"html", "text/html"},
    MimeRow{"jpeg", "image/jpeg"},
    MimeRow{"jpg", "image/jpeg"},
    MimeRow{"js", "text/javascript"},
    MimeRow{"json", "application/json"},
    MimeRow{"markdown", "text/markdown"},
    MimeRow{"md", "text/markdown"},
    MimeRow{"mp3", "audio/mpeg"},
    MimeRow{"mp4", "video/mp4"},
    MimeRow{"pdf", "application/pdf"},
    MimeRow{"png", "image/png"},
    MimeRow{"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    MimeRow{"svg", "image/svg+xml"},
    MimeRow{"tar", "application/x-tar"},
    MimeRow{"ttf", "font/ttf"},
    MimeRow{"wasm", "application/wasm"},
    MimeRow{"wav", "audio/wav"},
    MimeRow{"webp", "image/webp"},
    MimeRow{"woff2", "font/woff2"},
    MimeRow{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    MimeRow{"xml", "application/xml"},
    MimeRow{"yaml", "application/yaml"},
    MimeRow{"yml", "application/yaml"},
    MimeRow{"zip", "application/zip"},
};

} // namespace

std::string_view mime_type(std::string_view path, bool is_text) {
  std::string_view name = base_name(path);
  std::size_t dot = name.rfind('.');
  std::string extension(dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1));
  for (char& byte : extension) {
    byte = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte;
  }
  const auto* row = std::ranges::lower_bound(k_types, extension, {}, &MimeRow::extension);
  if (row != k_types.end() && row->extension == extension) {
    return row->type;
  }
  return is_text ? "text/plain" : "application/octet-stream";
}

} // namespace upskill::daemon
