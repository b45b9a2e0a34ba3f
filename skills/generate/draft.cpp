#include "skills/generate/draft.h"

#include "protocol/base/utf8.h"
#include "skills/document/document.h"
#include "skills/document/fields.h"
#include "skills/document/tokens.h"
#include "skills/document/unicode.h"
#include "skills/generate/draft_files.h"
#include "skills/generate/draft_name.h"
#include "skills/generate/reply_document.h"
#include "skills/generate/reply_lines.h"
#include "skills/generate/visible_text.h"

#include <optional>
#include <utility>

namespace upskill::generate {
namespace {

constexpr std::size_t k_most_warnings = 100;
constexpr std::size_t k_shown = 100; // bytes of the reply's words in a message

std::string shown(std::string_view text) {
  return in_backticks(utf8_prefix(one_line(text), k_shown));
}

// Some servers leave what a model thinks in front of what it says.
std::string_view without_thoughts(std::string_view reply) {
  constexpr std::string_view k_begin = "<think>";
  constexpr std::string_view k_end = "</think>";
  std::size_t end =
      document::strip(reply).starts_with(k_begin) ? reply.find(k_end) : std::string_view::npos;
  return end == std::string_view::npos ? reply : reply.substr(end + k_end.size());
}

// All of the reply but the lines of files, whose paths are judged as they are.
VisibleText visible_reply(std::string_view reply) {
  constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
  reply.remove_prefix(reply.starts_with(k_byte_order_mark) ? k_byte_order_mark.size() : 0);
  VisibleText visible;
  while (!reply.empty()) {
    std::size_t end = reply.find('\n');
    std::string_view line = reply.substr(0, end == std::string_view::npos ? end : end + 1);
    reply.remove_prefix(line.size());
    if (begins_file(line)) {
      visible.text += to_valid_utf8(line);
      continue;
    }
    VisibleText one = visible_text(line);
    visible.text += one.text;
    visible.removed += one.removed;
  }
  return visible;
}

// Name, description and body, before anything is known to be right.
struct Written {
  std::string name = {};
  std::string description = {};
  std::string body = {};
  std::string heading = {};
};

// A front matter that nobody closed ends before the first empty line or heading.
std::string body_of_unclosed(std::string_view yaml) {
  std::vector<std::string_view> lines = split_lines(yaml);
  std::size_t at = 0;
  while (at < lines.size() && !is_blank(lines[at]) && !is_heading(lines[at])) {
    ++at;
  }
  return join_lines(Lines(lines).subspan(at));
}

class DraftReader {
public:
  explicit DraftReader(const DraftWanted& wanted)
      : m_wanted(wanted) {}

  Result<Draft> read(const ReplyDocument& found) {
    if (found.is_unclosed) {
      warn("the fence around SKILL.md has no end");
    }
    Written written = read_written(found.document);
    m_draft.name = choose_name(written);
    m_draft.body = visible_text(written.body).text; // a line that looked like a file's is a line
    TRY(take_description(written.description));
    TRY(check_body());
    m_draft.files = m_wanted.files;
    TRY(read_files(found.rest, m_wanted.mark, m_draft.files, m_draft.warnings));
    if (m_draft.warnings.size() > k_most_warnings) {
      m_draft.warnings.resize(k_most_warnings);
    }
    return std::move(m_draft);
  }

  void warn(std::string line) { m_draft.warnings.push_back(std::move(line)); }

private:
  Written read_written(Lines lines) {
    std::string text = join_lines(lines);
    document::Document document = document::read_document(text);
    Written written;
    if (document.parts.state == document::FenceState::missing) {
      written = read_loosely(lines);
    } else {
      bool is_closed = document.parts.state == document::FenceState::closed;
      written.name = document.name;
      written.description = document.description;
      written.body = is_closed ? document.parts.body : body_of_unclosed(document.parts.yaml);
      warn_of_front_matter(document);
    }
    for (std::string_view line : split_lines(written.body)) {
      if (is_heading(line)) {
        written.heading = line.substr(line.find_first_not_of('#'));
        break;
      }
    }
    std::size_t first = std::min(written.body.find_first_not_of('\n'), written.body.size());
    written.body.erase(0, first);
    return written;
  }

  // Without front matter: fields in front of the heading or right behind it.
  Written read_loosely(Lines lines) {
    warn("the reply has no front matter between `---` lines");
    Written written;
    std::size_t at = 0;
    for (bool is_behind_heading = false; at < lines.size(); ++at) {
      std::string_view line = lines[at];
      std::string_view name = loose_field(line, "name");
      std::string_view description = loose_field(line, "description");
      if (is_heading(line) && !is_behind_heading) {
        is_behind_heading = true;
        written.body += std::string(line) + "\n\n";
      } else if (!name.empty() && written.name.empty()) {
        written.name = name;
      } else if (!description.empty() && written.description.empty()) {
        written.description = description;
      } else if (!is_blank(line)) {
        break;
      }
    }
    written.body += join_lines(lines.subspan(at));
    return written;
  }

  void warn_of_front_matter(const document::Document& document) {
    for (const std::string& problem : document.problems) {
      warn(one_line(utf8_prefix(problem, 4 * k_shown)));
    }
    for (const document::Repair& repair : document.repairs) {
      warn("the value of " + shown(repair.key) + " is read as if it were quoted");
    }
    for (const document::YamlMember& member : document.front_matter.members) {
      if (member.key != "name" && member.key != "description"
          && m_draft.warnings.size() < k_most_warnings) {
        warn("the field " + shown(member.key) + " of the front matter is left out");
      }
    }
  }

  std::string choose_name(const Written& written) {
    if (!m_wanted.name.empty()) {
      if (!written.name.empty() && written.name != m_wanted.name) {
        warn("the name stays " + in_backticks(m_wanted.name) + ", the reply has "
             + shown(written.name));
      }
      return m_wanted.name;
    }
    if (is_skill_name(written.name)) {
      return written.name;
    }
    std::string name = name_from(written.name);
    for (const std::string* source : {&written.heading, &m_wanted.task}) {
      if (name == name_from("")) {
        name = name_from(*source);
      }
    }
    warn(written.name.empty() ? "the reply has no name; it is " + in_backticks(name)
                              : "the name " + shown(written.name)
                                    + " breaks the rules for names; it is " + in_backticks(name));
    return name;
  }

  Result<void> take_description(std::string_view written) {
    m_draft.description = one_line(written);
    std::size_t size = code_points(m_draft.description);
    if (size == 0) {
      return fail(ErrorCode::invalid_argument,
                  "the front matter has no `description`",
                  "say on one line what the skill does and when to use it");
    }
    if (size > document::k_max_description) {
      return fail(ErrorCode::invalid_argument,
                  "the `description` has " + std::to_string(size) + " characters, "
                      + std::to_string(document::k_max_description) + " are allowed",
                  "say on one line what the skill does and when to use it");
    }
    if (m_draft.description.find_first_of("<>") != std::string::npos) {
      warn("the description has `<` or `>`, which some loaders refuse");
    }
    return {};
  }

  Result<void> check_body() {
    std::string& body = m_draft.body;
    std::size_t end = document::strip(body).empty() ? 0 : body.find_last_not_of(" \t\n") + 1;
    body.resize(end);
    if (body.empty()) {
      return fail(ErrorCode::invalid_argument,
                  "SKILL.md has no text after its front matter",
                  "write the text of the skill there");
    }
    body += '\n';
    std::int64_t tokens = document::estimate_tokens(body);
    if (tokens > k_most_tokens) {
      return fail(ErrorCode::too_large,
                  "SKILL.md has about " + std::to_string(tokens) + " tokens, "
                      + std::to_string(k_most_tokens) + " are allowed",
                  "keep to about " + std::to_string(k_wanted_tokens)
                      + "; what only some tasks need may go into files below `references/`");
    }
    return {};
  }

  const DraftWanted& m_wanted;
  Draft m_draft = {};
};

} // namespace

Result<DraftReply> read_draft(std::string_view reply, const DraftWanted& wanted) {
  if (reply.size() > k_max_draft) {
    return fail(ErrorCode::too_large,
                "the reply has " + std::to_string(reply.size()) + " bytes, "
                    + std::to_string(k_max_draft) + " are read",
                "keep SKILL.md to about " + std::to_string(k_wanted_tokens) + " tokens");
  }
  VisibleText visible = visible_reply(without_thoughts(reply));
  std::vector<std::string_view> lines = split_lines(visible.text);
  if (std::optional<NotWarranted> refusal = find_refusal(lines)) {
    return std::move(*refusal);
  }
  std::optional<ReplyDocument> found = find_document(lines, wanted.mark);
  if (!found) {
    return fail(ErrorCode::invalid_argument,
                "the reply has no SKILL.md",
                "begin with a front matter of `name` and `description` between `---` lines, or "
                "reply `NO SKILL: ` and the reason");
  }
  DraftReader reader(wanted);
  if (visible.removed > 0) {
    reader.warn(std::to_string(visible.removed)
                + " control or invisible characters of the reply are left out");
  }
  return reader.read(*found);
}

std::string draft_correction(const Error& problem) {
  return "Your reply could not be used: " + problem.message
         + (problem.hint.empty() ? "" : " (" + problem.hint + ")")
         + ". Reply again with the whole SKILL.md, and its further files if there are any.";
}

} // namespace upskill::generate
