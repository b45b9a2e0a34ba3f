#pragma once
#include "protocol/base/result.h"
#include "skills/generate/other_texts.h"
#include "skills/generate/prompt.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::generate {

// A file of prompts/, with the parts in it that prompts share (prompts/parts/). What it is asked
// with stands for `{{names}}`.
struct PromptFile {
  std::string name = {};
  std::string version = {};
  std::string system = {};
  std::string user = {};

  friend bool operator==(const PromptFile&, const PromptFile&) = default;
};

// Strict: front matter of `name` and `version`, then `# system` and `# user`, each once and with a
// text. `{{part NAME}}` must be the name of a part. invalid_argument says what is wrong.
Result<PromptFile> read_prompt_file(std::string_view text);

// Those that the program has, in the order of the alphabet.
std::vector<std::string> prompt_names();
Result<PromptFile> find_prompt(std::string_view name);

using Values = std::map<std::string, std::string, std::less<>>;

// Puts values in for `{{names}}`, once: what looks like one in a value is text. invalid_argument
// where a name has no value.
Result<std::string> fill(std::string_view text, const Values& values);

// The prompt `name`. Beside `values`, its file may use `mark` and `texts` (of the texts),
// `wanted_tokens`, `most_tokens` and `most_description`. A file or a value that is missing is a
// bug, which tests look for, and gives a prompt without text.
Prompt make_prompt(std::string_view name,
                   const OtherTexts& texts,
                   Values values = {},
                   std::string_view schema = {});
// The same for prompts whose replies are drafts: the mark is told to who reads the reply.
Prompt make_draft_prompt(std::string_view name, const OtherTexts& texts);

} // namespace upskill::generate
