#include "skills/generate/prompt_file.h"

#include "protocol/base/utf8.h"
#include "skills/document/fields.h"
#include "skills/generate/draft.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace upskill::generate {

using EmbeddedRow = std::pair<std::string_view, std::string_view>; // name, bytes
extern const std::span<const EmbeddedRow> k_embedded_prompts;
extern const std::span<const EmbeddedRow> k_embedded_parts;

namespace {

constexpr std::string_view k_system = "# system\n";
constexpr std::string_view k_user = "\n# user\n";
constexpr std::string_view k_part = "part ";

tl::unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

std::string_view trim_lines(std::string_view text) {
  std::size_t first = std::min(text.find_first_not_of('\n'), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

bool is_word(std::string_view text) {
  return !text.empty()
         && std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

bool is_number(std::string_view text) {
  return !text.empty() && text.front() != '0'
         && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Takes `KEY: VALUE` and its line feed from the front of the text; nothing where it is not there.
std::string_view take_field(std::string_view& text, std::string_view key) {
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.size() == text.size() || !line.starts_with(key)
      || !line.substr(key.size()).starts_with(": ")) {
    return {};
  }
  text.remove_prefix(line.size() + 1);
  return line.substr(key.size() + 2);
}

bool take_line(std::string_view& text, std::string_view line) {
  if (!text.starts_with(line) || !text.substr(line.size()).starts_with('\n')) {
    return false;
  }
  text.remove_prefix(line.size() + 1);
  return true;
}

const EmbeddedRow* find_row(std::span<const EmbeddedRow> rows, std::string_view name) {
  auto at = std::ranges::find(rows, name, &EmbeddedRow::first);
  return at == rows.end() ? nullptr : &*at;
}

Result<std::string> read_part(std::string_view name) {
  const EmbeddedRow* row = find_row(k_embedded_parts, name);
  if (row == nullptr) {
    return wrong("there is no part " + in_backticks(name));
  }
  std::string_view text = row->second;
  if (!take_line(text, "---") || take_field(text, "name") != name || !take_line(text, "---")) {
    return wrong("the part " + in_backticks(name) + " must begin with its `name`");
  }
  return std::string(trim_lines(text));
}

// What `replace` gives for each name between two pairs of braces.
template <class Replace> Result<std::string> replace_names(std::string_view text, Replace replace) {
  std::string out;
  for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{")) {
    std::size_t end = text.find("}}", at);
    if (end == std::string_view::npos) {
      return wrong("a `{{` has no `}}`");
    }
    std::string_view name = text.substr(at + 2, end - at - 2);
    std::string_view word = name.starts_with(k_part) ? name.substr(k_part.size()) : name;
    if (!is_word(word)) {
      return wrong(in_backticks(name) + " cannot be a name of something to fill in");
    }
    TRY_ASSIGN(std::string value, replace(name));
    out += text.substr(0, at);
    out += value;
    text.remove_prefix(end + 2);
  }
  return out += text;
}

Result<std::string> put_parts_in(std::string_view text) {
  return replace_names(text, [](std::string_view name) -> Result<std::string> {
    return name.starts_with(k_part) ? read_part(name.substr(k_part.size()))
                                    : "{{" + std::string(name) + "}}";
  });
}

} // namespace

Result<PromptFile> read_prompt_file(std::string_view text) {
  PromptFile file;
  if (!take_line(text, "---")) {
    return wrong("the prompt does not begin with `---`");
  }
  file.name = take_field(text, "name");
  file.version = take_field(text, "version");
  if (!is_word(file.name) || !is_number(file.version) || !take_line(text, "---")) {
    return wrong("the front matter of a prompt is a `name` and a `version`, a whole number");
  }
  std::size_t user = text.find(k_user);
  if (!text.starts_with(k_system) || user == std::string_view::npos) {
    return wrong("a prompt has `# system` and then `# user`");
  }
  if (text.find(k_user, user + 1) != std::string_view::npos
      || text.find("\n" + std::string(k_system)) != std::string_view::npos) {
    return wrong("a prompt has `# system` and `# user` once");
  }
  std::string_view system_text = trim_lines(text.substr(k_system.size(), user - k_system.size()));
  std::string_view user_text = trim_lines(text.substr(user + k_user.size()));
  if (system_text.empty() || user_text.empty()) {
    return wrong("a part of the prompt has no text");
  }
  TRY_ASSIGN(file.system, put_parts_in(system_text));
  TRY_ASSIGN(file.user, put_parts_in(user_text));
  return file;
}

std::vector<std::string> prompt_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : k_embedded_prompts) {
    names.emplace_back(name);
  }
  return names;
}

Result<PromptFile> find_prompt(std::string_view name) {
  const EmbeddedRow* row = find_row(k_embedded_prompts, name);
  if (row == nullptr) {
    return fail(ErrorCode::not_found, "there is no prompt " + in_backticks(name));
  }
  TRY_ASSIGN(PromptFile file, read_prompt_file(row->second));
  if (file.name != name) {
    return wrong("the prompt in " + in_backticks(name) + " has another name");
  }
  return file;
}

Result<std::string> fill(std::string_view text, const Values& values) {
  return replace_names(text, [&](std::string_view name) -> Result<std::string> {
    auto at = values.find(name);
    if (at == values.end()) {
      return wrong("nothing is there to fill in for " + in_backticks(name));
    }
    return at->second;
  });
}

Prompt make_prompt(std::string_view name,
                   const OtherTexts& texts,
                   Values values,
                   std::string_view schema) {
  std::string mark = texts.mark();
  values.emplace("mark", mark);
  values.emplace("texts", texts.fenced(mark));
  values.emplace("wanted_tokens", std::to_string(k_wanted_tokens));
  values.emplace("most_tokens", std::to_string(k_most_tokens));
  values.emplace("most_description", std::to_string(document::k_max_description));
  Result<PromptFile> file = find_prompt(name);
  if (!file) {
    return {};
  }
  Result<std::string> system = fill(file->system, values);
  Result<std::string> user = fill(file->user, values);
  if (!system || !user) {
    return {};
  }
  return {std::move(file->name),
          std::move(file->version),
          std::move(*system),
          std::move(*user),
          std::string(schema)};
}

Prompt make_draft_prompt(std::string_view name, const OtherTexts& texts) {
  Prompt prompt = make_prompt(name, texts);
  prompt.mark = texts.mark();
  return prompt;
}

} // namespace upskill::generate
