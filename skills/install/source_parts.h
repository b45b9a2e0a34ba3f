#pragma once
#include "protocol/base/result.h"
#include "skills/install/source.h"
#include "skills/install/web_address.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the forms of sources have in common. For source.cpp, hosted_source.cpp and
// source_words.cpp only, and `%XX` for web_address.cpp.
namespace upskill::install {

inline constexpr std::size_t k_longest_source = 4096; // bytes of the words

tl::unexpected<Error> no_source(std::string message, std::string hint = {});

// The words as a message shows them: cut, and without what stands before an `@` of an address.
std::string shown_words(std::string_view words);

// `%XX` as the byte that it means; what is not whole stays as it is.
std::string percent_decoded(std::string_view text);
// `%`, blanks, control characters and every byte of `reserved` as `%XX`.
std::string percent_encoded(std::string_view text, std::string_view reserved);

// The parts between slashes that are not empty.
std::vector<std::string_view> path_parts(std::string_view path);
// The parts from `first` to before `last`, with slashes between them.
std::string joined(const std::vector<std::string_view>& parts,
                   std::size_t first,
                   std::size_t last = std::string_view::npos);

// A folder within a source: relative, `.` and empty parts left out, and a SKILL.md at its end.
// Errors: `..`, a control character, what is no UTF-8.
Result<std::string> inner_folder(std::string_view path);

// What follows `#` of a git source: `ref`, `ref@skill`, `@skill`; percent-encoded where it has an
// `@` of its own.
struct Fragment {
  std::string ref = {};
  std::string skill = {};
};

Result<Fragment> read_fragment(std::string_view text);

// A git source at an address, with the name and type that come of it. A ref of the address itself
// goes before that of the fragment. Errors: a ref that is none for git, or that git would take for
// an option; a skill that both name.
Result<Source> git_source(std::string address,
                          std::string ref,
                          std::string_view folder,
                          const Fragment& fragment,
                          std::string skill = {});

// `/repo.git//folder`: what is before the folder, and the folder.
struct InnerSplit {
  std::string_view before;
  std::string_view folder;
};

InnerSplit split_inner(std::string_view path);

bool is_document_name(std::string_view path); // `SKILL.md` at its end, whatever its case
bool is_archive_name(std::string_view path);  // `.skill`, `.zip`, `.tar.gz`, `.tgz` at its end

// `owner/repo` as GitHub and its like have them, `.git` at its end left out. Errors: what is none.
Result<std::string> repository_name(std::string_view owner, std::string_view repository);

} // namespace upskill::install
