#pragma once
#include "protocol/base/result.h"

#include <string>
#include <vector>

namespace upskill::cli {

struct Document {
  std::string name;
  std::string text;
};

// The method reference, in Markdown.
std::string method_reference();
// The command reference, in Markdown.
std::string command_reference();

// Everything in clients/generated.
std::vector<Document> generated_documents();
// Writes them into a folder, which is made.
Result<void> write_reference(const std::string& folder);

} // namespace upskill::cli
