#pragma once
#include "skills/generate/draft.h"
#include "skills/generate/reply_lines.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Where SKILL.md is in a reply that may have other words around it.
namespace upskill::generate {

// The lines of a reply that are SKILL.md, and those that may be further files.
struct ReplyDocument {
  std::vector<std::string_view> document = {}; // begins with `---`, a heading, or `name:`
  std::vector<std::string_view> rest = {};     // from the first line of a file on
  bool is_unclosed = false;                    // the fence around it has no end
};

// In this order: from a `---` that a name or a description follows, from the first line of a fence
// with markdown in it, from the first heading or field. Nothing where there is none of them.
std::optional<ReplyDocument> find_document(Lines reply, std::string_view mark);

// The reason behind `NO SKILL:`, where that is the first line of the reply or of its first fence.
std::optional<NotWarranted> find_refusal(Lines reply);

// The value of a line such as `name: x`, `**Description:** x` or `- Name: "x"`; empty: it is none.
std::string_view loose_field(std::string_view line, std::string_view key);

bool is_heading(std::string_view line);

} // namespace upskill::generate
