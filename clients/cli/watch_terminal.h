#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <signal.h>
#include <termios.h>

#include <cstddef>
#include <string>
#include <vector>

namespace upskill::cli {

struct WindowSize {
  std::size_t columns = 80;
  std::size_t lines = 24;
};

// The terminal while a picture is on it: the alternate screen, no cursor, keys as they are pressed.
// Everything is as it was before when it ends, and while the process is stopped (Ctrl-Z).
// Owner: a live view; one per process, made before connect::catch_interrupts(), since its signals
// must stay blocked in every wait. Thread: one.
class WatchTerminal {
public:
  static Result<WatchTerminal> open();

  WatchTerminal(WatchTerminal&&) = default;
  ~WatchTerminal();

  // To be polled for reading: keys, and signals about the window.
  int keys() const { return 0; }

  int signals() const { return m_signals.get(); }

  // Reads the signals that have come: stops here where that was asked for, and takes the terminal
  // again afterwards. The next picture is drawn whole.
  void take_signals();
  // The bytes of keys; nothing where the terminal has gone.
  Result<std::string> read_keys() const;

  WindowSize size() const;

  // Shows these lines and nothing else, in one write; only those that are different.
  void show(const std::vector<std::string>& lines);

private:
  WatchTerminal(UniqueFd signals, const termios& usual);

  void enter();
  void leave();

  UniqueFd m_signals;
  termios m_usual; // as it was found
  bool m_is_entered = false;
  std::vector<std::string> m_shown = {};
  bool m_is_stale = true; // what is on the screen is not m_shown
};

} // namespace upskill::cli
