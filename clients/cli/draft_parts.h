#pragma once
#include "clients/cli/page.h"
#include "protocol/types/generate.h"

#include <string_view>
#include <vector>

// How a skill that a model wrote is told, the same by all who show it.
namespace upskill::cli {

// A line for each file with "~520 tokens".
void print_files(Page& page, const std::vector<GeneratedFile>& files);
// A SKILL.md, set off from what we say ourselves; nothing for an empty one.
void print_document(Page& page, std::string_view document);

} // namespace upskill::cli
