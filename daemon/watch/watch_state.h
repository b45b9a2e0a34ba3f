#pragma once
#include "daemon/watch/walk.h"
#include "daemon/watch/watch_tree.h"
#include "daemon/watch/watch_types.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::watch {

// One event as inotify(7) tells it; `name` is empty for one about the watched folder itself.
struct RawEvent {
  int wd = -1;
  std::uint32_t mask = 0;
  std::uint32_t cookie = 0;
  std::string_view name = {};
};

// Far from 65,535: old and new roots are numbered side by side while they are replaced.
inline constexpr std::size_t k_max_roots = 4096;

// What the driver is to do next, before it hands over another event: only so does the state always
// match the watches that the kernel has.
struct Command {
  enum class Kind : std::uint8_t {
    locate,      // look for root `slot` from the top down, watch, answer with located()
    walk,        // watch `path` and all below it, answer with walked()
    remove_watch // of `wd`; no answer, and failing is fine
  };

  Kind kind = Kind::locate;
  std::uint16_t slot = 0;
  WatchTree::Id parent = WatchTree::k_none;
  int wd = -1;
  std::string path; // of locate: the root's
  int depth = 0;    // of walk: folders from the root down to it; 1 for a skill
};

// What is watched and what its events mean. Pure: events and answers in, commands and reports out;
// no clock, no system call. A folder that appears is walked, one that goes is dropped, and a root's
// ancestors are watched as far as they exist, so that one which appears later is found, whichever
// of them went and came back.
class WatchState {
public:
  explicit WatchState(IgnoreRules ignored);

  // Replaces the wanted roots; those that stay keep their watches. Paths are real ones, without
  // links; two roots with the same path are told of the same changes. At most k_max_roots.
  void set_roots(const std::vector<WatchRoot>& roots);

  // Forgets every watch because the driver starts over with none, and looks for every root again.
  void restart(RescanReason reason);

  void handle(const RawEvent& event);

  bool has_commands() const { return !m_commands.empty(); }

  std::optional<Command> next_command();
  void located(std::uint16_t slot, const Location& location);
  void walked(WatchTree::Id parent, const Walk& walk);

  // What there is to tell since the last call.
  Report take_report();

  const WatchRoot& root(std::uint16_t slot) const { return m_slots[slot].root; }

  const IgnoreRules& ignored() const { return m_ignored; }

  // Roots that the system gives too few watches for: somebody has to look at them now and then.
  std::vector<WatchRoot> limited_roots() const;

  bool is_watched(int wd) const { return m_tree.first_of_wd(wd) != WatchTree::k_none; }

  std::size_t size() const { return m_tree.size(); }

  std::size_t bytes() const { return m_tree.bytes(); }

  std::uint64_t next_order() { return ++m_order; }

  // The places of a root in the list that was given, by its real path.
  const std::vector<std::uint32_t>& places(std::uint16_t slot) const {
    return m_slots[slot].places;
  }

private:
  enum class Presence : std::uint8_t { unknown, present, missing, blocked };

  struct Slot {
    WatchRoot root;
    std::vector<std::uint32_t> places; // empty: free
    WatchTree::Id folder = WatchTree::k_none;
    std::vector<WatchTree::Id> ancestors;
    Presence presence = Presence::unknown;
    bool limited = false;
    bool locating = false;
    bool restarted = false; // the rescan of all roots has been asked for already
  };

  void on_ancestor(WatchTree::Id id, const RawEvent& event);
  void on_root(WatchTree::Id id, const RawEvent& event);
  void on_folder(WatchTree::Id id, const RawEvent& event);
  void on_entry(WatchTree::Id id, const RawEvent& event, std::string_view skill);
  void refresh(WatchTree::Id parent, std::string_view name);
  void locate(std::uint16_t slot);
  void forget(Slot& slot);
  void drop(WatchTree::Id id);
  void adopt(WatchTree::Id parent, std::uint16_t slot, const Walk& walk);
  void mark_limited(std::uint16_t slot);
  void report(std::uint16_t slot, std::string_view skill, ChangeKind kind, const RawEvent& event);
  void report(std::uint16_t slot, RescanReason reason);

  IgnoreRules m_ignored;
  WatchTree m_tree;
  std::vector<Slot> m_slots;
  std::deque<Command> m_commands;
  Report m_report;
  std::uint64_t m_order = 0;
};

} // namespace upskill::watch
