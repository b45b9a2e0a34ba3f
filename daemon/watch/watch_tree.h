#pragma once
#include "daemon/watch/id_index.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::watch {

std::uint32_t hash_name(std::string_view name);

// The watched folders, compactly: 10,000 skills with their subfolders have to fit beside all else
// in 12 MiB, so a folder costs 32 bytes, its name and two index slots, about 60 bytes together.
// One watch descriptor may stand for several folders of it, because the kernel gives the same one
// for the same inode: the ancestor of many roots, or a folder on the move.
class WatchTree {
public:
  using Id = std::uint32_t;
  static constexpr Id k_none = IdIndex::k_none;

  enum class Role : std::uint8_t {
    ancestor, // its name is that of the entry it waits for, on the way to a root
    root,
    folder // a skill or below one
  };

  // `name` at most 255 bytes. Ancestors and roots have no parent.
  Id add(Id parent, Role role, std::uint16_t slot, std::string_view name, int wd);

  // Removes the folder and all below it; appends the descriptors that stand for nothing any more.
  void drop(Id id, std::vector<int>& orphans);

  Id child(Id parent, std::string_view name) const;
  // All folders that a descriptor stands for: walk it with next_of_wd.
  Id first_of_wd(int wd) const;

  Id next_of_wd(Id id) const { return m_nodes[id].next_of_wd; }

  bool alive(Id id) const { return id < m_nodes.size() && m_nodes[id].wd >= 0; }

  int wd(Id id) const { return m_nodes[id].wd; }

  Role role(Id id) const { return m_nodes[id].role; }

  std::uint16_t slot(Id id) const { return m_nodes[id].slot; }

  std::string_view name(Id id) const;
  // The name of the skill that a folder is or lies in.
  std::string_view skill(Id id) const;
  // The path below the root, with a leading slash for each folder; empty for the root itself.
  std::string path_below_root(Id id) const;

  std::size_t size() const { return m_size; }

  std::size_t bytes() const;

  void clear() { *this = WatchTree(); }

private:
  struct Node {
    Id parent = k_none;
    Id first_child = k_none;
    Id next = k_none; // sibling; of a freed node: the next free one
    Id previous = k_none;
    Id next_of_wd = k_none;
    std::uint32_t name_offset = 0;
    int wd = -1; // -1: free
    std::uint8_t name_length = 0;
    Role role = Role::folder;
    std::uint16_t slot = 0;
  };

  std::uint32_t name_key(Id id) const;
  void unlink_from_siblings(Id id);
  bool unlink_from_wd(Id id);
  void compact_names();

  std::vector<Node> m_nodes;
  std::string m_names;
  std::size_t m_dead_name_bytes = 0;
  IdIndex m_by_name; // (parent, name), of folders
  IdIndex m_by_wd;   // the first of each descriptor's chain
  Id m_free = k_none;
  std::size_t m_size = 0;
};

} // namespace upskill::watch
