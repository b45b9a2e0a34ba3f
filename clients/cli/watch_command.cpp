#include "clients/cli/watch_command.h"

#include "clients/cli/call_method.h"
#include "clients/cli/complain.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/text.h"
#include "clients/cli/watch_lines.h"
#include "clients/cli/watch_link.h"
#include "clients/cli/watch_live.h"
#include "clients/cli/watch_terminal.h"
#include "clients/connect/interrupt.h"
#include "clients/connect/socket.h"
#include "clients/connect/start.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace upskill::cli {
namespace {

bool has_terminal(const Environment& environment) {
  return ::isatty(0) != 0 && ::isatty(1) != 0 && environment("TERM").value_or("dumb") != "dumb";
}

// A daemon of its own would have nothing to tell of; where every command has one (CI), none is
// started either.
Result<UniqueFd> open_connection(const Places& places, const Environment& environment) {
  return environment("CI") == "true" ? connect::connect_to_daemon(places)
                                     : connect::connect_or_start(places, environment);
}

std::vector<std::string> skills_of(const Invocation& invocation) {
  auto found = invocation.values.find("skill");
  return found == invocation.values.end() ? std::vector<std::string>() : found->second;
}

// One line for each piece of news, until nobody reads them or a signal comes.
int follow_in_lines(WatchLink& link, const Invocation& invocation, const Screen& screen) {
  WatchLines lines(invocation.json, screen.home);
  bool is_lost = false;
  std::vector<std::string> unmet = skills_of(invocation);
  auto on_news = [&](const WatchResult& result) {
    for (const std::string& name : std::exchange(unmet, {})) { // a word that was meant otherwise?
      if (std::ranges::find(result.skills, name, &WatchedSkill::skill) == result.skills.end()) {
        warn("`" + clean_line(name) + "` is not watched, so this waits until it is",
             "`upskill watch status` shows which ones are; `upskill help watch` its commands",
             invocation.no_color);
      }
    }
    if (is_lost) {
      warn("the daemon is back", "", invocation.no_color);
      is_lost = false;
    }
    for (const std::string& line : lines.take(result)) {
      write_all(1, line + "\n");
    }
  };
  auto on_problem = [&](const Error& error) {
    if (!is_lost) {
      warn(error.code == ErrorCode::unavailable ? "the daemon has gone; looking for it again"
                                                : error.message,
           error.code == ErrorCode::unavailable ? "`upskill daemon start` starts it" : error.hint,
           invocation.no_color);
    }
    is_lost = true;
  };
  WatchNews news(link, skills_of(invocation), on_news, on_problem);
  for (;;) {
    link.advance();
    news.advance();
    if (stdout_problem() != 0) {
      return k_done; // nobody reads on; what else it may be is told at the end
    }
    if (connect::interrupted_by() != 0) {
      return k_interrupted; // while something was read
    }
    long limit = link.is_open() ? news.limit_ms() : link.limit_ms();
    // Without an event asked for it tells that the reader has gone.
    std::array<pollfd, 2> entries{pollfd{link.descriptor(), POLLIN, 0}, pollfd{1, 0, 0}};
    if (connect::wait(entries, limit) < 0) {
      return k_interrupted;
    }
    if (entries[1].revents != 0) {
      return k_done;
    }
  }
}

} // namespace

int watch(const Invocation& invocation, const Screen& screen, const Environment& environment) {
  auto refuse = [&](const Error& error) {
    if (connect::interrupted_by() != 0) {
      return k_interrupted;
    }
    complain(error, invocation.no_color);
    return exit_code_of(error);
  };
  if (invocation.run_private) {
    return refuse({ErrorCode::invalid_argument,
                   "a daemon for this command alone would have nothing to tell",
                   "leave out `--private`"});
  }
  bool is_live = has_terminal(environment) && !invocation.json && !invocation.flag("lines");
  std::optional<WatchTerminal> terminal;
  if (is_live) {
    // Before catch_interrupts(): its signals stay blocked in every wait.
    Result<WatchTerminal> opened = WatchTerminal::open();
    if (!opened) {
      return refuse(opened.error());
    }
    terminal.emplace(std::move(*opened));
  }
  connect::catch_interrupts();
  Result<Places> places = find_places(environment);
  if (!places) {
    return refuse(places.error());
  }
  Result<UniqueFd> socket = open_connection(*places, environment);
  if (!socket) {
    return refuse(socket.error());
  }
  WatchLink link(*places, context_of(invocation, screen, environment), std::move(*socket));
  if (!terminal) {
    return follow_in_lines(link, invocation, screen);
  }
  WatchLive live(link, *terminal, skills_of(invocation), screen);
  return live.run();
}

} // namespace upskill::cli
