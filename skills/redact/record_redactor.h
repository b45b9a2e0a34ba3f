#pragma once
#include "skills/redact/json_redactor.h"
#include "skills/redact/split_guard.h"

#include <optional>
#include <string>
#include <vector>

namespace upskill::redact {

// A record without definite secrets.
struct RedactedRecord {
  std::string bytes;
  Counts counts = {};
};

// Redacts the records of one trace, or the pieces of one text, in their order, and what goes over
// the border of two of them. For that it holds the last one back: what take() gives is the record
// before.
// Owner: whoever writes records. Thread: one at a time. Lifetime: one trace.
class RecordRedactor {
public:
  explicit RecordRedactor(RuleSet rules);

  // A record before the first one of take(), which was dealt with at another time: it is not given
  // back, but what goes on from it is found. Several in their order, for private keys are long.
  void prime(std::string record);
  // The record that was given before this one; nothing the first time.
  std::optional<RedactedRecord> take(std::string record);
  // The last one.
  std::optional<RedactedRecord> finish();

  // A secret goes on from what was primed to the first record of take(), which is redacted: a part
  // of the former was not known for one when it was dealt with.
  bool goes_on_from_primed() const { return m_goes_on_from_primed; }

private:
  struct Edge {
    RecordText place;
    std::string text;                 // what it says
    std::optional<Finding> last = {}; // in `text`, where it ends with it
  };

  struct Held {
    std::string bytes;
    std::vector<Finding> findings;
    std::vector<Edge> ends; // of its last texts
  };

  Edge end_of(const Held& record, RecordText text) const;
  Edge start_of(const Held& record, RecordText text) const;
  bool look_over_border(Held& later, std::vector<Edge>& starts);
  void add_parts(Held& record, const Edge& edge, std::vector<Finding> parts);
  RedactedRecord release(Held record);

  JsonRedactor m_redactor;
  SplitGuard m_guard;
  Redactor m_settler; // for its settle() alone
  std::optional<Held> m_held = {};
  bool m_is_primed = false; // m_held was
  bool m_goes_on_from_primed = false;
};

} // namespace upskill::redact
