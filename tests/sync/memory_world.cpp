#include "tests/sync/memory_world.h"

#include "tests/sync/disk.h"

#include <algorithm>

namespace upskill::sync_test {
namespace {

constexpr std::int64_t k_grace_ms = 2'000;
const std::vector<std::string> k_skills = {"alpha", "beta", "gamma", "delta", "echo", "fox"};

} // namespace

MemoryWorld::MemoryWorld(std::uint64_t seed)
    : m_random(seed * 0x9E3779B97F4A7C15U) {
  m_roots.resize(2 + below(4));
  m_mirror = below(3) != 0;
  for (std::size_t i = 0; i < m_roots.size(); ++i) {
    m_roots[i].inode = ++m_inodes;
    sync::CoverAgent agent;
    agent.reads = {i};
    if (below(3) == 0) {
      agent.reads.push_back(below(m_roots.size()));
    }
    agent.preferred = i;
    m_cover.agents.push_back(agent);
    m_cover.roots.push_back(sync::NewCopies::welcome);
  }
}

sync::Tree MemoryWorld::tree_of(const std::map<std::string, std::string>& files) {
  std::vector<sync::Entry> entries;
  for (const auto& [path, bytes] : files) {
    sync::Entry& entry = entries.emplace_back();
    entry.path = path;
    entry.size = bytes.size();
    entry.content = sha256(bytes);
    m_contents.emplace(entry.content, bytes);
  }
  return sync::Tree(std::move(entries));
}

// One line of SKILL.md, or a whole other file, or the executable bit.
sync::Tree MemoryWorld::edited(const sync::Tree& tree) {
  std::map<std::string, std::string> files;
  for (const sync::Entry& entry : tree.entries()) {
    files[entry.path] = m_contents.at(entry.content);
  }
  std::uint64_t what = below(5);
  std::string value = std::to_string(below(12));
  if (what < 3) {
    std::string text;
    for (std::uint64_t line = 0; line < 3; ++line) {
      std::string& old = files["SKILL.md"];
      std::string start = "line " + std::to_string(line) + " ";
      std::size_t from = old.find(start);
      std::string kept =
          from == std::string::npos ? start : old.substr(from, old.find('\n', from) - from);
      text += (line == what ? start + value : kept) + "\n\nbetween\n\n";
    }
    files["SKILL.md"] = text;
  } else if (what == 3) {
    files["notes.md"] = value;
  } else {
    files.erase("notes.md");
    files["data.txt"] = value;
  }
  return tree_of(files);
}

void MemoryWorld::person() {
  std::size_t i = below(m_roots.size());
  Root& root = m_roots[i];
  if (!root.mounted || !root.away.empty()) {
    return;
  }
  const std::string& name = k_skills[below(k_skills.size())];
  auto copy = root.copies.find(name);
  std::uint64_t what = below(8);
  if (copy == root.copies.end()) {
    if (what < 3) {
      root.copies[name] = edited(sync::Tree());
    }
  } else if (what < 5) {
    copy->second = edited(copy->second);
  } else if (what == 5) {
    m_deleted.insert(name);
    root.copies.erase(copy);
  } else if (what == 6) {
    const auto& other = m_roots[below(m_roots.size())].copies;
    if (auto there = other.find(name); there != other.end()) {
      copy->second = there->second;
    }
  }
}

// A version that the skill once had, or one that nobody knows, where there is no copy; or anything,
// in a root that comes back with it.
void MemoryWorld::old_copy() {
  Root& root = m_roots[below(m_roots.size())];
  const std::string& name = k_skills[below(k_skills.size())];
  const std::vector<sync::Tree>& once = m_once[name];
  std::uint64_t which = below(once.size() + 1);
  sync::Tree tree = which == once.size() ? edited(sync::Tree()) : once[which];
  if (!root.away.empty()) {
    root.away[name] = tree;
  } else if (!root.mounted || !root.copies.contains(name)) {
    root.copies[name] = tree;
  }
}

void MemoryWorld::roots() {
  Root& root = m_roots[below(m_roots.size())];
  switch (below(7)) {
  case 0:
    root.mounted = !root.mounted;
    return;
  case 1:
    root.held = !root.held;
    return;
  case 2:
    if (root.mounted && root.away.empty() && root.copies.size() >= 2
        && agreed_in(static_cast<std::size_t>(&root - m_roots.data())) >= 2) {
      root.away.swap(root.copies);
    }
    return;
  case 3:
    if (root.mounted && root.record.emptied && root.away.size() > 1 && below(2) == 0) {
      root.copies.insert(root.away.extract(root.away.begin())); // only one of them
    } else if (root.mounted) {
      root.copies.merge(root.away);
      root.away.clear();
    }
    return;
  case 5: // many at once, but not all
    while (root.mounted && root.away.empty() && root.copies.size() > 1) {
      m_deleted.insert(root.copies.begin()->first);
      root.copies.erase(root.copies.begin());
    }
    return;
  case 4:
    root.inode = ++m_inodes; // the same content in another folder
    return;
  default:
    // Lost state: nothing that was deleted before may stay deleted because of it.
    m_known.clear();
    m_deleted.clear();
    for (Root& one : m_roots) {
      one.record = {};
    }
  }
}

std::size_t MemoryWorld::agreed_in(std::size_t root) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      m_known, [&](const auto& known) { return known.second.bases.contains(root); }));
}

void MemoryWorld::open_roots() {
  for (std::size_t i = 0; i < m_roots.size(); ++i) {
    Root& root = m_roots[i];
    root.record.agreed = agreed_in(i);
    sync::RootProbe probe{root.mounted, true, true, 1, root.inode};
    sync::RootJudgement judged = sync::judge_root("root", root.record, probe);
    if (judged.health == sync::RootHealth::replaced) {
      for (auto& [name, known] : m_known) {
        known.bases.erase(i);
      }
      judged = {};
      root.record.agreed = 0;
      root.record.emptied = false;
    }
    std::size_t present = 0;
    for (const auto& [name, known] : m_known) {
      present += known.bases.contains(i) && root.copies.contains(name);
    }
    if (judged.health == sync::RootHealth::ok) {
      root.record.emptied = sync::is_emptied(root.record, present);
    }
    root.usable = judged.health == sync::RootHealth::ok && !root.held && !root.record.emptied;
    if (root.usable) {
      root.record.device = 1;
      root.record.inode = root.inode;
    }
  }
}

std::vector<sync::Observation> MemoryWorld::look(const std::string& name) {
  std::vector<sync::Observation> seen(m_roots.size());
  const Known& known = m_known[name];
  for (std::size_t i = 0; i < seen.size(); ++i) {
    seen[i].root = static_cast<sync::RootIndex>(i);
    seen[i].usable = m_roots[i].usable;
    if (auto base = known.bases.find(i); base != known.bases.end()) {
      seen[i].base = base->second;
    }
    auto copy = m_roots[i].copies.find(name);
    if (seen[i].usable && copy != m_roots[i].copies.end()) {
      seen[i].presence = sync::Presence::copy;
      seen[i].hash = copy->second.hash();
      if (m_must.insert(seen[i].hash).second) {
        m_once[name].push_back(copy->second);
      }
    }
  }
  return seen;
}

// The decision must not depend on the order in which the replicas are given.
sync::Decision MemoryWorld::decide(const Known& known, std::vector<sync::Observation> seen) {
  sync::Decision decision = sync::reconcile(known.ancestor, seen);
  std::ranges::shuffle(seen, m_random);
  if (sync::reconcile(known.ancestor, seen) != decision) {
    throw Violation("the decision depends on the order of the replicas");
  }
  return decision;
}

std::optional<sync::Tree> MemoryWorld::join(const Known& known, const sync::Decision& decision) {
  auto read = [&](const sync::Entry& entry) -> Result<std::string> {
    return m_contents.at(entry.content);
  };
  auto all = [&](const Digest& hash) -> const sync::Tree& {
    auto kept = m_store.find(hash);
    if (kept == m_store.end()) {
      throw Violation("a version that a join needs is in no store: " + hash.brief());
    }
    return kept->second;
  };
  sync::Tree joined = all(*known.ancestor);
  for (const sync::Version& version : decision.versions) {
    const sync::Tree& base = all(version.base.value_or(*known.ancestor));
    const sync::Tree& changed = all(version.hash);
    auto one = sync::merge_trees(base, {&joined, &changed}, read);
    auto other = sync::merge_trees(base, {&changed, &joined}, read);
    if (!one || !other) {
      throw Violation("a join failed: " + (one ? other : one).error().message);
    }
    if (one->clean() != other->clean()
        || (one->clean() && one->tree.hash() != other->tree.hash())) {
      throw Violation("a join depends on the order of its versions");
    }
    if (!one->clean()) {
      return std::nullopt;
    }
    for (const sync::MergedFile& file : one->files) {
      m_contents[sha256(file.bytes)] = file.bytes;
    }
    joined = std::move(one->tree);
  }
  return joined;
}

sync::RootSet MemoryWorld::wanted(const std::vector<sync::Observation>& seen) {
  sync::CoverSkill skill;
  for (const sync::Observation& one : seen) {
    if (one.presence == sync::Presence::copy || (!one.usable && one.base)) {
      skill.present.set(one.root);
    }
  }
  auto plan = m_mirror ? sync::plan_mirror(m_cover, skill) : sync::plan_cover(m_cover, skill);
  if (!plan || (skill.present & ~plan->hold).any()) {
    throw Violation("a plan gives up a copy that is there");
  }
  return plan->hold;
}

bool MemoryWorld::skill_round(const std::string& name, int& left, int& writes) {
  Known& known = m_known[name];
  std::vector<sync::Observation> seen = look(name);
  sync::Decision decision = decide(known, seen);
  using sync::Verdict;
  if (decision.verdict == Verdict::remove || decision.verdict == Verdict::gone) {
    known.deleted_ms = known.deleted_ms.value_or(m_now_ms);
    return true;
  }
  known.deleted_ms.reset();
  sync::Tree target;
  if (decision.verdict == Verdict::nothing) {
    if (!known.ancestor || !decision.deleted_in.empty()) {
      return true;
    }
    target = m_store.at(*known.ancestor);
  } else {
    for (const sync::Observation& one : seen) {
      if (one.usable && one.presence == sync::Presence::copy) {
        const sync::Tree& tree = m_roots[one.root].copies.at(name);
        m_store.emplace(tree.hash(), tree); // before anything is overwritten
      }
    }
    std::optional<sync::Tree> joined =
        decision.verdict == Verdict::merge ? join(known, decision) : std::nullopt;
    target = joined ? *joined : m_store.at(decision.versions.front().hash);
  }
  m_store.emplace(target.hash(), target);
  sync::RootSet hold = wanted(seen);
  std::vector<Write> plan;
  std::vector<std::size_t> holders;
  for (const sync::Observation& one : seen) {
    bool copy = one.presence == sync::Presence::copy;
    if (!one.usable) {
      continue;
    }
    if (copy && one.hash == target.hash()) {
      holders.push_back(one.root);
    } else if (copy) {
      plan.push_back({one.root, one.hash});
    } else if (hold.test(one.root) || one.base) {
      plan.push_back({one.root, std::nullopt});
    }
  }
  for (const Write& write : plan) {
    Root& root = m_roots[write.root];
    auto copy = root.copies.find(name);
    if (m_meddle && below(3) == 0) {
      root.copies[name] = edited(copy == root.copies.end() ? sync::Tree() : copy->second);
      copy = root.copies.find(name);
    }
    std::optional<Digest> there;
    if (copy != root.copies.end()) {
      there = copy->second.hash();
    }
    if (there != write.expected) {
      continue; // the swap is undone; the next round decides anew
    }
    root.copies[name] = target;
    holders.push_back(write.root);
    ++writes;
    if (--left == 0) {
      return false;
    }
  }
  known.ancestor = target.hash();
  for (std::size_t holder : holders) {
    known.bases[holder] = target.hash();
  }
  return true;
}

bool MemoryWorld::carry_out_deletions(int& left, int& writes) {
  std::vector<std::string> due;
  std::vector<std::size_t> missing(m_roots.size());
  for (auto& [name, known] : m_known) {
    if (known.deleted_ms && *known.deleted_ms + k_grace_ms <= m_now_ms) {
      due.push_back(name);
      for (const auto& [root, base] : known.bases) {
        missing[root] += m_roots[root].usable && !m_roots[root].copies.contains(name);
      }
    }
  }
  for (std::size_t i = 0; i < m_roots.size(); ++i) {
    if (missing[i] > 0 && !m_roots[i].guard.allows(missing[i], agreed_in(i), m_now_ms)) {
      return true; // held; here no person ever answers, but the window passes
    }
  }
  for (std::size_t i = 0; i < m_roots.size(); ++i) {
    if (missing[i] > 20 || (missing[i] > 3 && missing[i] * 100 > agreed_in(i) * 30)) {
      throw Violation("the guard let a mass deletion through");
    }
    m_roots[i].guard.let_through(missing[i], m_now_ms);
  }
  for (const std::string& name : due) {
    Known& known = m_known[name];
    std::vector<sync::Observation> seen = look(name);
    sync::Decision decision = decide(known, seen);
    if (decision.verdict != sync::Verdict::remove && decision.verdict != sync::Verdict::gone) {
      continue;
    }
    bool remains = false;
    for (const sync::Observation& one : seen) {
      if (one.usable && one.presence == sync::Presence::copy) {
        if (!m_deleted.contains(name)) {
          throw Violation("`" + name + "` is removed, and nobody had deleted it");
        }
        m_store.emplace(one.hash, m_roots[one.root].copies.at(name));
        m_roots[one.root].copies.erase(name);
        ++writes;
        if (--left == 0) {
          return false;
        }
      }
      remains = remains || (!one.usable && one.base);
    }
    for (const sync::Observation& one : seen) {
      if (one.usable) {
        known.bases.erase(one.root);
      }
    }
    known.ancestor.reset();
    known.deleted_ms.reset();
    if (!remains) {
      m_known.erase(name);
    }
  }
  return true;
}

bool MemoryWorld::round(int cut_after, int& writes) {
  open_roots();
  std::set<std::string> names;
  for (const Root& root : m_roots) {
    for (const auto& [name, tree] : root.copies) {
      names.insert(name);
    }
  }
  for (const auto& [name, known] : m_known) {
    names.insert(name);
  }
  for (const std::string& name : names) {
    if (!skill_round(name, cut_after, writes)) {
      return false;
    }
  }
  return carry_out_deletions(cut_after, writes);
}

void MemoryWorld::check_kept() const {
  std::set<Digest> there;
  for (const Root& root : m_roots) {
    for (const auto& [name, tree] : root.copies) {
      there.insert(tree.hash());
    }
    for (const auto& [name, tree] : root.away) {
      there.insert(tree.hash());
    }
  }
  for (const Digest& hash : m_must) {
    if (!there.contains(hash) && !m_store.contains(hash)) {
      throw Violation("a version is lost: " + hash.brief());
    }
  }
}

void MemoryWorld::step() {
  std::uint64_t what = below(11);
  if (what < 5) {
    person();
  } else if (what == 10) {
    old_copy();
  } else if (what == 5) {
    roots();
  } else if (what == 6) {
    m_now_ms += static_cast<std::int64_t>(below(5'000));
  } else {
    int writes = 0;
    m_meddle = below(4) == 0;
    bool whole = round(below(3) == 0 ? static_cast<int>(1 + below(6)) : -1, writes);
    m_meddle = false;
    if (!whole) {
      for (auto& [name, known] : m_known) {
        known.deleted_ms.reset(); // a new process: grace periods begin anew
      }
    }
    check_kept();
  }
}

void MemoryWorld::finish() {
  for (Root& root : m_roots) {
    root.mounted = true;
    root.held = false;
    root.copies.merge(root.away);
    root.away.clear();
  }
  int quiet = 0;
  for (int i = 0; quiet < 2; ++i) {
    if (i == 24) {
      throw Violation("it does not come to rest");
    }
    int writes = 0;
    round(-1, writes);
    quiet = writes == 0 ? quiet + 1 : 0;
    m_now_ms += 12'000;
  }
  check_kept();
  bool all_open = std::ranges::all_of(m_roots, &Root::usable);
  for (const auto& [name, known] : m_known) {
    bool pending = known.deleted_ms.has_value() || !all_open; // it may wait for a root
    for (const Root& root : m_roots) {
      auto copy = root.copies.find(name);
      if (root.usable && !pending && copy != root.copies.end()
          && copy->second.hash() != known.ancestor) {
        throw Violation("at rest, the copies of `" + name + "` differ");
      }
      if (root.usable && m_mirror && !pending && known.ancestor && copy == root.copies.end()) {
        throw Violation("at rest, a root has no copy of `" + name + "`");
      }
    }
  }
}

} // namespace upskill::sync_test
