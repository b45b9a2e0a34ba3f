#pragma once
#include "protocol/base/paths.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::cli {

enum class Tint { plain, bold, dim, red, green, yellow, cyan };

// What is written on.
struct Screen {
  std::size_t columns = 80;
  bool colour = false;
  bool unicode = true;
  std::string home = {};   // shown as `~`
  std::string folder = {}; // where the command was started, without links
};

// The screen of this process's stdout: its terminal's width, else COLUMNS, else 80; colours on a
// terminal only, unless NO_COLOR is set (no-color.org), TERM is `dumb`, or `plain` is asked for.
Screen this_screen(const Environment& environment, bool plain);

enum class Stream { out, err };

// What a command has to say, in order, ready to be printed. Everything that others wrote goes
// through clean_line or clean_block on its way in.
class Page {
public:
  explicit Page(Screen screen)
      : m_screen(std::move(screen)) {}

  const Screen& screen() const { return m_screen; }

  // A finished line; `text` may hold our own colours.
  void line(std::string_view text = {}, Stream stream = Stream::out);
  // Plain words, wrapped, each line after `indent` spaces.
  void paragraph(std::string_view text, std::size_t indent = 0, Tint tint = Tint::plain);
  // A few bold words and what follows them, cleaned; wrapped where they are too long for a line.
  void headline(std::string_view words, std::string_view rest);
  // `warning: ...`, cleaned; on stderr where stdout holds what a program reads.
  void warning(std::string_view text, Stream stream = Stream::out);

  std::string tint(Tint tint, std::string_view text) const;
  // One of two signs, by what the screen can show.
  std::string_view sign(std::string_view unicode, std::string_view ascii) const;

  std::string_view ellipsis() const { return sign("…", "..."); }

  // Cleaned, with the home folder as `~`.
  std::string path(std::string_view path) const;
  // The same, but `./...` for what lies below the folder where the command was started.
  std::string local_path(std::string_view path) const;

  // Words of others, cleaned, with every path below the home folder as `~/...`.
  std::string prose(std::string_view words) const;

  // All of one stream, as text; what a test looks at.
  std::string text(Stream stream) const;
  // Writes everything in order.
  void print() const;

private:
  struct Piece {
    Stream stream;
    std::string text;
  };

  Screen m_screen;
  std::vector<Piece> m_pieces = {};
};

// Writes it all, however long; false when the descriptor cannot take it. What stdout could not take
// is remembered, because a script must be told that it has half a result.
bool write_all(int descriptor, std::string_view bytes);
// The errno of the first write that stdout did not take, 0 for none; EPIPE: the reader has gone.
int stdout_problem();
// Makes descriptors 0 to 2 taken where the caller closed them, so that no file or socket of ours
// becomes one of them and is sent what was meant for a person. What was closed cannot be written.
void settle_descriptors();

} // namespace upskill::cli
