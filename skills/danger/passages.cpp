#include "skills/danger/passages.h"

#include "skills/danger/passage_list.h"
#include "skills/redact/placeholder.h"

#include <array>

namespace upskill::danger {
namespace {

constexpr std::size_t k_longest_tag = 512; // bytes of `<...>`; a longer one is text

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// An item of a list, or a row of a table.
bool is_item(std::string_view line) {
  std::string_view text = trimmed(line);
  if (text.empty()) {
    return false;
  }
  bool is_bullet = text.size() > 1
                   && std::string_view("-*+").find(text[0]) != std::string_view::npos
                   && text[1] == ' ';
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) {
    ++digits;
  }
  bool is_numbered =
      digits > 0 && digits < text.size() && (text[digits] == '.' || text[digits] == ')');
  return is_bullet || is_numbered || text[0] == '|';
}

// What begins something new although no empty line is before it.
bool starts_block(std::string_view line) {
  std::string_view text = trimmed(line);
  return text.empty() || is_item(line) || text[0] == '#' || text[0] == '>';
}

// The fence characters that a line begins with (CommonMark 0.31, 4.5).
std::string_view fence_of(std::string_view line) {
  std::string_view text = trimmed(line);
  if (!text.starts_with("```") && !text.starts_with("~~~")) {
    return {};
  }
  return text.substr(0, std::min(text.find_first_not_of(text[0]), text.size()));
}

// `[//]: # (text)` and its like, a link definition that nothing refers to.
bool is_link_comment(std::string_view text) {
  return text.starts_with("[//]:") || text.starts_with("[comment]:") || text.starts_with("[_]:");
}

bool makes_invisible(std::string_view tag) {
  constexpr std::array<std::string_view, 10> k_styles{"display:none",
                                                      "display: none",
                                                      "visibility:hidden",
                                                      "visibility: hidden",
                                                      "font-size:0",
                                                      "font-size: 0",
                                                      "opacity:0;",
                                                      "opacity: 0;",
                                                      "opacity:0\"",
                                                      " hidden>"};
  return std::ranges::any_of(
      k_styles, [&](std::string_view style) { return redact::contains_lower(tag, style); });
}

// Splits the body of a markdown file: fences, comments, and paragraphs in between.
class MarkdownSplitter {
public:
  MarkdownSplitter(std::string_view text, PassageList& list)
      : m_text(text)
      , m_list(list) {}

  void split(std::size_t begin, std::size_t end) {
    m_end = end;
    Lines lines(m_text, begin, end);
    while (lines.next()) {
      if (lines.end <= m_done) {
        continue;
      }
      if (!m_fence.empty()) {
        in_fence(lines);
      } else if (std::string_view fence = fence_of(lines.line()); !fence.empty()) {
        end_paragraph();
        m_fence = fence;
        m_language = trimmed(trimmed(lines.line()).substr(fence.size()));
        m_code_begin = lines.end;
      } else {
        in_prose(lines);
      }
    }
    end_paragraph();
    if (!m_fence.empty() && m_code_begin < end) {
      add(Place::code, m_code_begin, end);
    }
  }

private:
  void add(Place place, std::size_t begin, std::size_t end) {
    bool is_fenced = !m_fence.empty();
    std::uint32_t before = m_is_item ? m_lead : k_no_passage;
    bool is_loaded = is_fenced && m_language == "!"; // Claude Code runs such a block at load
    m_list.add({is_loaded ? Place::load : place,
                begin,
                end,
                is_fenced ? (m_comment == k_no_passage ? m_prose : m_comment) : before,
                m_heading,
                is_fenced ? m_language : std::string_view()});
  }

  void in_fence(const Lines& lines) {
    std::string_view fence = fence_of(lines.line());
    if (fence.starts_with(m_fence) && trimmed(lines.line()) == fence) {
      if (m_code_begin < lines.begin) {
        add(Place::code, m_code_begin, lines.begin);
      }
      m_fence = {};
      m_comment = k_no_passage;
      return;
    }
    if (!goes_on(lines.line()) || lines.end - m_code_begin >= k_longest_passage) {
      add(Place::code, m_code_begin, lines.end);
      std::string_view text = trimmed(lines.line());
      m_comment = text.starts_with('#') || text.starts_with("//") ? m_list.last() : k_no_passage;
      m_code_begin = lines.end;
    }
  }

  void in_prose(const Lines& lines) {
    std::string_view text = trimmed(lines.line());
    if (text.starts_with("<!--")) {
      std::size_t close = comment_end(lines.begin);
      if (close != std::string_view::npos && is_last_of_line(close)) {
        end_paragraph();
        add(Place::hidden, lines.begin, close);
        m_done = close;
        return;
      }
    }
    if (is_link_comment(text)) {
      end_paragraph();
      add(Place::hidden, lines.begin, lines.end);
      return;
    }
    if (starts_block(lines.line())) {
      end_paragraph();
    }
    if (m_paragraph == std::string_view::npos) {
      m_paragraph = lines.begin;
      m_is_item = is_item(text);
    } else if (trimmed(m_text.substr(m_paragraph, lines.begin - m_paragraph)).empty()) {
      m_is_item = is_item(text);
    }
    m_paragraph_end = lines.end;
    find_hidden(lines);
    find_loaded(lines);
    if (text.starts_with('#')) {
      end_paragraph();
      m_heading = m_list.last();
      m_prose = m_lead = k_no_passage;
    }
  }

  void end_paragraph() {
    if (m_paragraph != std::string_view::npos) {
      add(Place::prose, m_paragraph, m_paragraph_end);
      bool is_blank = trimmed(m_text.substr(m_paragraph, m_paragraph_end - m_paragraph)).empty();
      m_prose = m_list.last();
      m_lead = is_blank || m_is_item ? m_lead : m_prose;
      m_paragraph = std::string_view::npos;
    }
  }

  // Behind the `-->` of the comment that begins at `begin`; npos where it is not closed.
  std::size_t comment_end(std::size_t begin) {
    if (m_no_close) {
      return std::string_view::npos;
    }
    std::size_t close = m_text.substr(0, m_end).find("-->", begin);
    m_no_close = close == std::string_view::npos;
    return m_no_close ? close : close + 3;
  }

  bool is_last_of_line(std::size_t at) const {
    std::size_t end = std::min(m_text.substr(0, m_end).find('\n', at), m_end);
    return trimmed(m_text.substr(at, end - at)).empty();
  }

  // Comments and invisible elements within a line, outside of back-ticks.
  void find_hidden(const Lines& lines) {
    std::string_view line = lines.line();
    if (line.find('<') == std::string_view::npos) {
      return; // as in most lines
    }
    bool in_ticks = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == '`') {
        in_ticks = !in_ticks;
      }
      if (line[at] != '<' || in_ticks || lines.begin + at < m_hidden_end) {
        continue;
      }
      std::size_t begin = lines.begin + at;
      if (line.substr(at).starts_with("<!--")) {
        std::size_t close = comment_end(begin);
        if (close != std::string_view::npos) {
          add(Place::hidden, begin, close);
          m_done = close;
          m_paragraph_end = std::max(m_paragraph_end, close);
          at = std::min(close - lines.begin, line.size()) - 1;
        }
      } else if (at + 1 < line.size() && is_letter(line[at + 1])) {
        at = std::max(at, invisible_element(begin) - lines.begin);
      }
    }
  }

  // Where the tag at `begin` ends, if it is a tag.
  std::size_t invisible_element(std::size_t begin) {
    std::string_view rest = m_text.substr(begin, std::min(k_longest_tag, m_end - begin));
    std::size_t close = rest.find_first_of("<>", 1);
    if (close == std::string_view::npos || rest[close] == '<'
        || !makes_invisible(rest.substr(0, close + 1))) {
      return begin;
    }
    std::size_t from = begin + close + 1;
    std::size_t stop = std::min(m_end, from + k_longest_passage);
    std::size_t until = std::min(m_text.substr(0, stop).find("</", from), stop);
    add(Place::hidden, from, until);
    m_hidden_end = until;
    return begin + close;
  }

  // `!`command``, which Claude Code runs when it loads the skill.
  void find_loaded(const Lines& lines) {
    std::string_view line = lines.line();
    for (std::size_t at = 0; (at = line.find("!`", at)) < line.size(); ++at) {
      bool is_free = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t' || line[at - 1] == '(';
      std::size_t close = line.find('`', at + 2);
      if (is_free && close != std::string_view::npos && close > at + 2) {
        add(Place::load, lines.begin + at + 2, lines.begin + close);
        at = close;
      }
    }
  }

  std::string_view m_text;
  PassageList& m_list;
  std::size_t m_end = 0;
  std::size_t m_done = 0;       // lines up to here were in a comment
  std::size_t m_hidden_end = 0; // of the last invisible element
  std::string_view m_fence = {};
  std::string_view m_language = {};
  std::size_t m_code_begin = 0;
  std::size_t m_paragraph = std::string_view::npos;
  std::size_t m_paragraph_end = 0;
  bool m_is_item = false; // the paragraph
  std::uint32_t m_prose = k_no_passage;
  std::uint32_t m_lead = k_no_passage;    // the last paragraph that is no item
  std::uint32_t m_comment = k_no_passage; // the last line of the fence, if it is a comment
  std::uint32_t m_heading = k_no_passage;
  bool m_no_close = false; // there is no `-->` any more
};

// The lines below `hooks:` run by themselves; the others are read.
void split_front_matter_lines(std::string_view text,
                              std::size_t begin,
                              std::size_t end,
                              PassageList& list) {
  Lines lines(text, begin, end);
  Place place = Place::front_matter;
  std::size_t from = begin;
  while (lines.next()) {
    char first = lines.line()[0];
    bool is_key = first != ' ' && first != '\t' && first != '#' && first != '-' && first != '\n';
    if (!is_key) {
      continue;
    }
    list.add({place, from, lines.begin, k_no_passage, k_no_passage, {}});
    from = lines.begin;
    std::string_view key = trimmed(lines.line().substr(0, lines.line().find(':')));
    bool is_hooks = key == "hooks" || key == "\"hooks\"" || key == "'hooks'";
    place = is_hooks ? Place::load : Place::front_matter;
  }
  list.add({place, from, end, k_no_passage, k_no_passage, {}});
}

} // namespace

std::vector<Passage> split_markdown(std::string_view text,
                                    const document::FrontMatterSplit& parts) {
  PassageList list(text);
  std::size_t body = 0;
  if (parts.state != document::FenceState::missing && !parts.yaml.empty()) {
    auto begin = static_cast<std::size_t>(parts.yaml.data() - text.data());
    split_front_matter_lines(text, begin, begin + parts.yaml.size(), list);
    body = begin + parts.yaml.size();
  }
  if (!parts.body.empty()) {
    body = static_cast<std::size_t>(parts.body.data() - text.data());
  }
  MarkdownSplitter(text, list).split(body, text.size());
  return list.take();
}

} // namespace upskill::danger
