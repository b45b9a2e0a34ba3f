#include "skills/generate/other_texts.h"

#include "skills/eval/prompt_text.h"
#include "skills/generate/test_cases.h"

#include <algorithm>

namespace upskill::generate {
namespace {

// Bytes, and numbers of texts. Evidence is bounded by who distils it; this is for what goes wrong.
constexpr std::size_t k_task_room = 20'000;
constexpr std::size_t k_examples_room = 100'000;
constexpr std::size_t k_tools_room = 200'000;
constexpr std::size_t k_evidence_room = 400'000;
constexpr std::size_t k_files_room = 200'000;
constexpr std::size_t k_most_examples = 50;
constexpr std::size_t k_most_tools = 100;

std::string tool_text(const ToolSchema& tool) {
  std::string text = tool.name + "\n";
  for (const std::string& part : {tool.description, tool.schema}) {
    text += part.empty() ? "" : "\n" + part + "\n";
  }
  return text;
}

} // namespace

void OtherTexts::add(std::string name, std::string_view text, std::size_t limit) {
  if (!text.empty()) {
    m_names.push_back(std::move(name));
    m_texts.push_back(eval::cut_middle(text, limit));
  }
}

void OtherTexts::add_each(std::string_view name,
                          const std::vector<std::string>& texts,
                          std::size_t most,
                          std::size_t room) {
  std::size_t shown = std::min(texts.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    add(std::string(name) + " " + std::to_string(i + 1), texts[i], room / shown);
  }
}

std::string OtherTexts::mark() const {
  return eval::mark_for(m_texts);
}

std::string OtherTexts::fenced(std::string_view mark) const {
  std::string out;
  for (std::size_t i = 0; i < m_texts.size(); ++i) {
    out += i == 0 ? "" : "\n";
    out += eval::fenced(m_names[i], m_texts[i], mark);
  }
  return out;
}

void add_task(OtherTexts& texts, std::string_view task) {
  texts.add("task", task, k_task_room);
}

void add_examples(OtherTexts& texts, const std::vector<std::string>& examples) {
  texts.add_each("example", examples, k_most_examples, k_examples_room);
}

void add_tools(OtherTexts& texts, const std::vector<ToolSchema>& tools) {
  std::vector<std::string> shown;
  std::ranges::transform(tools, std::back_inserter(shown), tool_text);
  texts.add_each("tool", shown, k_most_tools, k_tools_room);
}

void add_evidence(OtherTexts& texts, std::string_view name, std::string_view evidence) {
  texts.add(std::string(name), evidence, k_evidence_room);
}

void add_draft(OtherTexts& texts, const Draft& draft) {
  texts.add("skill", write_document(draft), k_max_skill_text);
  std::vector<std::string> files;
  for (const auto& [path, file] : draft.files) {
    files.push_back(path + "\n\n" + file.text);
  }
  texts.add_each("file", files, k_most_draft_files, k_files_room);
}

} // namespace upskill::generate
