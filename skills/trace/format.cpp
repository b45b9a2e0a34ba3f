#include "skills/trace/format.h"

#include "skills/trace/head_scan.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

namespace upskill::trace {
namespace {

constexpr std::size_t k_looked_at = 40; // objects at the start of a file

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Formats whose whole file is one object.
std::optional<Format> document_of(const HeadObject& object) {
  if (object.text_of("schema_version").starts_with("ATIF")) {
    return Format::atif;
  }
  if (!object.has("messages")) {
    return std::nullopt;
  }
  if (object.has("info")) {
    return Format::opencode;
  }
  if (object.has("projectHash") || object.has("sessionId")) {
    return Format::gemini_document;
  }
  return Format::fast_agent;
}

// Formats whose lines are objects, by one of the lines.
std::optional<Format> line_of(const HeadObject& object) {
  std::string_view type = object.text_of("type");
  if (object.has("payload") && object.has("timestamp") && !type.empty()) {
    return Format::codex;
  }
  if (object.has("data") && object.has("timestamp") && type.find('.') != std::string_view::npos) {
    return Format::copilot;
  }
  if (type == "session" && object.has("harness")) {
    return Format::sts;
  }
  if (type == "session" && object.has("version") && object.has("cwd")) {
    return Format::pi;
  }
  if (object.has("projectHash") || object.has("$set") || object.has("$rewindTo")) {
    return Format::gemini;
  }
  if (is_one_of(type, {"user", "gemini", "info", "warning", "error"}) && object.has("content")
      && object.has("id") && !object.has("uuid")) {
    return Format::gemini;
  }
  if (!type.empty()
      && (object.has("sessionId") || object.has("uuid") || object.has("leafUuid")
          || object.has("parentUuid"))) {
    return Format::claude;
  }
  if (object.has("role") && object.has("message") && type.empty()) {
    return Format::cursor;
  }
  if (type == "message" && object.has("message")) {
    return object.has("id") ? Format::pi : Format::sts;
  }
  if (is_one_of(type, {"file-history-snapshot", "summary"})) {
    return Format::claude;
  }
  return std::nullopt;
}

bool is_specstory(std::string_view head) {
  return head.find("_**User") != std::string_view::npos
         || (head.find("<!-- ") != std::string_view::npos
             && head.find(" Session ") != std::string_view::npos
             && head.find("_**Agent") != std::string_view::npos);
}

// "# Session `ID`", and then lines like "- agent: `codex`" or what somebody said.
bool is_own_markdown(std::string_view head) {
  std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  return line.starts_with("# Session `") && line.size() > 12 && line.ends_with("`")
         && (head.find("\n- agent: `") != std::string_view::npos
             || head.find("\n## ") != std::string_view::npos);
}

bool looks_like_json(std::string_view head) {
  std::size_t first = head.find_first_not_of(std::string_view(" \t\r\n\0", 5));
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

// Zeros, or many bytes that are neither letters nor what terminals take.
bool is_text(std::string_view head) {
  constexpr std::size_t k_most = 32; // one in so many
  head = head.substr(0, 4096);
  auto is_odd = [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && (byte < 0x07 || (byte > 0x0D && byte != 0x1B))) || byte == 0x7F;
  };
  bool has_zeros = head.find('\0') != std::string_view::npos;
  return !has_zeros
         && static_cast<std::size_t>(std::ranges::count_if(head, is_odd)) * k_most <= head.size();
}

} // namespace

std::optional<std::string_view> why_no_trace(std::string_view head, Format format) {
  if (head.empty()) {
    return "it is empty";
  }
  bool is_known = format != Format::text && format != Format::json;
  return is_known || is_text(head) ? std::nullopt : std::optional("it is no text");
}

Format detect_format(std::string_view head, bool is_whole) {
  if (head.starts_with("\xEF\xBB\xBF")) {
    head.remove_prefix(3);
  }
  if (head.starts_with(std::string_view("SQLite format 3\0", 16))) {
    return Format::opencode_database;
  }
  if (!looks_like_json(head)) {
    return is_own_markdown(head) ? Format::markdown
           : is_specstory(head)  ? Format::specstory
                                 : Format::text;
  }
  std::vector<HeadObject> objects = scan_head(head, k_looked_at);
  bool has_object = false;
  for (const HeadObject& object : objects) {
    has_object = has_object || object.is_whole || !is_whole;
    if (std::optional<Format> format = document_of(object); format && &object == objects.data()) {
      return *format;
    }
    if (std::optional<Format> format = line_of(object)) {
      return *format;
    }
  }
  return has_object || head.find_first_of("[{") == 0 ? Format::json : Format::text;
}

bool is_line_format(Format format) {
  switch (format) {
  case Format::claude:
  case Format::codex:
  case Format::gemini:
  case Format::copilot:
  case Format::cursor:
  case Format::pi:
  case Format::sts:
    return true;
  default:
    return false;
  }
}

} // namespace upskill::trace
