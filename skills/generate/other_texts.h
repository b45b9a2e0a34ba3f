#pragma once
#include "skills/generate/draft.h"
#include "skills/generate/prompts.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::generate {

// The texts of others in one prompt, in the order in which they are shown, each bounded and behind
// the mark of them all.
class OtherTexts {
public:
  // Names are ours. A text is cut in its middle to about `limit` bytes; an empty one is not shown.
  void add(std::string name, std::string_view text, std::size_t limit);
  // `name 1` and so on: the first `most` of them, with `room` bytes for all.
  void add_each(std::string_view name,
                const std::vector<std::string>& texts,
                std::size_t most,
                std::size_t room);

  std::string mark() const;
  // An empty line between two of them; ends with a line feed, where there are any.
  std::string fenced(std::string_view mark) const;

private:
  std::vector<std::string> m_names = {};
  std::vector<std::string> m_texts = {};
};

// What several prompts show.
void add_task(OtherTexts& texts, std::string_view task);
void add_examples(OtherTexts& texts, const std::vector<std::string>& examples);
void add_tools(OtherTexts& texts, const std::vector<ToolSchema>& tools);
void add_evidence(OtherTexts& texts, std::string_view name, std::string_view evidence);
// SKILL.md, and the further files with their paths.
void add_draft(OtherTexts& texts, const Draft& draft);

} // namespace upskill::generate
