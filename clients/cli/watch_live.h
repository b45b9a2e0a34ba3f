#pragma once
#include "clients/cli/watch_link.h"
#include "clients/cli/watch_terminal.h"
#include "clients/cli/watch_view.h"

#include <string>
#include <vector>

namespace upskill::cli {

// The picture on a terminal: what the daemon tells and what a person presses, in one loop.
// Owner: `watch`. Thread: one, which waits in one place only. Lifetime: until the person quits or a
// signal comes.
class WatchLive {
public:
  // `link` and `terminal` outlive it.
  WatchLive(WatchLink& link,
            WatchTerminal& terminal,
            std::vector<std::string> skills,
            Screen screen);

  // Answers the exit code.
  int run();

private:
  void draw_now();
  bool take_keys(); // false: the person quits, or the terminal has gone
  bool press_keys(const std::vector<Key>& keys);
  void carry_out(const WatchOrder& order);
  void refresh();
  void note_silence();
  long limit_ms() const;

  WatchLink& m_link;
  WatchTerminal& m_terminal;
  std::vector<std::string> m_skills;
  Screen m_screen;
  WatchView m_view = {};
  KeyReader m_keys = {};
  WatchNews m_news;
  bool m_is_refreshing = false;
  long m_refreshed_at = 0;
  long m_next_refresh = 0;
};

} // namespace upskill::cli
