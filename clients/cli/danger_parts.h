#pragma once
#include "clients/cli/page.h"
#include "clients/cli/table.h"
#include "protocol/types/danger.h"

#include <cstddef>
#include <string>
#include <vector>

// What is dangerous in a skill, told the same by all who show it.
namespace upskill::cli {

// "severe" in red, and so on; "clean" where nothing was found.
Cell danger_cell(DangerSeverity danger);

// Which findings are shown; the others are counted.
enum class Notes { counted, shown };

// Each with its place, what was found and what to do, at most 20 of them, after `indent` spaces.
// They come the worst first.
void print_findings(Page& page,
                    const std::vector<DangerFinding>& findings,
                    Notes notes,
                    std::size_t indent);

// What a newer version may do besides; what acts without a question first.
void print_gains(Page& page, const std::vector<DangerGain>& gains, std::size_t indent);

// Digits of a hash, as many as a person needs to tell versions apart and `--allow` takes.
std::string brief_hash(const std::string& hash);

} // namespace upskill::cli
