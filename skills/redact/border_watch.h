#pragma once
#include "skills/redact/split_guard.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::redact {

// Tells whether a definite secret goes over the border of texts that are cleaned one by one: then
// each holds a part that no rule knows, and what they come from has to be read with a
// RecordRedactor, which costs several times as much. It looks at a few words of each end alone.
// Owner, thread and lifetime: whoever cleans the texts of one trace, in their order.
class BorderWatch {
public:
  explicit BorderWatch(RuleSet rules);

  // `text` as it is before anything was replaced in it, and all that was found in it.
  void take(std::string_view text, const std::vector<Finding>& found);

  // Once true it stays so.
  bool met() const { return m_met; }

private:
  struct End {
    std::string text = {};
    std::optional<Finding> last = {}; // definite, in `text`, where it ends with it
  };

  End end_of(std::string_view text, const std::vector<Finding>& found) const;

  static constexpr std::size_t k_texts = 3; // what a tool printed may stand in a record twice

  SplitGuard m_guard;
  RuleSet m_rules;
  std::array<End, k_texts> m_ends = {};
  std::size_t m_next = 0; // in m_ends
  bool m_met = false;
};

} // namespace upskill::redact
