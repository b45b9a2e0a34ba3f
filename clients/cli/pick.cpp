#include "clients/cli/pick.h"

#include "clients/cli/ask.h"
#include "clients/cli/text.h"
#include "clients/cli/watch_terminal.h"
#include "clients/connect/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace upskill::cli {
namespace {

constexpr long k_escape_ms = 50;            // within which the rest of a sequence comes
constexpr std::size_t k_most_numbers = 200; // of a list that scrolls away
constexpr int k_most_slips = 5;             // before nothing is chosen

// The signals that were blocked before. A terminal of ours blocks those of the window, which no
// wait may let through; afterwards Ctrl-Z stops the process as always.
class UsualSignals {
public:
  UsualSignals() { ::sigprocmask(SIG_BLOCK, nullptr, &m_mask); }

  ~UsualSignals() {
    ::sigprocmask(SIG_SETMASK, &m_mask, nullptr);
    connect::renew_mask();
  }

  UsualSignals(const UsualSignals&) = delete;
  UsualSignals& operator=(const UsualSignals&) = delete;

private:
  sigset_t m_mask = {};
};

Result<std::vector<std::size_t>>
show(PickList& list, WatchTerminal& terminal, const Screen& screen) {
  KeyReader reader;
  for (;;) {
    WindowSize size = terminal.size();
    Screen here = screen;
    // The last column stays free: what wipes the rest of a line would wipe what stands in it.
    here.columns = size.columns - std::min<std::size_t>(size.columns, 1);
    terminal.show(list.draw(here, size.lines));
    std::array<pollfd, 2> entries{pollfd{terminal.keys(), POLLIN, 0},
                                  pollfd{terminal.signals(), POLLIN, 0}};
    int ready = connect::wait(entries, reader.is_waiting() ? k_escape_ms : -1);
    if (ready < 0 || connect::interrupted_by() != 0) {
      return fail(ErrorCode::cancelled, "interrupted");
    }
    if (entries[1].revents != 0) {
      terminal.take_signals();
    }
    std::vector<Key> keys;
    if (entries[0].revents != 0) {
      TRY_ASSIGN(std::string bytes, terminal.read_keys());
      keys = reader.feed(bytes);
    } else if (ready == 0) {
      keys = reader.give_up();
    }
    for (const Key& key : keys) {
      switch (list.press(key)) {
      case PickEnd::chosen:
        return list.chosen();
      case PickEnd::given_up:
        return std::vector<std::size_t>();
      case PickEnd::none:
        break;
      }
    }
  }
}

} // namespace

bool can_show_list(const Environment& environment) {
  return can_ask() && ::isatty(1) != 0 && environment("TERM").value_or("dumb") != "dumb";
}

Result<std::vector<std::size_t>>
pick_by_keys(std::string title, std::vector<PickItem> items, const Screen& screen) {
  PickList list(std::move(title), std::move(items));
  UsualSignals usual; // ends last
  TRY_ASSIGN(WatchTerminal terminal, WatchTerminal::open());
  connect::renew_mask();
  return show(list, terminal, screen);
}

Result<std::vector<std::size_t>> pick_by_numbers(const std::string& title,
                                                 const std::vector<PickItem>& items,
                                                 const Screen& screen) {
  Page page(screen);
  page.line(page.tint(Tint::bold, clean_line(title)));
  Table table({{"", Fit::right}, {"", Fit::content}, {""}, {"", Fit::shrinks}});
  for (std::size_t i = 0; i < items.size() && i < k_most_numbers; ++i) {
    table.add({{items[i].is_fixed ? "-" : std::to_string(i + 1), Tint::dim},
               {items[i].name},
               items[i].mark,
               {items[i].about, Tint::dim}});
  }
  table.print(page);
  if (items.size() > k_most_numbers) {
    page.line("and " + grouped(static_cast<long long>(items.size() - k_most_numbers))
              + " more, which their names choose");
  }
  write_all(2, page.text(Stream::out));
  for (int slips = 0; slips < k_most_slips; ++slips) {
    TRY_ASSIGN(std::string answer,
               ask_line("Which ones? Numbers, names or `all`; nothing installs none: "));
    Result<std::vector<std::size_t>> chosen = read_choice(answer, items);
    if (chosen) {
      return chosen;
    }
    write_all(2, chosen.error().message + "\n");
  }
  return std::vector<std::size_t>();
}

} // namespace upskill::cli
