#pragma once
#include "skills/redact/redactor.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::redact {

// How many times the escapes of a text are read: a tool's arguments are JSON in a string of JSON,
// and a file's text in them may be JSON again.
inline constexpr std::size_t k_max_layers = 4;

// What a text that is to be searched is.
enum class Layer {
  text,       // it says what it says, and what its escapes say besides
  json_string // between the quotes of a JSON string: it says what its escapes say
};

// Finds secrets in a text and in what its escapes hide, as places in the text as it stands.
// Owner, thread and lifetime: as Redactor.
class LayerScanner {
public:
  explicit LayerScanner(RuleSet rules);

  Redactor& redactor() { return m_redactor; }

  // Adds to `findings`, in order. `key` is of the JSON member whose value it is, where its name
  // may tell what the value is; else empty.
  void scan(std::string_view raw,
            Layer layer,
            std::string_view key,
            std::vector<Finding>& findings,
            Wanted wanted = Wanted::all);

private:
  std::string_view text_at(std::size_t layer, std::string_view raw) const;
  void keep_found(std::size_t layer, std::string_view raw);
  void scan_with_key(std::string_view key, std::size_t layer, std::string_view raw, Wanted wanted);

  Redactor m_redactor;
  std::array<std::string, k_max_layers> m_layers = {};
  std::string m_member = {};
  std::vector<Finding> m_found = {}; // in one layer
  std::vector<Finding> m_all = {};
};

} // namespace upskill::redact
