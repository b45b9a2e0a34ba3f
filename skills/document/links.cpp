#include "skills/document/links.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

namespace upskill::document {
namespace {

constexpr std::size_t k_max_references = 500;
constexpr std::size_t k_max_path = 512; // bytes; longer is no path

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string_view trim(std::string_view text) {
  std::size_t start = std::min(text.find_first_not_of(" \t\r"), text.size());
  std::size_t end = text.find_last_not_of(" \t\r");
  return end == std::string_view::npos ? std::string_view{} : text.substr(start, end + 1 - start);
}

// `mailto:x`, `https://x`, `c:\x`.
bool has_scheme(std::string_view target) {
  std::size_t colon = target.find(':');
  return colon != std::string_view::npos && target.find('/') > colon;
}

// Text that stands for many paths or for one to be filled in.
bool has_placeholder(std::string_view path) {
  return path.find_first_of("<>{}*?$|\\\"'`~") != std::string_view::npos
         || path.find("...") != std::string_view::npos;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string decode_percent(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Removes `.` and resolves `..` as far as they stay inside.
std::string normalized(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    std::size_t slash = std::min(path.find('/'), path.size());
    std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string out;
  for (std::string_view part : parts) {
    out += out.empty() ? "" : "/";
    out += part;
  }
  return out;
}

bool is_specified_folder(std::string_view path) {
  constexpr std::array<std::string_view, 3> k_folders{"scripts/", "references/", "assets/"};
  return std::ranges::any_of(k_folders, [&](auto folder) { return path.starts_with(folder); });
}

// Claude Code's name for the skill's folder (skills facts, section 8).
std::string_view without_skill_folder(std::string_view path) {
  constexpr std::string_view k_variable = "${CLAUDE_SKILL_DIR}/";
  return path.starts_with(k_variable) ? path.substr(k_variable.size()) : path;
}

class Finder {
public:
  std::vector<FileReference> find(std::string_view body);

private:
  void read_line(std::string_view line);
  void read_link(std::string_view target);
  void read_words(std::string_view code);
  void add(std::string path, bool certain);

  std::vector<FileReference> m_found = {};
  std::unordered_set<std::string> m_seen = {};
  std::size_t m_line = 0;
};

void Finder::add(std::string path, bool certain) {
  if (!path.empty() && m_found.size() < k_max_references && m_seen.insert(path).second) {
    m_found.push_back(FileReference{std::move(path), m_line, certain});
  }
}

// What stands in `](...)`: a target, perhaps in angle brackets, perhaps with a title.
void Finder::read_link(std::string_view target) {
  target = trim(target);
  if (target.starts_with('<')) {
    target = target.substr(1, std::min(target.find('>'), target.size()) - 1);
  } else {
    target = target.substr(0, target.find_first_of(" \t"));
  }
  target = without_skill_folder(target);
  target = target.substr(0, target.find_first_of("#?"));
  if (target.empty() || target[0] == '/' || target.size() > k_max_path || has_scheme(target)
      || has_placeholder(target)) {
    return;
  }
  add(normalized(decode_percent(target)), true);
}

// Each word of an inline code span that is a path with an extension, as in `python scripts/x.py
// --fast`.
void Finder::read_words(std::string_view code) {
  while (!code.empty()) {
    std::size_t end = std::min(code.find_first_of(" \t"), code.size());
    std::string_view word = without_skill_folder(code.substr(0, end));
    code.remove_prefix(std::min(end + 1, code.size()));
    while (!word.empty() && std::string_view(",;.)").find(word.back()) != std::string_view::npos) {
      word.remove_suffix(1);
    }
    std::size_t slash = word.rfind('/');
    std::size_t dot = word.rfind('.');
    if (slash == std::string_view::npos || slash == 0 || word[0] == '/'
        || word.size() > k_max_path) {
      continue;
    }
    bool extension = dot != std::string_view::npos && dot > slash + 1 && word.size() - dot <= 6
                     && std::all_of(word.begin() + static_cast<std::ptrdiff_t>(dot) + 1,
                                    word.end(),
                                    is_letter_or_digit);
    bool odd = has_placeholder(word) || word.find_first_of(":@=(),[]#%") != std::string_view::npos;
    if (extension && !odd && !word.starts_with("../")) {
      std::string path = normalized(word);
      bool certain = is_specified_folder(path);
      add(std::move(path), certain);
    }
  }
}

void Finder::read_line(std::string_view line) {
  if (std::string_view text = trim(line); text.starts_with('[')) {
    std::size_t close = text.find("]:");
    if (close != std::string_view::npos && text.find(']') == close && text[1] != '^') {
      read_link(text.substr(close + 2));
      return;
    }
  }
  // One after the other costs less than both at once, and most lines have neither.
  auto next_sign = [line](std::size_t at) {
    return std::min(line.find('`', at), line.find(']', at));
  };
  for (std::size_t at = 0; at < line.size();) {
    at = next_sign(at);
    if (at == std::string_view::npos) {
      return;
    }
    if (line[at] == ']') {
      if (++at < line.size() && line[at] == '(') {
        std::size_t end = std::min(line.find(')', at), line.size());
        read_link(line.substr(at + 1, end - at - 1));
        at = end;
      }
      continue;
    }
    std::size_t ticks = std::min(line.find_first_not_of('`', at), line.size()) - at;
    std::size_t start = at + ticks;
    std::size_t end = line.find(line.substr(at, ticks), start);
    if (end == std::string_view::npos) {
      at = start;
      continue;
    }
    read_words(line.substr(start, end - start));
    at = end + ticks;
  }
}

// The fence characters a line of fenced code begins or ends with (CommonMark 0.31, 4.5).
std::string_view code_fence(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("```") && !line.starts_with("~~~")) {
    return {};
  }
  return line.substr(0, std::min(line.find_first_not_of(line[0]), line.size()));
}

std::vector<FileReference> Finder::find(std::string_view body) {
  std::string_view open;
  while (!body.empty() && m_found.size() < k_max_references) {
    std::size_t end = std::min(body.find('\n'), body.size());
    std::string_view line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    ++m_line;
    std::string_view fence = code_fence(line);
    if (open.empty() && fence.empty()) {
      read_line(line.substr(0, 16u << 10)); // a longer line is data
    } else if (open.empty()) {
      open = fence;
    } else if (fence.starts_with(open)) {
      open = {};
    }
  }
  return std::move(m_found);
}

} // namespace

std::vector<FileReference> find_file_references(std::string_view body) {
  return Finder().find(body);
}

std::vector<FileReference> find_broken_references(std::string_view body, const PathExists& exists) {
  std::vector<FileReference> broken = find_file_references(body);
  std::erase_if(broken, [&](const FileReference& reference) {
    const std::string& path = reference.path;
    if (path.starts_with("..")) {
      return false;
    }
    return exists(path) || (!reference.certain && !exists(path.substr(0, path.find('/'))));
  });
  return broken;
}

} // namespace upskill::document
