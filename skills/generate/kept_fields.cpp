#include "skills/generate/kept_fields.h"

#include "skills/document/document.h"

#include <cstddef>

namespace upskill::generate {
namespace {

// The key that begins on this line; empty: the line goes on with the one before.
std::string_view key_of(std::string_view line) {
  if (line.empty() || line.front() == ' ' || line.front() == '\t' || line.front() == '#'
      || line.front() == '-') {
    return {};
  }
  std::size_t colon = line.find(':');
  return colon == std::string_view::npos ? std::string_view() : line.substr(0, colon);
}

// What is put behind other lines must still be what it was alone.
bool is_whole(const std::string& fields) {
  std::string text = "---\nname: a\ndescription: b\n" + fields + "---\n\nc\n";
  document::Document read = document::read_document(text);
  return read.name == "a" && read.description == "b" && read.problems.empty() && !read.repaired()
         && read.parts.body == "\nc\n";
}

} // namespace

std::string kept_fields(std::string_view yaml) {
  std::string kept;
  bool is_kept = false;
  while (!yaml.empty()) {
    std::size_t end = yaml.find('\n');
    std::string_view line = yaml.substr(0, end);
    yaml.remove_prefix(end == std::string_view::npos ? yaml.size() : end + 1);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (std::string_view key = key_of(line); !key.empty()) {
      is_kept = key != "name" && key != "description";
    }
    if (is_kept) {
      kept += line;
      kept += '\n';
    }
  }
  return is_whole(kept) ? kept : std::string();
}

} // namespace upskill::generate
