#include "skills/trace/chat_words.h"
#include "skills/trace/event_batch.h"
#include "skills/trace/json_record.h"
#include "skills/trace/readers.h"
#include "skills/trace/section_splitter.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace upskill::trace {
namespace {

// The first line, taken off.
std::string_view take_line(std::string_view& text) {
  std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  return line;
}

// Up to a line that is no blank.
void skip_blank_lines(std::string_view& text) {
  while (!text.empty()) {
    std::string_view rest = text;
    if (take_line(rest).find_first_not_of(" \t") != std::string_view::npos) {
      return;
    }
    text = rest;
  }
}

// Between the first two backticks.
std::string_view code_in(std::string_view line) {
  std::size_t begin = line.find('`');
  std::size_t end = begin == std::string_view::npos ? begin : line.find('`', begin + 1);
  return end == std::string_view::npos ? std::string_view{}
                                       : line.substr(begin + 1, end - begin - 1);
}

// What stands in the fence that comes next, which is taken off; nothing where none does.
std::string_view take_fenced(std::string_view& text) {
  skip_blank_lines(text);
  std::string_view rest = text;
  std::size_t fence = fence_of_markdown_line(take_line(rest));
  if (fence == 0) {
    return {};
  }
  std::string_view inner = rest;
  std::size_t size = 0;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (line.size() == fence && fence_of_markdown_line(line) == fence) {
      break;
    }
    size = inner.size() - rest.size();
  }
  text = rest;
  inner = inner.substr(0, size);
  inner.remove_suffix(inner.ends_with('\n') ? 1 : 0);
  return inner;
}

// Our own markdown, as skills/trace_export writes it. A call and the result that stands behind it
// are one record, and joined by its place.
class MarkdownReader : public Reader {
public:
  void read(const Record& record, EventSink& sink) override {
    m_batch.clear();
    m_batch.envelope.offset = record.offset;
    m_batch.envelope.length = record.length;
    std::string_view rest = record.bytes;
    std::string_view line = take_line(rest);
    if (line.starts_with("## ")) {
      read_said(line.substr(3), rest);
    } else if (line.starts_with("Call of ")) {
      read_call(line, rest);
    } else if (line.starts_with("The call of ")) {
      m_name = kept(code_in(line));
      m_call = {};
      read_result(line, rest);
    } else {
      read_head(line, rest);
    }
    m_batch.emit(sink);
  }

private:
  std::string_view kept(std::string_view text) {
    return m_batch.keep(Text{text}.decoded(text == "?" ? 0 : 200));
  }

  void read_head(std::string_view line, std::string_view rest) {
    Envelope& envelope = m_batch.envelope;
    if (!line.starts_with("# Session ")) {
      m_batch.add(EventKind::meta, EventForm::text).text.first = line;
      return;
    }
    envelope.session = kept(code_in(line));
    while (!rest.empty()) {
      std::string_view field = take_line(rest);
      std::string_view value = m_batch.keep(Text{code_in(field)}.decoded(4096));
      if (field.starts_with("- agent: ")) {
        envelope.harness = value;
      } else if (field.starts_with("- version: ")) {
        envelope.version = value;
      } else if (field.starts_with("- project: ")) {
        envelope.cwd = value;
      } else if (field.starts_with("- branch: ")) {
        envelope.branch = value;
      } else if (field.starts_with("- forked from: ")) {
        envelope.forked_from = value;
      } else if (field.starts_with("- helper: ")) {
        envelope.agent = value;
        envelope.is_sidechain = true;
      }
    }
    m_batch.add(EventKind::meta, EventForm::session);
  }

  // `Person, 2026-07-01T10:00:01.000Z`, and what was said, quoted.
  void read_said(std::string_view head, std::string_view rest) {
    if (std::size_t comma = head.rfind(", 2"); comma != std::string_view::npos) {
      m_batch.envelope.time_ms = time_of(head.substr(comma + 2));
    }
    std::string words;
    skip_blank_lines(rest);
    bool is_first = true;
    while (rest.starts_with(">")) {
      std::string_view line = take_line(rest);
      line.remove_prefix(line.starts_with("> ") ? 2 : 1);
      words += is_first ? "" : "\n";
      words += line;
      is_first = false;
    }
    std::string_view text = m_batch.keep(Text{words}.decoded());
    if (head.starts_with("Person")) {
      m_batch.add(EventKind::user, form_of_user_words(text));
    } else if (head.starts_with("Program")) {
      m_batch.add(EventKind::user, EventForm::injected);
    } else {
      m_batch.add(EventKind::assistant,
                  head.starts_with("Agent, thinking") ? EventForm::thinking : EventForm::text);
    }
    m_batch.events().back().text.first = text;
  }

  void read_call(std::string_view line, std::string_view rest) {
    m_name = kept(code_in(line));
    m_call = m_batch.keep(std::to_string(m_batch.envelope.offset));
    std::string_view input = take_fenced(rest);
    bool is_json = input.starts_with("{") || input.starts_with("[");
    Event& call = m_batch.add(EventKind::tool_call, EventForm::call);
    call.name = m_name;
    call.call = m_call;
    call.text = {input, {}, is_json ? Encoding::json_value : Encoding::plain};
    skip_blank_lines(rest);
    std::string_view result = take_line(rest);
    if (result.starts_with("It gave") || result.starts_with("It failed")) {
      read_result(result, rest);
    }
  }

  // `It failed, exit code 2:`
  void read_result(std::string_view line, std::string_view rest) {
    Event& result = m_batch.add(EventKind::tool_result, EventForm::result);
    result.name = m_name;
    result.call = m_call;
    std::size_t name = line.rfind('`');
    line.remove_prefix(name == std::string_view::npos ? 0 : name + 1);
    result.is_error = line.find("failed") != std::string_view::npos;
    constexpr std::string_view k_code = ", exit code ";
    if (std::size_t at = line.find(k_code); at != std::string_view::npos) {
      std::int32_t code = 0;
      std::string_view digits = line.substr(at + k_code.size());
      if (std::from_chars(digits.data(), digits.data() + digits.size(), code).ec == std::errc{}) {
        result.exit_code = code;
      }
    }
    result.text.first = take_fenced(rest);
  }

  EventBatch m_batch = {};
  std::string_view m_name = {}; // of the tool of this record
  std::string_view m_call = {};
};

} // namespace

std::unique_ptr<Reader> make_markdown_reader() {
  return std::make_unique<MarkdownReader>();
}

} // namespace upskill::trace
