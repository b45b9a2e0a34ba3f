#pragma once
#include "skills/store/trace_query.h"
#include "skills/store/trace_rows.h"

#include <span>

namespace upskill::store {

inline constexpr std::size_t k_snippet = 240; // bytes of its text

// The first place where one of the terms stands: in prompts, else in work, else in answers. Where
// none stands in them (the title is shown anyway), what the session begins with, unmarked.
Snippet make_snippet(const IndexText& text, std::span<const QueryTerm> terms);

} // namespace upskill::store
