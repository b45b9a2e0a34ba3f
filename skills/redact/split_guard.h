#pragma once
#include "skills/redact/redactor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::redact {

// Bytes of the end of one text, and of the beginning of the next, that are looked at together. More
// where a secret that is known already goes on.
inline constexpr std::size_t k_max_overlap = 512;

// What a secret over the border of two texts has of each of them. Places in either; nothing is
// there where it has nothing.
struct Split {
  std::vector<Finding> earlier = {};
  std::vector<Finding> later = {}; // is_open: it goes on behind this text too

  bool empty() const { return earlier.empty() && later.empty(); }
};

// Looks over the border of two texts that follow each other: messages, or pieces of one stream.
// Both are as they were before either was redacted. Definite secrets alone.
// Owner, thread and lifetime: as Redactor.
class SplitGuard {
public:
  explicit SplitGuard(RuleSet rules);

  // `last`: the last finding of the earlier text, where it ends with it. The view ends with the
  // next call.
  const Split& between(std::string_view earlier,
                       std::string_view later,
                       const std::optional<Finding>& last = {});

private:
  void continue_block(std::string_view later, std::size_t from, std::uint16_t rule);

  Redactor m_redactor;
  std::string m_joined = {};
  std::vector<Finding> m_findings = {};
  Split m_split = {};
};

} // namespace upskill::redact
