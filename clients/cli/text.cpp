#include "clients/cli/text.h"

#include "clients/cli/character_width.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <cstdio>

namespace upskill::cli {
namespace {

// The code point at `at`, which is moved past it; the text is well-formed.
char32_t next_point(std::string_view text, std::size_t& at) {
  auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) {
    return lead;
  }
  int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  char32_t point = lead & (0x3F >> more);
  while (more-- > 0 && at < text.size()) {
    point = point << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
  }
  return point;
}

// The end of the escape sequence that starts at `at` (ECMA-48, 5.4 and 5.6).
std::size_t skip_escape(std::string_view text, std::size_t at) {
  ++at;
  if (at >= text.size()) {
    return at;
  }
  char kind = text[at++];
  if (kind == '[') {
    while (at < text.size() && (text[at] < 0x40 || text[at] > 0x7E)) {
      ++at;
    }
    return std::min(at + 1, text.size());
  }
  if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
    while (at < text.size() && text[at] != '\a') {
      if (text[at] == '\x1b' && at + 1 < text.size() && text[at + 1] == '\\') {
        return at + 2;
      }
      ++at;
    }
    return std::min(at + 1, text.size());
  }
  return at;
}

bool is_deceptive(char32_t point) {
  return (point >= 0x80 && point < 0xA0) || point == 0x200B || point == 0x200E || point == 0x200F
         || point == 0x061C || (point >= 0x2028 && point <= 0x202E)
         || (point >= 0x2066 && point <= 0x2069) || point == 0xFEFF
         || (point >= 0xE0000 && point <= 0xE007F);
}

std::string clean(std::string_view text, bool keep_lines) {
  std::string repaired;
  if (!is_utf8(text)) {
    repaired = to_valid_utf8(text);
    text = repaired;
  }
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '\x1b') {
      at = skip_escape(text, at);
    } else if (c == '\n') {
      out += keep_lines ? '\n' : ' ';
      ++at;
    } else if (c == '\t') {
      out += keep_lines ? "    " : " ";
      ++at;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      ++at;
    } else {
      std::size_t start = at;
      if (!is_deceptive(next_point(text, at))) {
        out += text.substr(start, at - start);
      }
    }
  }
  return out;
}

// A command in back-ticks is one word, because it is copied as one, unless it is longer than a
// line.
std::size_t end_of_word(std::string_view text, std::size_t at, std::size_t columns) {
  std::size_t end = std::min(text.find(' ', at), text.size());
  std::string_view word = text.substr(at, end - at);
  if (std::count(word.begin(), word.end(), '`') % 2 == 0) {
    return end;
  }
  std::size_t close = text.find('`', end);
  if (close == std::string_view::npos) {
    return end;
  }
  std::size_t whole = std::min(text.find(' ', close), text.size());
  return display_width(text.substr(at, whole - at)) <= columns ? whole : end;
}

std::string plain_number(double number, const char* format) {
  char buffer[48];
  int length = std::snprintf(buffer, sizeof buffer, format, number);
  return {buffer, static_cast<std::size_t>(std::max(length, 0))};
}

} // namespace

std::string clean_line(std::string_view text) {
  return clean(text, false);
}

std::string clean_block(std::string_view text) {
  return clean(text, true);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    width += static_cast<std::size_t>(character_width(next_point(text, at)));
  }
  return width;
}

std::string cut(std::string_view text, std::size_t columns, std::string_view ellipsis) {
  if (display_width(text) <= columns) {
    return std::string(text);
  }
  std::size_t mark = display_width(ellipsis);
  if (columns < mark) {
    return {};
  }
  std::size_t used = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    used += static_cast<std::size_t>(character_width(next_point(text, at)));
    if (used > columns - mark) {
      break;
    }
    end = at;
  }
  std::string out(text.substr(0, end));
  while (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
  out += ellipsis;
  return out;
}

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  columns = std::max<std::size_t>(columns, 2); // a wide character must fit
  std::vector<std::string> lines;
  std::string line;
  std::size_t width = 0;
  auto end_line = [&] {
    lines.push_back(std::move(line));
    line.clear();
    width = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = end_of_word(text, at, columns);
    std::string_view word = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
    std::size_t needed = display_width(word);
    if (word.empty()) {
      continue;
    }
    if (!line.empty() && width + 1 + needed <= columns) {
      line += ' ';
      line += word;
      width += 1 + needed;
      continue;
    }
    if (!line.empty()) {
      end_line();
    }
    for (std::size_t i = 0; i < word.size();) {
      std::size_t start = i;
      auto wide = static_cast<std::size_t>(character_width(next_point(word, i)));
      if (width + wide > columns) {
        end_line();
      }
      line += word.substr(start, i - start);
      width += wide;
    }
  }
  if (!line.empty() || lines.empty()) {
    end_line();
  }
  return lines;
}

std::string grouped(long long number) {
  std::string digits = std::to_string(number);
  std::size_t start = digits.front() == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > start + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string count(long long number, std::string_view singular, std::string_view plural) {
  return grouped(number) + " " + std::string(number == 1 ? singular : plural);
}

std::string waiting(long long conflicts, long long held) {
  std::string out = conflicts > 0 ? count(conflicts, "conflict", "conflicts") : std::string();
  if (held > 0) {
    out += (out.empty() ? "" : " and ") + count(held, "held deletion", "held deletions");
  }
  return out + (conflicts + held == 1 ? " waits for you" : " wait for you");
}

std::string human_bytes(long long bytes) {
  if (bytes < 1024) {
    return std::to_string(bytes) + " B";
  }
  double size = static_cast<double>(bytes) / 1024;
  const char* unit = " KB";
  for (const char* next : {" MB", " GB", " TB"}) {
    if (size < 1024) {
      break;
    }
    size /= 1024;
    unit = next;
  }
  return plain_number(size, size < 10 ? "%.1f" : "%.0f") + unit;
}

std::string human_duration(double seconds) {
  auto whole = static_cast<long long>(std::clamp(seconds, 0.0, 1e12));
  if (whole < 60) {
    return std::to_string(whole) + " s";
  }
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min";
  }
  if (whole < 48 * 3600) {
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
  }
  return grouped(whole / 86400) + " days";
}

std::string human_time(std::string_view rfc3339) {
  std::string time = clean_line(rfc3339.substr(0, 16));
  if (time.size() == 16 && time[10] == 'T') {
    time[10] = ' ';
  }
  return time;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) {
      out += between;
    }
    out += part;
  }
  return out;
}

} // namespace upskill::cli
