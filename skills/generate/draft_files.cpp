#include "skills/generate/draft_files.h"

#include "protocol/base/utf8.h"
#include "skills/document/unicode.h"
#include "skills/generate/visible_text.h"

#include <algorithm>
#include <array>
#include <set>

namespace upskill::generate {
namespace {

constexpr std::string_view k_file = "FILE ";
constexpr std::string_view k_programs = "scripts/";
constexpr std::array<std::string_view, 3> k_folders{"references/", k_programs, "assets/"};
constexpr std::size_t k_mark_digits = 16; // of eval::mark_for()
constexpr std::size_t k_most_path = 200;  // bytes
constexpr std::size_t k_most_depth = 4;   // names of a path
constexpr std::size_t k_shown = 100;      // bytes of a path in a message
constexpr std::string_view k_hint = "paths begin with `references/`, `scripts/` or `assets/`";

// What stands behind the mark; nothing where the line has none, or another one.
std::string_view path_of(std::string_view line, std::string_view mark) {
  if (!begins_file(line)) {
    return {};
  }
  std::string_view written = line.substr(k_file.size(), k_mark_digits);
  return mark.empty() || mark == written
             ? document::strip(line.substr(k_file.size() + k_mark_digits))
             : std::string_view{};
}

bool is_file(Lines lines, std::size_t at, std::string_view mark) {
  if (path_of(lines[at], mark).empty()) {
    return false;
  }
  std::size_t next = next_text(lines, at + 1);
  return !mark.empty() || (next < lines.size() && fence_of(lines[next]));
}

bool leads_out(std::string_view path) {
  if (path.starts_with('/') || path.starts_with('~') || path.find('\\') != std::string_view::npos
      || (path.size() > 1 && path[1] == ':')) {
    return true;
  }
  while (!path.empty()) {
    std::string_view name = path.substr(0, path.find('/'));
    if (name == "..") {
      return true;
    }
    path.remove_prefix(std::min(name.size() + 1, path.size()));
  }
  return false;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.'
         || c == '_' || c == '-' || c == '/';
}

// Why a path cannot be a file of a skill; empty: it can.
std::string_view refusal_of(std::string_view path) {
  constexpr std::array<std::string_view, 2> k_our_files{"skill.md", "skill_meta.json"};
  if (path.size() > k_most_path) {
    return "its path is too long";
  }
  if (!std::ranges::all_of(path, is_plain)) {
    return "its path has other characters than letters, digits, `.`, `_` and `-`";
  }
  if (std::ranges::none_of(k_folders,
                           [&](std::string_view one) { return path.starts_with(one); })) {
    return "it lies outside `references/`, `scripts/` and `assets/`";
  }
  std::size_t depth = 0;
  while (!path.empty()) {
    std::size_t end = path.find('/');
    std::string_view name = path.substr(0, end);
    bool is_last = end == std::string_view::npos;
    if (name.empty() || name.starts_with('.') || name.ends_with('.')
        || (!is_last && end + 1 == path.size())) {
      return "a name in its path is empty, or begins or ends with a dot";
    }
    if (std::ranges::find(k_our_files, document::fold_case(name)) != k_our_files.end()) {
      return "its name is one of ours";
    }
    if (++depth > k_most_depth) {
      return "it lies too deep";
    }
    path.remove_prefix(is_last ? path.size() : end + 1);
  }
  return {};
}

// One file at the place of another's folder, or of a file that differs in case only, which is the
// same file to many systems.
bool is_in_the_way(const std::map<std::string, DraftFile>& files, std::string_view path) {
  std::string folded = document::fold_case(path);
  return std::ranges::any_of(files, [&](const auto& file) {
    std::string other = document::fold_case(file.first);
    return (other == folded && file.first != path) || other.starts_with(folded + "/")
           || folded.starts_with(other + "/");
  });
}

std::string shown(std::string_view path) {
  return in_backticks(utf8_prefix(one_line(path), k_shown));
}

class FileReader {
public:
  FileReader(std::map<std::string, DraftFile>& files, std::vector<std::string>& warnings)
      : m_files(files)
      , m_warnings(warnings) {}

  Result<void> add(std::string_view path, std::string text) {
    if (leads_out(path)) {
      return refuse(ErrorCode::invalid_argument,
                    "the file " + shown(path) + " lies outside the skill's folder",
                    std::string(k_hint));
    }
    if (++m_written > k_most_draft_files) {
      return too_many();
    }
    if (text.size() > k_max_draft_file) {
      return refuse(ErrorCode::too_large,
                    "the file " + shown(path) + " has " + std::to_string(text.size()) + " bytes, "
                        + std::to_string(k_max_draft_file) + " are allowed",
                    "leave out what is rarely needed");
    }
    if (std::string_view why = refusal_of(path); !why.empty()) {
      leave_out(path, why);
    } else if (!m_paths.insert(std::string(path)).second) {
      leave_out(path, "another one has its path");
    } else if (document::strip(text).empty()) {
      remove(path);
    } else if (is_in_the_way(m_files, path)) {
      leave_out(path, "another one has its place");
    } else {
      keep(std::string(path), std::move(text));
    }
    return m_files.size() > k_most_draft_files ? too_many() : Result<void>{};
  }

private:
  static Result<void> refuse(ErrorCode code, std::string message, std::string hint) {
    return fail(code, std::move(message), std::move(hint));
  }

  static Result<void> too_many() {
    return refuse(ErrorCode::too_large,
                  "the skill has more than " + std::to_string(k_most_draft_files)
                      + " further files",
                  "put together what is read together");
  }

  void leave_out(std::string_view path, std::string_view why) {
    m_warnings.push_back("the file " + shown(path) + " is left out: " + std::string(why));
  }

  void remove(std::string_view path) {
    if (m_files.erase(std::string(path)) == 0) {
      leave_out(path, "it is empty");
    }
  }

  void keep(std::string path, std::string text) {
    DraftFile file{std::move(text), path.starts_with(k_programs)};
    if (file.is_program && !file.text.starts_with("#!")) {
      m_warnings.push_back("the program " + shown(path) + " has no `#!` line");
    }
    m_files.insert_or_assign(std::move(path), std::move(file));
  }

  std::map<std::string, DraftFile>& m_files;
  std::vector<std::string>& m_warnings;
  std::set<std::string> m_paths = {};
  std::size_t m_written = 0;
};

} // namespace

bool begins_file(std::string_view line) {
  if (!line.starts_with(k_file)) {
    return false;
  }
  line.remove_prefix(k_file.size());
  return line.find_first_not_of("0123456789abcdef") == k_mark_digits && line[k_mark_digits] == ' ';
}

std::size_t find_files(Lines lines, std::string_view mark) {
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (is_file(lines, at, mark)) {
      return at;
    }
  }
  return lines.size();
}

Result<void> read_files(Lines lines,
                        std::string_view mark,
                        std::map<std::string, DraftFile>& files,
                        std::vector<std::string>& warnings) {
  FileReader reader(files, warnings);
  for (std::size_t at = find_files(lines, mark); at < lines.size();) {
    std::string_view path = path_of(lines[at], mark);
    std::size_t open = next_text(lines, at + 1);
    if (open == lines.size() || !fence_of(lines[open])) {
      return fail(ErrorCode::invalid_argument,
                  "no text in a code block follows the line of the file " + shown(path),
                  "write the text between two lines of four backticks");
    }
    std::size_t end = end_of_block(lines, open);
    if (end == lines.size()) {
      return fail(ErrorCode::invalid_argument,
                  "the text of the file " + shown(path) + " has no end",
                  "write it between two lines of four backticks");
    }
    std::string text = visible_text(join_lines(lines.subspan(open + 1, end - open - 1))).text;
    TRY(reader.add(path, std::move(text)));
    at = end + 1;
    at += find_files(lines.subspan(at), mark);
  }
  return {};
}

} // namespace upskill::generate
