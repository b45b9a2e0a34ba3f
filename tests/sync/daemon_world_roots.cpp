#include "protocol/base/paths.h"
#include "tests/sync/daemon_world_handle.h"

#include <algorithm>

namespace upskill::sync_test {

void DaemonWorld::roots(const Operation& operation) {
  std::size_t i = operation.root % m_setup.roots.size();
  m_upheaval = true;
  switch (operation.kind) {
  case Kind::root_vanishes:
    if (!is_away(i) && is_folder(root(i)) && !names_in(root(i)).empty()) {
      rename_path(parent_path(root(i)), away(i));
      replace_file(away(i) + "/.whole", "");
    }
    return;
  case Kind::root_emptied:
    empty_root(i);
    return;
  default:
    put_back(i, operation.value % 3 == 0);
  }
}

// Losing one skill is a deletion, losing all of several is not: only what was agreed counts, so
// this is done only where at least two skills were.
void DaemonWorld::empty_root(std::size_t i) {
  if (is_away(i) || !is_folder(root(i))) {
    return;
  }
  std::vector<std::string> names = names_in(root(i));
  auto agreed = std::ranges::count_if(names, [&](const std::string& name) {
    auto known = m_plain.find(name);
    return known != m_plain.end() && known->second.roots.contains(i) && !m_acts.contains(name);
  });
  if (agreed < 2) {
    return;
  }
  make_folders(away(i));
  for (const std::string& name : names) {
    rename_path(at(i, name), away(i) + "/" + name);
  }
}

void DaemonWorld::put_back(std::size_t i, bool as_copy) {
  if (!is_away(i)) {
    return;
  }
  bool whole = exists(away(i) + "/.whole");
  std::string place = whole ? parent_path(root(i)) : root(i);
  remove_all(away(i) + "/.whole");
  if (whole && !exists(place)) {
    if (!as_copy) {
      rename_path(away(i), place);
      return;
    }
    copy_all(away(i), place);
    for (const std::string& name : names_in(root(i))) {
      if (Handle folder(at(i, name)); folder) {
        left(folder, at(i, name));
      }
    }
    remove_all(away(i));
    return;
  }
  // What has been made anew meanwhile stays, and what was taken away is gone for good.
  std::set<Digest> dropped;
  for (const std::string& name : whole ? std::vector<std::string>() : names_in(away(i))) {
    if (!exists(at(i, name))) {
      rename_path(away(i) + "/" + name, at(i, name));
    }
  }
  add_trees_below(away(i), 1, dropped);
  for (const std::string& name : names_in(whole ? away(i) + "/skills" : away(i))) {
    m_deleted.insert(name);
    std::erase_if(m_bystanders, [&](const Bystander& one) {
      return one.root == i && one.path.starts_with(name + "/");
    });
  }
  std::erase_if(m_left, [&](const auto& one) { return dropped.contains(one.second.hash); });
  if (whole) {
    dropped.clear();
    add_trees_below(away(i) + "/.upskill-stage", 0, dropped);
    std::erase_if(m_settled, [&](const auto& one) { return dropped.contains(one.first); });
  }
  remove_all(away(i));
}

} // namespace upskill::sync_test
