#include "skills/trace/section_splitter.h"

#include "skills/trace/reader.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace upskill::trace {
namespace {

struct SpeakerWord {
  std::string_view letters;
  Speaker speaker;
};

constexpr std::array k_speakers = {
    SpeakerWord{"user", Speaker::user},
    SpeakerWord{"human", Speaker::user},
    SpeakerWord{"you", Speaker::user},
    SpeakerWord{"assistant", Speaker::assistant},
    SpeakerWord{"ai", Speaker::assistant},
    SpeakerWord{"agent", Speaker::assistant},
    SpeakerWord{"claude", Speaker::assistant},
    SpeakerWord{"chatgpt", Speaker::assistant},
    SpeakerWord{"codex", Speaker::assistant},
    SpeakerWord{"gemini", Speaker::assistant},
    SpeakerWord{"cursor", Speaker::assistant},
    SpeakerWord{"tool", Speaker::tool},
    SpeakerWord{"tool result", Speaker::tool},
    SpeakerWord{"system", Speaker::instructions},
};

constexpr std::size_t k_longest_word = 11;

std::size_t skip(std::string_view line, std::size_t at, std::string_view letters) {
  std::size_t end = line.find_first_not_of(letters, at);
  return end == std::string_view::npos ? line.size() : end;
}

Speaker speaker_of_word(std::string_view word) {
  std::array<char, k_longest_word> lower{};
  if (word.size() > lower.size()) {
    return Speaker::nobody;
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    lower[i] = word[i] >= 'A' && word[i] <= 'Z' ? static_cast<char>(word[i] | 0x20) : word[i];
  }
  for (const SpeakerWord& known : k_speakers) {
    if (known.letters == std::string_view(lower.data(), word.size())) {
      return known.speaker;
    }
  }
  return Speaker::nobody;
}

std::string_view without_end(std::string_view line) {
  std::size_t last = line.find_last_not_of(" \t\r\n");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// Of the line that goes on at `at`: where the next begins; npos where it has no end yet.
std::size_t line_end(std::string_view bytes, std::size_t at) {
  if (at == bytes.size()) {
    return std::string_view::npos;
  }
  const void* end = std::memchr(bytes.data() + at, '\n', bytes.size() - at);
  return end == nullptr
             ? std::string_view::npos
             : static_cast<std::size_t>(static_cast<const char*>(end) - bytes.data()) + 1;
}

} // namespace

// Marked as a heading or in bold, the word may stand alone; else a colon has to follow it.
Speaker speaker_of_text_line(std::string_view line, std::size_t& words) {
  line = without_end(line);
  std::size_t begin = skip(line, 0, "#");
  bool is_marked = begin > 0 && begin < line.size() && line[begin] == ' ';
  if (begin > 0 && !is_marked) {
    return Speaker::nobody;
  }
  begin = skip(line, begin, " ");
  std::size_t word = skip(line, begin, "*_[");
  is_marked = is_marked || word > begin;
  std::size_t end = line.find_first_of(":*_]", word);
  end = end == std::string_view::npos ? line.size() : end;
  Speaker speaker = speaker_of_word(without_end(line.substr(word, end - word)));
  std::size_t after = skip(line, end, ":*_] ");
  bool has_colon = line.substr(end, after - end).find(':') != std::string_view::npos;
  if (speaker == Speaker::nobody || (!has_colon && (!is_marked || after < line.size()))) {
    return Speaker::nobody;
  }
  words = after;
  return speaker;
}

bool is_specstory_header(std::string_view line) {
  line = without_end(line);
  bool is_speaker = line.starts_with("_**User") || line.starts_with("_**Agent")
                    || line.starts_with("_**Assistant");
  return is_speaker && line.ends_with("**_");
}

std::size_t fence_of_markdown_line(std::string_view line) {
  std::size_t count = skip(line, 0, "`");
  bool is_fence = count >= 3 && line.find('`', count) == std::string_view::npos;
  return is_fence ? count : 0;
}

// As skills/trace_export writes them: what was said is quoted, and what tools took and gave fenced.
bool SectionSplitter::begins_markdown_section(std::string_view line) {
  std::size_t fence = fence_of_markdown_line(without_end(line));
  if (m_fence > 0) {
    m_fence = fence == m_fence && without_end(line).size() == fence ? 0 : m_fence;
    return false;
  }
  m_fence = fence;
  return line.starts_with("## Person") || line.starts_with("## Program")
         || line.starts_with("## Agent") || line.starts_with("Call of `")
         || line.starts_with("The call of `");
}

bool SectionSplitter::begins_section(std::string_view line) {
  if (m_style == SectionStyle::markdown) {
    return begins_markdown_section(line);
  }
  if (m_style == SectionStyle::text) {
    std::size_t words = 0;
    return speaker_of_text_line(line, words) != Speaker::nobody;
  }
  if (line.starts_with("<tool-use ")) {
    m_is_in_tool = true;
  }
  if (line.find("</tool-use>") != std::string_view::npos) {
    m_is_in_tool = false;
  }
  return !m_is_in_tool && is_specstory_header(line);
}

// Whatever the sizes in which bytes come, a record ends at the same place: at most k_max_record of
// them are looked at.
Piece SectionSplitter::next(std::string_view bytes, bool at_end) {
  while (m_scanned < bytes.size()) {
    std::size_t end = line_end(bytes, std::max(m_scanned, m_searched));
    bool is_cut = end == std::string_view::npos; // such a line may still become another
    if ((is_cut ? bytes.size() : end) > k_max_record) {
      return cut_record(bytes);
    }
    if (is_cut && !at_end) {
      m_searched = bytes.size();
      return {};
    }
    end = is_cut ? bytes.size() : end;
    std::string_view line = bytes.substr(m_scanned, end - m_scanned);
    bool is_blank = without_end(line).empty();
    bool is_header = begins_section(line);
    bool is_paragraph = m_style == SectionStyle::text && !m_is_section;
    if (m_scanned == 0 && is_blank) {
      m_is_settled = m_is_settled && !is_cut;
      m_offset += end;
      m_searched = 0;
      return {end, {}, 0, 0};
    }
    if (m_scanned > 0 && (is_header || (is_blank && is_paragraph))) {
      return end_record(bytes, m_scanned, !is_cut);
    }
    m_is_section = m_is_section || is_header;
    m_scanned = end;
  }
  return at_end && !bytes.empty() ? end_record(bytes, bytes.size(), false) : Piece{};
}

Piece SectionSplitter::end_record(std::string_view bytes, std::size_t size, bool is_settled) {
  std::string_view record = without_end(bytes.substr(0, size));
  Piece piece{size, record, m_offset, record.size()};
  m_offset += size;
  m_scanned = 0;
  m_searched = 0;
  m_is_settled = is_settled;
  m_is_section = false;
  return piece;
}

Piece SectionSplitter::cut_record(std::string_view bytes) {
  bool is_section = m_is_section;
  Piece piece = end_record(bytes, m_scanned == 0 ? k_max_record : m_scanned, false);
  m_is_section = is_section;
  return piece;
}

} // namespace upskill::trace
