#include "clients/cli/page.h"

#include "clients/cli/text.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace upskill::cli {
namespace {

constexpr std::size_t k_narrowest = 40;
constexpr std::size_t k_widest = 400;

int g_stdout_problem = 0;

std::size_t terminal_columns(const Environment& environment) {
  winsize size{};
  if (::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  std::string text = environment("COLUMNS").value_or("");
  std::size_t columns = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return problem == std::errc{} && end == text.data() + text.size() && columns > 0 ? columns : 80;
}

// Where the locale says nothing, UTF-8 is what terminals speak.
bool speaks_utf8(const Environment& environment) {
  for (std::string_view name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = environment(name).value_or("");
    if (!locale.empty()) {
      return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos
             || locale.find("UTF8") != std::string::npos
             || locale.find("utf-8") != std::string::npos;
    }
  }
  return true;
}

std::string_view code_of(Tint tint) {
  switch (tint) {
  case Tint::bold:
    return "\x1b[1m";
  case Tint::dim:
    return "\x1b[2m";
  case Tint::red:
    return "\x1b[31m";
  case Tint::green:
    return "\x1b[32m";
  case Tint::yellow:
    return "\x1b[33m";
  case Tint::cyan:
    return "\x1b[36m";
  case Tint::plain:
    break;
  }
  return {};
}

} // namespace

Screen this_screen(const Environment& environment, bool plain) {
  Screen screen;
  screen.columns = std::clamp(terminal_columns(environment), k_narrowest, k_widest);
  screen.colour = !plain && ::isatty(1) != 0 && environment("NO_COLOR").value_or("").empty()
                  && environment("TERM").value_or("dumb") != "dumb";
  screen.unicode = speaks_utf8(environment);
  screen.home = environment("HOME").value_or("");
  char folder[4096];
  if (::getcwd(folder, sizeof folder) != nullptr) {
    screen.folder = folder;
  }
  return screen;
}

void Page::line(std::string_view text, Stream stream) {
  if (m_pieces.empty() || m_pieces.back().stream != stream) {
    m_pieces.push_back({stream, {}});
  }
  m_pieces.back().text += text;
  m_pieces.back().text += '\n';
}

void Page::paragraph(std::string_view text, std::size_t indent, Tint tint) {
  std::size_t width = std::min<std::size_t>(m_screen.columns, 100) - indent;
  for (const std::string& part : wrap(prose(text), width)) {
    line(std::string(indent, ' ') + this->tint(tint, part));
  }
}

void Page::headline(std::string_view words, std::string_view rest) {
  std::string whole = std::string(words) + clean_line(rest);
  if (display_width(whole) > m_screen.columns) {
    paragraph(whole);
  } else {
    line(tint(Tint::bold, words) + whole.substr(words.size()));
  }
}

void Page::warning(std::string_view text, Stream stream) {
  line(tint(Tint::yellow, "warning:") + " " + prose(text), stream);
}

std::string Page::tint(Tint tint, std::string_view text) const {
  if (!m_screen.colour || tint == Tint::plain || text.empty()) {
    return std::string(text);
  }
  return std::string(code_of(tint)) + std::string(text) + "\x1b[0m";
}

std::string_view Page::sign(std::string_view unicode, std::string_view ascii) const {
  return m_screen.unicode ? unicode : ascii;
}

std::string Page::path(std::string_view path) const {
  return shorten_home(clean_line(path), m_screen.home);
}

std::string Page::local_path(std::string_view path) const {
  std::string below = m_screen.folder + "/";
  return below.size() > 2 && path.size() > below.size() && path.starts_with(below)
             ? "./" + clean_line(path.substr(below.size()))
             : this->path(path);
}

std::string Page::prose(std::string_view words) const {
  std::string text = clean_line(words);
  const std::string& home = m_screen.home;
  if (home.size() < 2) {
    return text;
  }
  std::string below = home + "/";
  for (std::size_t at = 0; (at = text.find(below, at)) != std::string::npos; ++at) {
    // Elsewhere it is the middle of a longer path.
    if (at == 0 || text[at - 1] == '`' || text[at - 1] == ' ' || text[at - 1] == '(') {
      text.replace(at, home.size(), "~");
    }
  }
  return text;
}

std::string Page::text(Stream stream) const {
  std::string out;
  for (const Piece& piece : m_pieces) {
    if (piece.stream == stream) {
      out += piece.text;
    }
  }
  return out;
}

void Page::print() const {
  for (const Piece& piece : m_pieces) {
    write_all(piece.stream == Stream::out ? 1 : 2, piece.text);
  }
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // Somebody made our terminal non-blocking.
      pollfd entry{descriptor, POLLOUT, 0};
      ::poll(&entry, 1, 1000);
    } else if (errno != EINTR) {
      if (descriptor == 1 && g_stdout_problem == 0) {
        g_stdout_problem = errno;
      }
      return false;
    }
  }
  return true;
}

int stdout_problem() {
  return g_stdout_problem;
}

void settle_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) {
      ::open("/dev/null", O_RDONLY); // the lowest that is free
    }
  }
}

} // namespace upskill::cli
