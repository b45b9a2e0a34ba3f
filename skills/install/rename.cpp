#include "skills/install/rename.h"

#include "protocol/base/utf8.h"
#include "skills/document/document.h"
#include "skills/document/reference.h"
#include "skills/document/unicode.h"
#include "skills/library/names.h"

#include <algorithm>
#include <array>
#include <optional>

namespace upskill::install {
namespace {

constexpr std::string_view k_blank = " \t\r";

bool is_skill_name(std::string_view name) {
  if (!is_utf8(name) || !document::is_letters_digits_hyphens(name) || library::refused_name(name)
      || library::ignored_name(name)) {
    return false;
  }
  std::string text = "---\nname: " + std::string(name) + "\ndescription: x\n---\n";
  return document::validate_as_reference(text, name).empty() && document::to_nfkc(name) == name;
}

// What some reader of YAML takes for a number, a date or a truth where it stands bare.
bool needs_quotes(std::string_view name) {
  constexpr std::array<std::string_view, 9> k_words{
      "null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  return (name.front() >= '0' && name.front() <= '9')
         || std::ranges::find(k_words, name) != k_words.end();
}

// Where a value stands in a line; nothing where it is none that is simple.
struct Span {
  std::size_t begin;
  std::size_t end;
};

// The end of a quoted text that begins at `at`, behind its last quote.
std::optional<std::size_t> end_of_quoted(std::string_view line, std::size_t at) {
  char quote = line[at];
  for (++at; at < line.size(); ++at) {
    if (line[at] == '\\' && quote == '"') {
      ++at;
    } else if (line[at] == quote) {
      if (quote == '"' || !line.substr(at + 1).starts_with(quote)) {
        return at + 1;
      }
      ++at; // `''`
    }
  }
  return std::nullopt;
}

std::optional<Span> value_in(std::string_view line) {
  constexpr std::string_view k_key = "name";
  std::size_t colon = line.find_first_not_of(" \t", k_key.size());
  if (!line.starts_with(k_key) || colon == std::string_view::npos || line[colon] != ':') {
    return std::nullopt;
  }
  std::size_t begin = line.find_first_not_of(k_blank, colon + 1);
  if (begin == std::string_view::npos || begin == colon + 1) {
    return std::nullopt;
  }
  if (line[begin] == '\'' || line[begin] == '"') {
    std::optional<std::size_t> end = end_of_quoted(line, begin);
    std::size_t next = end ? line.find_first_not_of(k_blank, *end) : std::string_view::npos;
    bool goes_on = next != std::string_view::npos && (line[next] != '#' || next == *end);
    return end && !goes_on ? std::optional<Span>({begin, *end}) : std::nullopt;
  }
  if (std::string_view("|>&*!{}[],#%@`").find(line[begin]) != std::string_view::npos) {
    return std::nullopt;
  }
  std::size_t comment = std::min(line.find(" #", begin), line.find("\t#", begin));
  std::size_t last = line.substr(0, comment).find_last_not_of(k_blank);
  return Span{begin, last + 1};
}

// The value of the only `name:` line of a front matter.
std::optional<Span> name_in(std::string_view bytes, std::string_view yaml) {
  std::optional<Span> found;
  auto offset = static_cast<std::size_t>(yaml.data() - bytes.data());
  for (std::size_t begin = 0; begin < yaml.size();) {
    std::size_t end = std::min(yaml.find('\n', begin), yaml.size());
    if (std::optional<Span> value = value_in(yaml.substr(begin, end - begin))) {
      if (found) {
        return std::nullopt;
      }
      found = Span{offset + begin + value->begin, offset + begin + value->end};
    }
    begin = end + 1;
  }
  return found;
}

// Whether nothing but the name is another.
bool is_only_renamed(const document::Document& before,
                     const document::Document& after,
                     std::string_view name) {
  const std::vector<document::YamlMember>& old = before.front_matter.members;
  const std::vector<document::YamlMember>& now = after.front_matter.members;
  return after.name == name && after.description == before.description
         && std::ranges::equal(old, now, [](const auto& a, const auto& b) {
              return a.key == b.key
                     && (a.key == "name" || document::same_content(a.value, b.value));
            });
}

} // namespace

Result<sync::NewFiles> renamed(sync::NewFiles files, std::string_view name) {
  if (!is_skill_name(name)) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(utf8_prefix(name, 100)) + " is no name for a skill",
                "use 1 to 64 lower-case letters, digits and single hyphens between them");
  }
  auto file = files.find("SKILL.md");
  if (file == files.end()) {
    file = files.find("skill.md");
  }
  if (file == files.end() || !file->second.target.empty()) {
    return fail(ErrorCode::invalid_argument, "the skill has no `SKILL.md` to change the name in");
  }
  std::string& bytes = file->second.bytes;
  document::Document before = document::read_document(bytes);
  std::optional<Span> value;
  if (before.parts.state == document::FenceState::closed) {
    value = name_in(bytes, before.parts.yaml);
  }
  std::string changed;
  if (value) {
    char quote = bytes[value->begin];
    bool is_quoted = quote == '"' || quote == '\'';
    std::string written(name);
    if (is_quoted || needs_quotes(name)) {
      written = (is_quoted ? quote : '"') + written + (is_quoted ? quote : '"');
    }
    changed = bytes;
    changed.replace(value->begin, value->end - value->begin, written);
  }
  if (!value || !is_only_renamed(before, document::read_document(changed), name)) {
    return fail(ErrorCode::invalid_argument,
                "the skill cannot be given another name: its `SKILL.md` has no plain `name:` line",
                "its author may write one, such as `name: pdf`");
  }
  bytes = std::move(changed);
  return files;
}

} // namespace upskill::install
