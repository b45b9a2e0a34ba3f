#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::test {

// An element of XML, or of HTML that is written like XML.
struct Element {
  std::string name = {};
  std::map<std::string, std::string> attributes = {};
  std::string text = {}; // its own and that of all within, references resolved
  std::vector<Element> children = {};

  // All of that name within, in order; itself not.
  std::vector<const Element*> all(std::string_view wanted) const;
  // Of the attribute; empty where there is none.
  std::string attribute(const std::string& wanted) const;
};

// A strict reader: balanced tags, values in double quotes and given once, no character that XML 1.0
// forbids, no reference but those that stand for markup and blanks. Throws std::runtime_error with
// the place.
Element parse_markup(std::string_view text);

} // namespace upskill::test
