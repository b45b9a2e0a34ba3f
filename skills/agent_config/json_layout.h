#pragma once
#include "skills/agent_config/json_tree.h"

#include <string>
#include <string_view>

namespace upskill::agent_config {

// How a JSON text is laid out: what is put in looks like the rest.
struct JsonLayout {
  std::string newline = "\n";
  std::string unit = "  "; // of indentation
  bool is_line = false;    // all of it, or of this container, is one line
  bool is_spaced = true;   // on one line: blanks behind `:` and `,`
};

// Of the text, and of a container in it.
JsonLayout layout_of(std::string_view text, const JsonNode& root, const JsonNode& container);

// The blanks that its line begins with.
std::string_view indent_at(std::string_view text, std::size_t at);
// Whether nothing but blanks stands before it in its line.
bool begins_line(std::string_view text, std::size_t at);

// The value in that layout; its first line stands where it is put, the others after `indent`. A
// list of texts is one line.
std::string format_json(const JsonNode& value, const JsonLayout& layout, const std::string& indent);
// A text with its quotes.
std::string json_quoted(std::string_view text);

} // namespace upskill::agent_config
