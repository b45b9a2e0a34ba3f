#pragma once
#include "protocol/methods.h"

#include <string>
#include <string_view>

// Parts of the references, in Markdown.
namespace upskill::cli {

inline constexpr std::string_view k_generated_notice =
    "<!-- Written by `upskill reference --output clients/generated`; do not edit. -->\n\n";

// For a cell of a table.
std::string cell(std::string_view text);

// The fields of a JSON Schema's object, and below them those of the objects within, dotted; `none`
// where it has none.
std::string fields_table(const std::string& schema_text);

std::string_view effect_name(Effect effect);

} // namespace upskill::cli
