#pragma once
#include "skills/redact/layers.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::redact {

// A text of a record that a person or a model reads: one that may go on in another record.
struct RecordText {
  std::size_t begin = 0; // in the record, between its quotes where it is a JSON string
  std::size_t end = 0;
  bool is_escaped = false;
};

// Finds and replaces the secrets of a record of a trace: JSON, JSON that is cut off or glued, or
// plain text. JSON stays JSON, and everything outside of what is replaced stays byte for byte:
// strings are searched as what they say, to k_max_layers of escapes, and marks need none. Keys are
// searched too. What the name of a member says about its value is heard: under an id only definite
// rules count, and long base64 (signatures, images) is left alone. Numbers are not looked at.
// Owner, thread and lifetime: as Redactor.
class JsonRedactor {
public:
  explicit JsonRedactor(RuleSet rules);

  const RuleSet& rules() const { return m_rules; }

  // All secrets of the record, by where they begin. `findings` and `texts` are emptied first.
  void scan(std::string_view record, std::vector<Finding>& findings);
  void
  scan(std::string_view record, std::vector<Finding>& findings, std::vector<RecordText>& texts);

  // Replaces each definite secret by its mark, until none is left.
  Counts redact(std::string& record);

private:
  bool scan_json(std::string_view record,
                 std::vector<Finding>& findings,
                 std::vector<RecordText>* texts);
  void scan_record(std::string_view record,
                   std::vector<Finding>& findings,
                   std::vector<RecordText>* texts);

  RuleSet m_rules;
  LayerScanner m_layers;
  std::vector<Finding> m_scanned = {};
};

// For a model's words and other texts by themselves: what their escapes hide is searched too.
Counts redact_text(std::string& text, const RuleSet& rules);

} // namespace upskill::redact
