#include "daemon/watch/watch_state.h"

#include <sys/inotify.h>

#include <algorithm>
#include <utility>

namespace upskill::watch {
namespace {

// The watched folder itself went, or its watch did.
constexpr std::uint32_t k_gone = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED;

ChangeKind kind_of(std::uint32_t mask) {
  bool folder = (mask & IN_ISDIR) != 0;
  if ((mask & IN_MOVED_TO) != 0) {
    return ChangeKind::arrived;
  }
  if ((mask & IN_MOVED_FROM) != 0) {
    return ChangeKind::left;
  }
  if ((mask & IN_CLOSE_WRITE) != 0) {
    return ChangeKind::closed;
  }
  return (mask & IN_CREATE) != 0 && !folder ? ChangeKind::created : ChangeKind::other;
}

} // namespace

WatchState::WatchState(IgnoreRules ignored)
    : m_ignored(ignored) {}

void WatchState::set_roots(const std::vector<WatchRoot>& roots) {
  for (Slot& slot : m_slots) {
    slot.places.clear();
  }
  for (std::uint32_t place = 0; place < roots.size(); ++place) {
    auto same = std::find_if(m_slots.begin(), m_slots.end(), [&](const Slot& slot) {
      return slot.root.path == roots[place].path && slot.root.sign == roots[place].sign;
    });
    if (same == m_slots.end()) {
      same = std::find_if(
          m_slots.begin(), m_slots.end(), [](const Slot& slot) { return slot.root.path.empty(); });
      if (same == m_slots.end()) {
        same = m_slots.insert(m_slots.end(), Slot());
      }
      same->root = roots[place];
    }
    same->places.push_back(place);
  }
  for (std::size_t slot = 0; slot < m_slots.size(); ++slot) {
    if (m_slots[slot].places.empty()) {
      forget(m_slots[slot]);
      m_slots[slot] = Slot(); // free: it is the numbers of the others that must stay
      continue;
    }
    // One that is missing may be where nobody tells of its coming: below what we may not read.
    bool missing = m_slots[slot].presence == Presence::missing && !m_slots[slot].root.sign;
    if (m_slots[slot].presence == Presence::unknown || missing) {
      locate(static_cast<std::uint16_t>(slot));
    }
  }
}

void WatchState::restart(RescanReason reason) {
  m_tree.clear();
  m_commands.clear();
  for (std::size_t slot = 0; slot < m_slots.size(); ++slot) {
    m_slots[slot].folder = WatchTree::k_none;
    m_slots[slot].ancestors.clear();
    m_slots[slot].locating = false;
    m_slots[slot].restarted = true;
    if (!m_slots[slot].places.empty()) {
      locate(static_cast<std::uint16_t>(slot));
    }
  }
  m_report.rescans.push_back({k_all_roots, reason});
}

void WatchState::handle(const RawEvent& event) {
  // One descriptor may stand for several folders; handling one may drop another.
  std::vector<WatchTree::Id> targets;
  for (auto id = m_tree.first_of_wd(event.wd); id != WatchTree::k_none;
       id = m_tree.next_of_wd(id)) {
    targets.push_back(id);
  }
  for (WatchTree::Id id : targets) {
    if (!m_tree.alive(id) || m_tree.wd(id) != event.wd) {
      continue;
    }
    switch (m_tree.role(id)) {
    case WatchTree::Role::ancestor:
      on_ancestor(id, event);
      break;
    case WatchTree::Role::root:
      on_root(id, event);
      break;
    case WatchTree::Role::folder:
      on_folder(id, event);
      break;
    }
  }
}

void WatchState::on_ancestor(WatchTree::Id id, const RawEvent& event) {
  std::uint16_t slot = m_tree.slot(id);
  bool present = m_slots[slot].presence == Presence::present;
  bool awaited = event.name == m_tree.name(id) && !event.name.empty();
  // A creation below a root that is there tells of what was found already.
  bool news = (event.mask & (IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)) != 0
              || ((event.mask & IN_CREATE) != 0 && !present);
  if ((event.mask & k_gone) != 0 || (awaited && news)) {
    locate(slot);
  }
}

void WatchState::on_root(WatchTree::Id id, const RawEvent& event) {
  std::uint16_t slot = m_tree.slot(id);
  if ((event.mask & k_gone) != 0) {
    locate(slot);
    return;
  }
  if (event.name.empty() || m_ignored.in_root(event.name)) {
    return;
  }
  // Files in a root are no skills; but a link to one comes, goes and moves as if it were a file.
  bool folder = (event.mask & IN_ISDIR) != 0;
  if (!folder && (event.mask & (IN_CLOSE_WRITE | IN_ATTRIB)) != 0) {
    return;
  }
  on_entry(id, event, event.name);
}

void WatchState::on_folder(WatchTree::Id id, const RawEvent& event) {
  if ((event.mask & (IN_DELETE_SELF | IN_UNMOUNT | IN_IGNORED)) != 0) {
    report(m_tree.slot(id), m_tree.skill(id), ChangeKind::other, event);
    drop(id);
    return;
  }
  // Its parent tells of its own renaming; its own mode and times are not content.
  if (event.name.empty() || m_ignored.in_skill(event.name)) {
    return;
  }
  on_entry(id, event, m_tree.skill(id));
}

void WatchState::on_entry(WatchTree::Id id, const RawEvent& event, std::string_view skill) {
  std::uint16_t slot = m_tree.slot(id);
  if ((event.mask & IN_ISDIR) == 0) {
    report(slot, skill, kind_of(event.mask), event);
    return;
  }
  if ((event.mask & IN_ATTRIB) != 0 && m_tree.child(id, event.name) != WatchTree::k_none) {
    return;
  }
  ChangeKind kind = kind_of(event.mask);
  // Only a whole skill comes complete by one rename.
  if (m_tree.role(id) != WatchTree::Role::root) {
    kind = ChangeKind::other;
  }
  report(slot, skill, kind, event);
  refresh(id, event.name);
}

// Also after a deletion: an exchange of two folders tells of the arrival before it tells of the
// leaving, so what the last event says is not what is there.
void WatchState::refresh(WatchTree::Id parent, std::string_view name) {
  if (auto known = m_tree.child(parent, name); known != WatchTree::k_none) {
    drop(known);
  }
  std::uint16_t slot = m_tree.slot(parent);
  Command command;
  command.kind = Command::Kind::walk;
  command.slot = slot;
  command.parent = parent;
  std::string below = m_tree.path_below_root(parent);
  command.depth = 1 + static_cast<int>(std::count(below.begin(), below.end(), '/'));
  command.path = m_slots[slot].root.path + below + "/";
  command.path += name;
  m_commands.push_back(std::move(command));
}

void WatchState::locate(std::uint16_t slot) {
  forget(m_slots[slot]);
  if (!m_slots[slot].locating) {
    m_slots[slot].locating = true;
    Command command;
    command.kind = Command::Kind::locate;
    command.slot = slot;
    command.path = m_slots[slot].root.path;
    m_commands.push_back(std::move(command));
  }
}

void WatchState::forget(Slot& slot) {
  if (slot.folder != WatchTree::k_none) {
    drop(slot.folder);
    slot.folder = WatchTree::k_none;
  }
  for (WatchTree::Id id : slot.ancestors) {
    drop(id);
  }
  slot.ancestors.clear();
}

void WatchState::drop(WatchTree::Id id) {
  std::vector<int> orphans;
  m_tree.drop(id, orphans);
  for (int wd : orphans) {
    Command command;
    command.kind = Command::Kind::remove_watch;
    command.wd = wd;
    m_commands.push_back(std::move(command));
  }
}

std::optional<Command> WatchState::next_command() {
  if (m_commands.empty()) {
    return std::nullopt;
  }
  Command command = std::move(m_commands.front());
  m_commands.pop_front();
  return command;
}

void WatchState::located(std::uint16_t slot, const Location& location) {
  m_slots[slot].locating = false;
  if (m_slots[slot].places.empty()) {
    return;
  }
  for (const Location::Ancestor& ancestor : location.ancestors) {
    m_slots[slot].ancestors.push_back(
        m_tree.add(WatchTree::k_none, WatchTree::Role::ancestor, slot, ancestor.next, ancestor.wd));
  }
  bool sign = m_slots[slot].root.sign;
  Presence before = m_slots[slot].presence;
  Presence now = Presence::missing;
  if (location.root.outcome == Walk::Outcome::not_a_folder) {
    now = Presence::blocked;
  } else if (location.root.outcome == Walk::Outcome::found
             && (sign || !location.root.folders.empty())) {
    now = Presence::present;
    adopt(WatchTree::k_none, slot, location.root);
  }
  m_slots[slot].presence = now;
  m_slots[slot].limited = false;
  if ((location.limit_reached || location.root.limit_reached) && !sign) {
    mark_limited(slot);
  }
  bool restarted = std::exchange(m_slots[slot].restarted, false);
  if (before == Presence::unknown || (before == now && (restarted || now == Presence::missing))) {
    return;
  }
  if (now == Presence::missing) {
    report(slot, RescanReason::vanished);
  } else if (now == Presence::present && before != Presence::present) {
    report(slot, RescanReason::appeared);
  } else {
    report(slot, RescanReason::replaced);
  }
}

void WatchState::walked(WatchTree::Id parent, const Walk& walk) {
  if (!m_tree.alive(parent)) {
    return;
  }
  if (walk.limit_reached) {
    mark_limited(m_tree.slot(parent));
  }
  if (walk.outcome == Walk::Outcome::found) {
    adopt(parent, m_tree.slot(parent), walk);
  }
}

void WatchState::adopt(WatchTree::Id parent, std::uint16_t slot, const Walk& walk) {
  std::vector<WatchTree::Id> ids(walk.folders.size(), WatchTree::k_none);
  for (std::size_t i = 0; i < walk.folders.size(); ++i) {
    const Walk::Folder& folder = walk.folders[i];
    WatchTree::Id above = i == 0 ? parent : ids[folder.parent];
    if (folder.wd < 0 || (i > 0 && above == WatchTree::k_none)) {
      continue;
    }
    bool is_root = i == 0 && parent == WatchTree::k_none;
    auto role = is_root ? WatchTree::Role::root : WatchTree::Role::folder;
    ids[i] = m_tree.add(above, role, slot, is_root ? "" : walk.name(folder), folder.wd);
    if (is_root) {
      m_slots[slot].folder = ids[i];
    }
  }
}

void WatchState::mark_limited(std::uint16_t slot) {
  if (!m_slots[slot].limited) {
    m_slots[slot].limited = true;
    report(slot, RescanReason::watch_limit);
  }
}

std::vector<WatchRoot> WatchState::limited_roots() const {
  std::vector<WatchRoot> limited;
  for (const Slot& slot : m_slots) {
    if (slot.limited && !slot.places.empty()) {
      limited.push_back(slot.root);
    }
  }
  return limited;
}

void WatchState::report(std::uint16_t slot,
                        std::string_view skill,
                        ChangeKind kind,
                        const RawEvent& event) {
  for (std::uint32_t place : m_slots[slot].places) {
    std::uint64_t order = next_order();
    if (kind == ChangeKind::other && !m_report.changes.empty()) {
      Change& last = m_report.changes.back();
      if (last.kind == kind && last.root == place && last.skill == skill) {
        last.order = order;
        continue;
      }
    }
    m_report.changes.push_back(
        {place, std::string(skill), kind, hash_name(event.name), event.cookie, order});
  }
}

void WatchState::report(std::uint16_t slot, RescanReason reason) {
  for (std::uint32_t place : m_slots[slot].places) {
    m_report.rescans.push_back({place, reason});
  }
}

Report WatchState::take_report() {
  return std::exchange(m_report, {});
}

std::string_view to_string(RescanReason reason) {
  switch (reason) {
  case RescanReason::appeared:
    return "appeared";
  case RescanReason::vanished:
    return "vanished";
  case RescanReason::replaced:
    return "replaced";
  case RescanReason::overflow:
    return "overflow";
  case RescanReason::watch_limit:
    return "watch_limit";
  }
  return "unknown";
}

} // namespace upskill::watch
