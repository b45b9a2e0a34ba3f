#pragma once
#include "skills/danger/passages.h"
#include "skills/danger/skill_file.h"
#include "skills/document/document.h"
#include "skills/redact/redactor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::danger {

enum class FileKind : std::uint8_t { document, markdown, script, data, binary, link };

struct LineAndColumn {
  std::size_t line = 0;
  std::size_t column = 0;
};

// A file as the checks see it.
// Owner: scan(). Thread: one. Lifetime: that of the file's bytes, which it has views of.
class FileView {
public:
  // `redactor` finds the secrets that must not be shown; it is used while the view lives.
  FileView(const SkillFile& file, std::size_t most_bytes, redact::Redactor& redactor);

  const SkillFile& file() const { return m_file; }

  FileKind kind() const { return m_kind; }

  bool is_text() const { return m_kind != FileKind::binary && m_kind != FileKind::link; }

  bool is_markdown() const { return m_kind == FileKind::document || m_kind == FileKind::markdown; }

  // What is looked at of it; empty for a binary.
  std::string_view text() const { return m_text; }

  const std::vector<Passage>& passages() const { return m_passages; }

  // Of SKILL.md; empty for any other file.
  const document::Document& document() const { return m_document; }

  const std::vector<redact::Finding>& secrets() const { return m_secrets; }

  LineAndColumn place_of(std::size_t offset) const;

  // Where a line begins, counted from 1; the last one for a number that is too large.
  std::size_t offset_of(std::size_t line) const;

  // That part of the text on one line, without secrets, cleaned and shortened.
  std::string evidence(std::size_t begin, std::size_t end) const;

  // The same for a text that is not the file's own.
  std::string evidence_of(std::string text) const;

private:
  void split();

  const SkillFile& m_file;
  redact::Redactor& m_redactor;
  FileKind m_kind = FileKind::data;
  std::string_view m_text = {};
  document::Document m_document = {};
  std::vector<Passage> m_passages = {};
  std::vector<std::size_t> m_lines = {}; // where each begins
  std::vector<redact::Finding> m_secrets = {};
};

// What a file is, by its name and its first bytes.
FileKind kind_of(const SkillFile& file);

// What follows the last dot of the last part, in lower case; empty where there is none.
std::string extension_of(std::string_view path);

} // namespace upskill::danger
