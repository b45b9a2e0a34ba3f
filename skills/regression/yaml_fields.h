#pragma once
#include "skills/document/yaml.h"
#include "skills/eval/fields.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::regression {

// The members of one mapping of a YAML file, whose problems name their line: "evals/watch.yaml:7:
// `budget.hour.usd` must be ..". A member that is null is absent. The first problem stays in the
// findings, so that the code that reads is a list of fields. Lives as long as the mapping and the
// findings do.
class YamlFields {
public:
  // `before_line` is what stands before a line's number ("evals/watch.yaml:", "line "); `path` what
  // stands before a key ("budget.").
  YamlFields(const document::Yaml& mapping,
             std::string before_line,
             std::string path,
             eval::Findings& findings);

  // Null where it is absent. Whatever is asked for is a key of the mapping.
  const document::Yaml* find(std::string_view key);
  std::optional<std::string> word(std::string_view key, std::span<const std::string_view> known);
  std::optional<std::int64_t> whole(std::string_view key, std::int64_t least, std::int64_t most);
  std::optional<double> number(std::string_view key, double least, double most);
  std::optional<bool> flag(std::string_view key);
  // A list of texts, or one text: not empty, without control characters, at most `most` of at most
  // `bytes` each. Empty where it is absent, and nowhere else.
  std::vector<std::string> texts(std::string_view key, std::size_t most, std::size_t bytes);
  // The mapping that is its value.
  std::optional<YamlFields> inner(std::string_view key);

  // Every key that was not asked for, with the one that may have been meant, is a warning.
  void warn_of_others();
  // A problem of the key, and of one that is there but may not be.
  void refuse(std::string_view key, std::string_view what, std::string hint = {});
  void warn(std::string_view key, std::string_view what);

private:
  std::string line(std::string_view key, std::string_view what) const;

  const document::Yaml& m_mapping;
  std::string m_before_line;
  std::string m_path;
  eval::Findings& m_findings;
  std::set<std::string, std::less<>> m_asked = {};
};

// A key or a name as a message may show it: short, and without what acts on a terminal.
std::string shown(std::string_view text);

} // namespace upskill::regression
