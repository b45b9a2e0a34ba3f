#include "daemon/watch/watch_tree.h"

namespace upskill::watch {
namespace {

// The finalizer of MurmurHash3: descriptors count up by one, names differ in their last letters.
std::uint32_t mix(std::uint32_t hash) {
  hash ^= hash >> 16;
  hash *= 0x85EBCA6Bu;
  hash ^= hash >> 13;
  hash *= 0xC2B2AE35u;
  return hash ^ hash >> 16;
}

std::uint32_t key_of(std::uint32_t parent, std::string_view name) {
  return mix(hash_name(name) + parent * 0x9E3779B9u);
}

} // namespace

// FNV-1a.
std::uint32_t hash_name(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (unsigned char byte : name) {
    hash = (hash ^ byte) * 16777619u;
  }
  return hash;
}

std::string_view WatchTree::name(Id id) const {
  return std::string_view(m_names).substr(m_nodes[id].name_offset, m_nodes[id].name_length);
}

std::uint32_t WatchTree::name_key(Id id) const {
  return key_of(m_nodes[id].parent, name(id));
}

WatchTree::Id
WatchTree::add(Id parent, Role role, std::uint16_t slot, std::string_view name, int wd) {
  Id id = m_free;
  if (id == k_none) {
    id = static_cast<Id>(m_nodes.size());
    m_nodes.emplace_back();
  } else {
    m_free = m_nodes[id].next;
  }
  m_nodes[id] = Node();
  m_nodes[id].parent = parent;
  m_nodes[id].role = role;
  m_nodes[id].slot = slot;
  m_nodes[id].wd = wd;
  m_nodes[id].name_offset = static_cast<std::uint32_t>(m_names.size());
  m_nodes[id].name_length = static_cast<std::uint8_t>(name.size());
  m_names += name;
  if (parent != k_none) {
    Node& above = m_nodes[parent];
    m_nodes[id].next = above.first_child;
    if (above.first_child != k_none) {
      m_nodes[above.first_child].previous = id;
    }
    above.first_child = id;
    m_by_name.insert(id, [this](Id one) { return name_key(one); });
  }
  if (Id first = first_of_wd(wd); first != k_none) {
    m_nodes[id].next_of_wd = m_nodes[first].next_of_wd;
    m_nodes[first].next_of_wd = id;
  } else {
    m_by_wd.insert(id, [this](Id one) { return mix(static_cast<unsigned>(m_nodes[one].wd)); });
  }
  ++m_size;
  return id;
}

WatchTree::Id WatchTree::child(Id parent, std::string_view wanted) const {
  return m_by_name.find(key_of(parent, wanted),
                        [&](Id id) { return m_nodes[id].parent == parent && name(id) == wanted; });
}

WatchTree::Id WatchTree::first_of_wd(int wd) const {
  return m_by_wd.find(mix(static_cast<unsigned>(wd)), [&](Id id) { return m_nodes[id].wd == wd; });
}

void WatchTree::unlink_from_siblings(Id id) {
  Node& node = m_nodes[id];
  if (node.previous != k_none) {
    m_nodes[node.previous].next = node.next;
  } else if (node.parent != k_none) {
    m_nodes[node.parent].first_child = node.next;
  }
  if (node.next != k_none) {
    m_nodes[node.next].previous = node.previous;
  }
}

// True when nothing carries its descriptor any more.
bool WatchTree::unlink_from_wd(Id id) {
  auto hash_of = [this](Id one) { return mix(static_cast<unsigned>(m_nodes[one].wd)); };
  Id first = first_of_wd(m_nodes[id].wd);
  if (first == id) {
    m_by_wd.erase(id, hash_of);
    if (Id next = m_nodes[id].next_of_wd; next != k_none) {
      m_by_wd.insert(next, hash_of);
      return false;
    }
    return true;
  }
  while (m_nodes[first].next_of_wd != id) {
    first = m_nodes[first].next_of_wd;
  }
  m_nodes[first].next_of_wd = m_nodes[id].next_of_wd;
  return false;
}

void WatchTree::drop(Id id, std::vector<int>& orphans) {
  unlink_from_siblings(id);
  std::vector<Id> left{id};
  while (!left.empty()) {
    Id one = left.back();
    left.pop_back();
    for (Id below = m_nodes[one].first_child; below != k_none; below = m_nodes[below].next) {
      left.push_back(below);
    }
    if (m_nodes[one].parent != k_none) {
      m_by_name.erase(one, [this](Id other) { return name_key(other); });
    }
    if (unlink_from_wd(one)) {
      orphans.push_back(m_nodes[one].wd);
    }
    m_dead_name_bytes += m_nodes[one].name_length;
    m_nodes[one] = Node();
    m_nodes[one].next = m_free;
    m_free = one;
    --m_size;
  }
  if (m_dead_name_bytes > 4096 && m_dead_name_bytes * 2 > m_names.size()) {
    compact_names();
  }
}

void WatchTree::compact_names() {
  std::string kept;
  kept.reserve(m_names.size() - m_dead_name_bytes);
  for (Id id = 0; id < m_nodes.size(); ++id) {
    if (m_nodes[id].wd >= 0) {
      auto offset = static_cast<std::uint32_t>(kept.size());
      kept += name(id);
      m_nodes[id].name_offset = offset;
    }
  }
  m_names = std::move(kept);
  m_dead_name_bytes = 0;
}

std::string_view WatchTree::skill(Id id) const {
  while (m_nodes[id].parent != k_none && m_nodes[m_nodes[id].parent].role != Role::root) {
    id = m_nodes[id].parent;
  }
  return name(id);
}

std::string WatchTree::path_below_root(Id id) const {
  std::string path;
  for (; m_nodes[id].role == Role::folder; id = m_nodes[id].parent) {
    path.insert(0, name(id)).insert(0, "/");
  }
  return path;
}

std::size_t WatchTree::bytes() const {
  return m_nodes.capacity() * sizeof(Node) + m_names.capacity() + m_by_name.bytes()
         + m_by_wd.bytes();
}

} // namespace upskill::watch
