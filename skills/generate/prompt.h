#pragma once
#include <string>

namespace upskill::generate {

// What a model is asked. The same request gives the same bytes, so that an answer is found again.
struct Prompt {
  std::string name = {};    // of its file in prompts/
  std::string version = {}; // of that file
  std::string system = {};
  std::string user = {};
  std::string schema = {}; // JSON Schema of the reply; empty: the reply is plain markdown
  std::string mark = {};   // of a draft: behind it stand further files, as DraftWanted::mark
};

} // namespace upskill::generate
