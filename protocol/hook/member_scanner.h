#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace upskill::hook {

// Walks the members of a JSON text's outermost object, in place. The text may be cut anywhere or be
// broken: what came before is still told, which is why no ordinary reader is used here. It looks at
// every byte once and nests nothing, so no input can exhaust the stack. The text must outlive it.
// Owner: whoever reads a payload. Thread: one.
class MemberScanner {
public:
  explicit MemberScanner(std::string_view json);

  // Goes to the next member that is whole; false where there is none.
  bool next();

  // Between the quotes, as it stands.
  std::string_view key() const { return m_key; }

  // As it stands, quotes and all.
  std::string_view value() const { return m_value; }

private:
  // Each goes to the byte behind what it is named after; false where the text ends before that.
  bool skip_string();
  bool skip_container();
  bool skip_value();
  void skip_spaces();
  bool at(char wanted) const;

  std::string_view m_text;
  std::size_t m_at = 0;
  std::string_view m_key = {};
  std::string_view m_value = {};
};

// What a JSON string says, given with its quotes. Nothing where it is no string, is longer than
// `limit` bytes, is not UTF-8, or holds a NUL: then it is no name and no path.
std::optional<std::string> string_of(std::string_view value, std::size_t limit);

// The first element of an array where that is a string, with its quotes; empty otherwise.
std::string_view first_string_of(std::string_view array);

} // namespace upskill::hook
