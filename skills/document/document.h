#pragma once
#include "skills/document/front_matter.h"
#include "skills/document/repair.h"
#include "skills/document/yaml.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::document {

// A SKILL.md as the tolerant reader takes it: everything that can be known, whatever is wrong. The
// views point into the bytes that were read and live no longer than those.
struct Document {
  std::string name = {};        // stripped; empty where there is none
  std::string description = {}; // likewise
  FrontMatterSplit parts = {};  // raw front matter and body
  Yaml front_matter = {};       // null where it cannot be read
  std::vector<Repair> repairs = {};
  std::vector<std::string> problems = {}; // sentences; what the reader had to put up with

  bool repaired() const { return !repairs.empty(); }

  // The front matter as JSON, typed as YAML 1.2 core: MCP's `frontmatter`. `{}` where there is
  // none.
  std::string front_matter_json() const;
};

// Never fails. A front matter that is not YAML is repaired, else read line by line; one that is not
// closed (half written) is read as far as it goes. 1 to 2 us for a usual file.
Document read_document(std::string_view bytes);

} // namespace upskill::document
