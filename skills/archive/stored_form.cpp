#include "skills/archive/stored_form.h"

#include "skills/trace/line_splitter.h"

#include <algorithm>

namespace upskill::archive {
namespace {

bool is_sections(trace::Format format) {
  return format == trace::Format::specstory || format == trace::Format::markdown
         || format == trace::Format::text;
}

} // namespace

std::optional<trace::Format> format_named(std::string_view name) {
  const auto& names = EnumNames<trace::Format>::names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      return static_cast<trace::Format>(i);
    }
  }
  return std::nullopt;
}

void append_stored(std::string& out, trace::Format format, std::string_view record) {
  if (is_sections(format)) {
    // Sections are told apart by how they begin, paragraphs by the blank line between them.
    out += record;
    out += record.ends_with('\n') ? "\n" : "\n\n";
    return;
  }
  // Line breaks within JSON are blanks between its parts: none can stand in a string.
  std::size_t begin = out.size();
  out.resize(begin + record.size() + 1, '\n');
  std::ranges::transform(record, out.begin() + static_cast<std::ptrdiff_t>(begin), [](char c) {
    return c == '\n' || c == '\r' ? ' ' : c;
  });
}

std::unique_ptr<trace::Splitter> make_stored_splitter(trace::Format format) {
  if (is_sections(format)) {
    return trace::make_splitter(format);
  }
  return std::make_unique<trace::LineSplitter>();
}

} // namespace upskill::archive
