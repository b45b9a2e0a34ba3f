#pragma once
#include "protocol/base/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace upskill::generate {

inline constexpr std::size_t k_max_draft = 512u << 10;     // bytes of a reply that are looked at
inline constexpr std::int64_t k_wanted_tokens = 500;       // of SKILL.md
inline constexpr std::int64_t k_most_tokens = 5000;        // of SKILL.md: more is asked for again
inline constexpr std::size_t k_most_draft_files = 20;      // beside SKILL.md
inline constexpr std::size_t k_max_draft_file = 64u << 10; // bytes of one

// A file beside SKILL.md. Those below `scripts/` are programs.
struct DraftFile {
  std::string text = {};
  bool is_program = false;

  friend bool operator==(const DraftFile&, const DraftFile&) = default;
};

// A skill as a teacher wrote it, once it can be one: the name is valid, the description is one
// line of at most 1,024 characters, there is a body, files lie below references/, scripts/ or
// assets/ and nowhere else.
struct Draft {
  std::string name = {};
  std::string description = {};
  std::string body = {};                       // markdown, ends with one newline
  std::map<std::string, DraftFile> files = {}; // by relative path
  std::vector<std::string> warnings = {};      // what was read with a grain of salt
  std::string front_matter = {}; // further fields, of a skill that is improved (kept_fields.h)

  friend bool operator==(const Draft&, const Draft&) = default;
};

// That a teacher finds no skill warranted, which is a legal answer: `NO SKILL: the reason` is the
// first line of its reply, or of the fence in it.
inline constexpr std::string_view k_no_skill = "NO SKILL";

struct NotWarranted {
  std::string reason = {}; // one line, at most 500 bytes

  friend bool operator==(const NotWarranted&, const NotWarranted&) = default;
};

using DraftReply = std::variant<Draft, NotWarranted>;

// What is known about the skill before it is written.
struct DraftWanted {
  std::string name = {}; // it must have this one (a skill that is improved); empty: any
  std::string task = {}; // a name is made of it where the reply has none that can be used
  std::string mark = {}; // Prompt::mark; empty: any that looks like one
  // Further files of the skill that is improved or refined. They stay unless the reply has another
  // text for the path; an empty text removes one.
  std::map<std::string, DraftFile> files = {};
};

// Reads a teacher's reply: SKILL.md as plain markdown, also with prose around it, in a code fence,
// with a front matter that is no YAML or is not there. invalid_argument: nothing of it can be a
// skill (prose alone, no body, no description), too_large: the body is over k_most_tokens. The
// message is one that the teacher can mend its reply by.
Result<DraftReply> read_draft(std::string_view reply, const DraftWanted& wanted);

// What a teacher is told whose reply could not be read.
std::string draft_correction(const Error& problem);

// SKILL.md: front matter with name and description that every YAML reader reads alike, further
// fields as they are, and the body.
std::string write_document(const Draft& draft);

// About how many tokens a model reads for each file, SKILL.md first.
struct FileTokens {
  std::string path = {};
  std::int64_t tokens = 0;

  friend bool operator==(const FileTokens&, const FileTokens&) = default;
};

std::vector<FileTokens> token_report(const Draft& draft);

// A name by the rules of the specification, of a text: `Parse YAML files!` -> `parse-yaml-files`.
// `skill` where nothing is left.
std::string name_from(std::string_view text);

} // namespace upskill::generate
