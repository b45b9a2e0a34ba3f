#include "skills/danger/file_view.h"

#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/danger/characters.h"
#include "skills/danger/file_kinds.h"
#include "skills/redact/mark.h"

#include <algorithm>
#include <array>

namespace upskill::danger {
namespace {

constexpr std::size_t k_sniffed = 8000;   // bytes in which a NUL tells a binary, as git does
constexpr std::size_t k_counted = 10'000; // bytes of a line whose characters are counted
constexpr std::size_t k_quoted = 600;     // bytes that evidence is made of, before it is cut
constexpr std::string_view k_script_extensions[] = {
    "sh",  "bash", "zsh", "fish", "ksh", "command", "py",  "pyw", "js",  "mjs",         "cjs",
    "ts",  "mts",  "tsx", "jsx",  "rb",  "pl",      "pm",  "php", "lua", "ps1",         "psm1",
    "bat", "cmd",  "vbs", "go",   "rs",  "swift",   "awk", "r",   "tcl", "applescript", "scpt"};
constexpr std::string_view k_script_names[] = {"makefile", "dockerfile", "justfile", "rakefile"};
constexpr std::string_view k_text_extensions[] = {
    "md", "mdx", "mdc", "markdown", "txt", "json", "yaml", "yml", "toml", "xml", "html", "css"};

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

} // namespace

std::string extension_of(std::string_view path) {
  std::string_view name = base_name(path);
  std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? "" : lower(name.substr(dot + 1));
}

FileKind kind_of(const SkillFile& file) {
  if (file.link_target) {
    return FileKind::link;
  }
  std::string extension = extension_of(file.path);
  std::string name = lower(base_name(file.path));
  if (name == "skill.md") {
    return FileKind::document;
  }
  if (extension == "md" || extension == "mdx" || extension == "mdc" || extension == "markdown"
      || extension == "txt") {
    return FileKind::markdown;
  }
  // A NUL must not make a program that an interpreter reads invisible.
  if (is_one_of(extension, k_script_extensions) || is_one_of(name, k_script_names)
      || file.bytes.starts_with("#!")) {
    return FileKind::script;
  }
  bool has_nul = file.bytes.substr(0, k_sniffed).find('\0') != std::string_view::npos;
  if (content_of(file.bytes) != Content::text
      || (has_nul && !is_one_of(extension, k_text_extensions))) {
    return FileKind::binary;
  }
  return file.is_program ? FileKind::script : FileKind::data;
}

FileView::FileView(const SkillFile& file, std::size_t most_bytes, redact::Redactor& redactor)
    : m_file(file)
    , m_redactor(redactor)
    , m_kind(kind_of(file)) {
  if (!is_text()) {
    return;
  }
  m_text = file.bytes.substr(0, most_bytes);
  m_lines.push_back(0);
  for (std::size_t at = 0; (at = m_text.find('\n', at)) != std::string_view::npos;) {
    if (++at < m_text.size()) {
      m_lines.push_back(at);
    }
  }
  m_redactor.scan(m_text, m_secrets);
  split();
}

void FileView::split() {
  if (m_kind == FileKind::document) {
    m_document = document::read_document(m_text);
    m_passages = split_markdown(m_text, m_document.parts);
  } else if (m_kind == FileKind::markdown) {
    m_passages = split_markdown(m_text, {});
  } else {
    m_passages = split_lines(m_text, m_kind == FileKind::script ? Place::script : Place::data);
  }
}

LineAndColumn FileView::place_of(std::size_t offset) const {
  auto after = std::ranges::upper_bound(m_lines, offset);
  auto line = static_cast<std::size_t>(after - m_lines.begin());
  if (line == 0) {
    return {};
  }
  std::size_t begin = m_lines[line - 1];
  std::size_t bytes = std::min(offset, m_text.size()) - begin;
  std::size_t counted = std::min(bytes, k_counted);
  return {line, code_points(m_text.substr(begin, counted)) + (bytes - counted) + 1};
}

std::size_t FileView::offset_of(std::size_t line) const {
  if (m_lines.empty() || line == 0) {
    return 0;
  }
  return m_lines[std::min(line, m_lines.size()) - 1];
}

std::string FileView::evidence(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, m_text.size());
  end = std::clamp(end, begin, std::min(m_text.size(), begin + k_quoted));
  std::string out;
  // Those that end behind `begin`; none lies over another.
  auto secret = std::ranges::upper_bound(m_secrets, begin, {}, &redact::Finding::end);
  std::size_t at = begin;
  for (; secret != m_secrets.end() && secret->begin < end; ++secret) {
    if (secret->begin > at) {
      out += m_text.substr(at, secret->begin - at);
    }
    out += redact::mark_of(m_redactor.rules().rules()[secret->rule].id);
    at = std::min(secret->end, end);
  }
  out += m_text.substr(at, end - at);
  return evidence_of(std::move(out));
}

std::string FileView::evidence_of(std::string text) const {
  m_redactor.redact(text);
  return shortened(cleaned(text), k_most_evidence);
}

} // namespace upskill::danger
