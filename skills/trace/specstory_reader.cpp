#include "skills/trace/chat_words.h"
#include "skills/trace/event_batch.h"
#include "skills/trace/json_record.h"
#include "skills/trace/readers.h"
#include "skills/trace/section_splitter.h"

#include <algorithm>
#include <array>
#include <string>

namespace upskill::trace {
namespace {

constexpr std::size_t k_max_preamble = 4096; // of what is looked at

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  std::size_t at = text.find(begin);
  if (at == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(at + begin.size());
  std::size_t stop = text.find(end);
  return stop == std::string_view::npos ? std::string_view{} : text.substr(0, stop);
}

// The id by which other formats name the program that SpecStory calls by its title: `Claude Code`,
// `Codex CLI`.
std::string agent_named(std::string title) {
  for (char& letter : title) {
    letter = letter == ' '                    ? '-'
             : letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a')
                                              : letter;
  }
  return title == "codex-cli" ? "codex" : title == "cursor-cli" ? "cursor" : title;
}

std::string_view trim(std::string_view text) {
  std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// Without the line `---` that stands before the next section.
std::string_view without_rule(std::string_view text) {
  text = trim(text);
  if (text == "---") {
    return {};
  }
  if (text.ends_with("\n---")) {
    text.remove_suffix(4);
  }
  return trim(text);
}

// What stands between the lines of a fence, where the text is one and nothing else.
std::string_view without_fence(std::string_view text) {
  text = trim(text);
  std::size_t first = text.find('\n');
  if (!text.starts_with("```") || first == std::string_view::npos || !text.ends_with("\n```")) {
    return text;
  }
  std::size_t begin = first + 1;
  std::size_t end = text.size() - 4; // of the line feed before the closing fence
  return begin < end ? text.substr(begin, end - begin) : std::string_view{};
}

struct Output {
  std::size_t line = std::string_view::npos; // that says so
  std::size_t begin = 0;
  bool is_error = false;
};

// Where a tool's result begins in what is told of it: behind a line that says so, or with a fence
// of plain text.
Output output_of(std::string_view told) {
  static constexpr std::array<std::string_view, 6> k_results{
      "**Result:**", "**Output:**", "Result:", "Output:", "**Error:**", "Error:"};
  for (std::size_t at = 0; at < told.size();) {
    std::size_t end = std::min(told.find('\n', at), told.size());
    std::string_view line = trim(told.substr(at, end - at));
    for (std::size_t i = 0; i < k_results.size(); ++i) {
      if (line == k_results[i]) {
        return {at, end, i >= 4};
      }
    }
    if (line == "```text") {
      return {at, at, false};
    }
    at = end + 1;
  }
  return {};
}

// SpecStory's markdown, versions 1 and 2 (facts: traces.md, 1.3).
class SpecstoryReader : public Reader {
public:
  void read(const Record& record, EventSink& sink) override {
    m_batch.clear();
    m_batch.envelope.offset = record.offset;
    m_batch.envelope.length = record.length;
    m_start = record.bytes.data();
    std::string_view line = record.bytes.substr(0, record.bytes.find('\n'));
    if (is_specstory_header(line)) {
      read_section(trim(line), record.bytes.substr(line.size()));
    } else {
      read_preamble(record.bytes);
    }
    m_batch.emit(sink);
  }

private:
  Event& add(EventKind kind, EventForm form, std::string_view text) {
    Event& event = m_batch.add(kind, form);
    event.text = {text, {}, Encoding::plain};
    return event;
  }

  // `<!-- Claude Code Session ID (2026-02-26 10:00:00Z) -->` among other comments, and a title.
  void read_preamble(std::string_view text) {
    std::string_view comment;
    for (std::string_view rest = text.substr(0, k_max_preamble); comment.empty();) {
      std::size_t at = rest.find("<!--");
      if (at == std::string_view::npos) {
        break;
      }
      rest.remove_prefix(at + 4);
      std::string_view words = trim(rest.substr(0, rest.find("-->")));
      comment = words.find(" Session ") == std::string_view::npos ? comment : words;
    }
    if (comment.empty() && text.find("SpecStory") == std::string_view::npos) {
      add(EventKind::meta, EventForm::text, text);
      return;
    }
    constexpr std::string_view k_session = " Session ";
    Envelope& envelope = m_batch.envelope;
    std::size_t at = comment.find(k_session);
    if (at != std::string_view::npos) {
      envelope.harness = m_batch.keep(agent_named(Text{comment.substr(0, at)}.decoded(200)));
      std::string_view rest = comment.substr(at + k_session.size());
      envelope.session = m_batch.keep(Text{rest.substr(0, rest.find(' '))}.decoded(200));
      envelope.time_ms = time_of(between(rest, "(", ")"));
    }
    add(EventKind::meta, EventForm::session, {});
    std::size_t heading = text.substr(0, k_max_preamble).find("\n# ");
    std::string_view title;
    if (heading != std::string_view::npos) {
      title = text.substr(heading + 3);
      title = trim(title.substr(0, title.find('\n')));
    }
    if (!title.empty() && !time_of(title)) { // newer ones are only a time
      add(EventKind::meta, EventForm::title, title);
    }
  }

  // `_**Agent (model 2026-02-26 10:00:00Z)**_`, `_**Agent - sidechain (model X, mode Agent)**_`
  void read_section(std::string_view header, std::string_view body) {
    bool is_user = header.starts_with("_**User");
    std::string_view marks = between(header, "(", ")");
    m_batch.envelope.is_sidechain = header.find("sidechain") != std::string_view::npos;
    read_time(marks);
    body = without_rule(body);
    constexpr std::string_view k_id = "<!-- message-id: ";
    if (body.starts_with(k_id)) {
      std::string_view id = between(body, k_id, " -->");
      m_batch.envelope.id = m_batch.keep(Text{id}.decoded(200));
      body = trim(body.substr(std::min(body.size(), k_id.size() + id.size() + 4)));
    }
    if (body.empty()) {
      return;
    }
    if (is_user) {
      EventForm form =
          m_batch.envelope.is_sidechain ? EventForm::injected : form_of_user_words(body);
      add(EventKind::user, form, body);
      return;
    }
    read_answer(body);
    std::string_view model = model_of(marks);
    for (Event& event : m_batch.events()) {
      event.model = model;
    }
  }

  // The time is the last nineteen letters and a zone, or all there is.
  void read_time(std::string_view marks) {
    for (std::size_t at = marks.find("20"); at != std::string_view::npos && at < 300;
         at = marks.find("20", at + 1)) {
      if (std::optional<std::int64_t> time = time_of(marks.substr(at))) {
        m_batch.envelope.time_ms = time;
        m_time = at;
        return;
      }
    }
    m_time = marks.size();
  }

  std::string_view model_of(std::string_view marks) {
    std::string_view model = trim(marks.substr(0, m_time));
    model = model.substr(0, model.find(','));
    if (model.starts_with("model ")) {
      model.remove_prefix(6);
    }
    return m_batch.keep(Text{trim(model)}.decoded(200));
  }

  // Text, with thoughts and the use of tools in it. Each tag is looked for once.
  void read_answer(std::string_view body) {
    std::size_t begin = 0;
    std::size_t thought = tag_at(body, "<think>", 0);
    std::size_t tool = tag_at(body, "<tool-use ", 0);
    while (begin < body.size()) {
      std::size_t at = m_batch.is_full() ? std::string_view::npos : std::min(thought, tool);
      std::string_view words = without_rule(body.substr(begin, at - begin));
      if (!words.empty()) {
        add(EventKind::assistant, EventForm::text, words);
      }
      if (at == std::string_view::npos) {
        return;
      }
      bool is_thought = thought < tool;
      std::string_view closing = is_thought ? "</think>" : "</tool-use>";
      std::size_t end = std::min(body.find(closing, at), body.size());
      std::string_view block = body.substr(at, end - at);
      if (is_thought) {
        read_thought(block);
      } else {
        read_tool(block);
      }
      begin = std::min(body.size(), end + closing.size());
      thought = thought < begin ? tag_at(body, "<think>", begin) : thought;
      tool = tool < begin ? tag_at(body, "<tool-use ", begin) : tool;
    }
  }

  // Only at the start of a line: a tool's output may show anything.
  static std::size_t tag_at(std::string_view text, std::string_view tag, std::size_t from) {
    for (std::size_t at = text.find(tag, from); at != std::string_view::npos;
         at = text.find(tag, at + 1)) {
      if (at == 0 || text[at - 1] == '\n' || text[at - 1] == '>') {
        return at;
      }
    }
    return std::string_view::npos;
  }

  void read_thought(std::string_view block) {
    block.remove_prefix(std::min(block.size(), block.find('>') + 1));
    std::size_t summary = block.find("</summary>");
    block.remove_prefix(summary == std::string_view::npos ? 0 : summary + 10);
    std::size_t end = block.rfind("</details>");
    add(EventKind::assistant, EventForm::thinking, trim(block.substr(0, end)));
  }

  // Call and result stand together; the place in the file joins them.
  void read_tool(std::string_view block) {
    std::string_view name = between(block, "data-tool-name=\"", "\"");
    std::string_view inner = block.substr(std::min(block.size(), block.find('>') + 1));
    inner = trim(inner);
    if (inner.starts_with("<details>")) {
      inner.remove_prefix(9);
    }
    inner = trim(inner.substr(0, inner.rfind("</details>")));
    Output output = output_of(inner);
    std::string_view told = trim(inner.substr(0, output.line));
    std::string_view kept_name = m_batch.keep(Text{name}.decoded(200));
    std::string_view call = m_batch.keep(
        std::to_string(m_batch.envelope.offset + static_cast<std::size_t>(block.data() - m_start)));
    Event& event = add(EventKind::tool_call, EventForm::call, told);
    event.name = kept_name;
    event.call = call;
    if (output.line == std::string_view::npos) {
      return;
    }
    Event& result =
        add(EventKind::tool_result, EventForm::result, without_fence(inner.substr(output.begin)));
    result.name = kept_name;
    result.call = call;
    result.is_error = output.is_error ? std::optional(true) : std::nullopt;
    result.exit_code = exit_code_of_output(result.text.first);
  }

  EventBatch m_batch = {};
  const char* m_start = nullptr; // of the record
  std::size_t m_time = 0;        // where it begins among the marks of a header
};

} // namespace

std::unique_ptr<Reader> make_specstory_reader() {
  return std::make_unique<SpecstoryReader>();
}

} // namespace upskill::trace
