#pragma once
#include "clients/cli/page.h"
#include "clients/cli/table.h"
#include "clients/cli/watch_keys.h"
#include "protocol/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::cli {

// One thing that may be chosen. All of it is cleaned by who shows it.
struct PickItem {
  std::string name;
  Cell mark = {};         // beside the name: what is dangerous in it, or that it is here already
  std::string about = {}; // what it is, cut where there is no room
  bool is_fixed = false;  // it cannot be chosen
};

enum class PickEnd { none, chosen, given_up };

// A list with boxes: keys in, a picture out. Knows no terminal.
// Owner: the loop that shows it, or a test.
class PickList {
public:
  PickList(std::string title, std::vector<PickItem> items);

  PickEnd press(const Key& key);

  // Exactly `lines` lines, none wider than the screen. Moves what is seen of the list, so that the
  // line of the cursor is in it.
  std::vector<std::string> draw(const Screen& screen, std::size_t lines);

  // Places among the items, in their order.
  std::vector<std::size_t> chosen() const;

private:
  struct Widths {
    std::size_t name = 0;
    std::size_t mark = 0;
  };

  bool type(const Key& key); // while a filter is written; whether the key was for that
  void filter();
  void move(const Key& key);
  void choose_all();
  std::string row(const Page& page, std::size_t shown, const Widths& widths) const;
  std::string foot(std::size_t columns) const;

  std::string m_title;
  std::vector<PickItem> m_items;
  std::vector<bool> m_is_chosen;
  std::vector<std::size_t> m_shown; // places of what the filter lets through
  std::size_t m_cursor = 0;         // among m_shown
  std::size_t m_top = 0;            // the first that is seen
  std::size_t m_rows = 1;           // that are seen
  std::string m_filter = {};
  bool m_is_typing = false;
  std::string m_said = {}; // until the next key
};

// What a person has answered to "which ones?" where no list can be shown: numbers from 1, ranges as
// 2-5, names, `all`, apart by spaces or commas. Nothing chosen for an empty answer. Fails with what
// is wrong in it.
Result<std::vector<std::size_t>> read_choice(std::string_view answer,
                                             const std::vector<PickItem>& items);

} // namespace upskill::cli
