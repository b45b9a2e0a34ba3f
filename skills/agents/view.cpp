#include "skills/agents/view.h"

#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace upskill::agents {
namespace {

// What one name comes to while the roots are read in order.
struct Row {
  std::vector<const PresentSkill*> shown = {}; // in the order in which they were met
  std::vector<std::string> notes = {};
  std::string passed_over = {}; // path of the first copy that is not shown
};

void add_note(Row& row, std::string note) {
  if (std::ranges::find(row.notes, note) == row.notes.end()) {
    row.notes.push_back(std::move(note));
  }
}

// Why the agent never gets as far as reading this copy, or nothing.
std::optional<std::string> unseen_reason(const Agent& agent, const PresentSkill& skill) {
  const Loader& loader = agent.loader;
  if (skill.link && loader.follows_links == FollowsLinks::no) {
    return in_backticks(skill.path) + " is a link, which " + agent.title + " does not follow";
  }
  if (skill.link && loader.follows_links == FollowsLinks::unknown) {
    return in_backticks(skill.path) + " is a link, and it is not known whether " + agent.title
           + " follows links";
  }
  if (loader.depth != k_any_depth && skill.depth > loader.depth) {
    return in_backticks(skill.path) + " lies deeper than " + agent.title + " looks";
  }
  return std::nullopt;
}

// Tells copies that the agent takes for one and the same.
class SeenCopies {
public:
  explicit SeenCopies(DedupesBy rule)
      : m_rule(rule) {}

  // The copy that this one is the same as, or null, in which case it is remembered.
  const PresentSkill* find_or_add(const PresentSkill& skill) {
    if (m_rule == DedupesBy::path) {
      return take(m_paths, skill.real_path, skill);
    }
    if (m_rule == DedupesBy::inode) {
      return take(m_inodes, std::pair(skill.device, skill.inode), skill);
    }
    return nullptr; // by name: the rule for copies of one name decides
  }

private:
  template <class Map, class Key>
  static const PresentSkill* take(Map& map, const Key& key, const PresentSkill& skill) {
    auto [at, added] = map.emplace(key, &skill);
    return added ? nullptr : at->second;
  }

  DedupesBy m_rule;
  std::map<std::string, const PresentSkill*> m_paths;
  std::map<std::pair<std::uint64_t, std::uint64_t>, const PresentSkill*> m_inodes;
};

std::string why_twice(const Agent& agent, const Row& row) {
  std::string others;
  for (std::size_t i = 1; i < row.shown.size(); ++i) {
    others += (i == 1 ? "" : ", ") + in_backticks(row.shown[i]->path);
  }
  switch (agent.loader.dedupes_by) {
  case DedupesBy::path:
    return "also lies in " + others + "; " + agent.title
           + " takes copies for one only where they are one folder";
  case DedupesBy::inode:
  case DedupesBy::name:
    return "also lies in " + others;
  case DedupesBy::none:
    break;
  }
  return "also lies in " + others
         + (agent.loader.known_by == KnownBy::nothing
                ? "; it is not known whether " + agent.title + " tells them to be one"
                : "; " + agent.title + " may list each copy");
}

ListedSkill listed(const Agent& agent, const std::string& name, Row& row) {
  ListedSkill skill{name, row.passed_over, 0};
  const SameName rule = agent.loader.same_name;
  if (!row.shown.empty()) {
    const PresentSkill& taken = rule == SameName::last ? *row.shown.back() : *row.shown.front();
    skill.path = taken.path;
    skill.times = rule == SameName::all ? static_cast<std::int64_t>(row.shown.size()) : 1;
    if (taken.verdict == LoaderVerdict::repaired) {
      row.notes.insert(row.notes.begin(), "repaired: " + taken.reason);
    }
    if (skill.times > 1) {
      row.notes.insert(row.notes.begin(), why_twice(agent, row));
    } else if (row.shown.size() > 1) {
      const PresentSkill& loser = rule == SameName::last ? *row.shown.front() : *row.shown.back();
      row.notes.insert(row.notes.begin(),
                       std::string("the ") + (rule == SameName::last ? "last" : "first")
                           + " copy wins; " + in_backticks(loser.path) + " is not used");
    }
  }
  for (const std::string& note : row.notes) {
    skill.note += (skill.note.empty() ? "" : "; ") + note;
  }
  return skill;
}

} // namespace

AgentView
view_of(const Agent& agent, std::span<const ReadRoot> roots, std::span<const std::string> known) {
  std::map<std::string, Row> rows;
  SeenCopies seen(agent.loader.dedupes_by);
  for (const ReadRoot& root : roots) {
    for (const PresentSkill& skill : root.skills) {
      Row& row = rows[skill.name];
      std::optional<std::string> unseen = unseen_reason(agent, skill);
      if (!unseen && skill.verdict == LoaderVerdict::skipped) {
        unseen = in_backticks(skill.path) + " is skipped: " + skill.reason;
      }
      if (unseen) {
        row.passed_over = row.passed_over.empty() ? skill.path : row.passed_over;
        add_note(row, std::move(*unseen));
      } else if (const PresentSkill* same = seen.find_or_add(skill)) {
        add_note(row,
                 in_backticks(skill.path) + " is the same folder as " + in_backticks(same->path)
                     + " and is listed once");
      } else {
        row.shown.push_back(&skill);
      }
    }
  }
  AgentView view;
  view.agent = agent.id;
  std::set<std::string_view> listed_folders;
  for (auto& [name, row] : rows) {
    view.lists.push_back(listed(agent, name, row));
    for (const PresentSkill* skill : row.shown) {
      if (agent.loader.same_name == SameName::all || skill->path == view.lists.back().path) {
        listed_folders.insert(base_name(skill->path));
      }
    }
  }
  for (const std::string& name : known) {
    if (!listed_folders.contains(name)) {
      view.misses.push_back(name);
    }
  }
  std::ranges::sort(view.misses);
  view.misses.erase(std::unique(view.misses.begin(), view.misses.end()), view.misses.end());
  return view;
}

} // namespace upskill::agents
