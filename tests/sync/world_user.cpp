#include "protocol/base/paths.h"
#include "tests/sync/skill_text.h"
#include "tests/sync/world.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace upskill::sync_test {

void World::write_skill(std::size_t i, const std::string& name, std::uint32_t value) {
  replace_file(at(i, name + "/SKILL.md"), skill_text(name, value));
  if (value % 3 != 0) {
    replace_file(at(i, name + "/notes.md"), "notes " + std::to_string(value % 5) + "\n");
  }
  if (value % 2 != 0) {
    replace_file(at(i, name + "/scripts/run.sh"), "#!/bin/sh\n", 0755);
  }
  m_by_hand.emplace(i, name);
}

void World::edit_skill(const std::string& folder, std::uint32_t value) {
  std::string path = folder + "/SKILL.md";
  std::string text = edited_text(read(path), value);
  value % 2 == 0 ? replace_file(path, text) : rewrite_file(path, text);
}

// What a person deletes in a root may go everywhere, in time.
void World::person_deletes(std::size_t i, const std::string& name) {
  std::string path = at(i, name);
  if (is_folder(path) || m_by_hand.contains({i, name})) {
    m_deleted.insert(name); // a link, too, that took a copy's place since sync looked
  }
  std::erase_if(m_bystanders, [&](const Bystander& one) {
    return one.root == i && one.inside_skill && one.path.starts_with(name + "/");
  });
  remove_all(path);
}

void World::user(const Operation& operation) {
  std::size_t i = operation.root % m_setup.roots.size();
  std::size_t other = operation.other % m_setup.roots.size();
  std::string name = k_names[operation.skill % k_names.size()];
  std::string folder = at(i, name);
  std::uint32_t value = operation.value;
  if (!is_folder(root(i))) {
    return;
  }
  if (is_away(i) && !m_halted.contains(i)) {
    // Whoever writes into an emptied root before sync looks makes what is missing look deleted.
    for (const std::string& gone : names_in(away(i))) {
      m_deleted.insert(gone);
    }
  }
  m_touched.push_back({root(i), name, ++m_order});
  bool copy = is_folder(folder) && exists(folder + "/SKILL.md");
  switch (operation.kind) {
  case Kind::write_skill:
    if (!exists(folder)) {
      write_skill(i, name, value);
    }
    return;
  case Kind::edit_skill:
    if (copy) {
      edit_skill(folder, value);
    }
    return;
  case Kind::edit_file:
    if (copy) {
      replace_file(folder + "/notes.md", "notes " + std::to_string(value % 30) + "\n");
    }
    return;
  case Kind::add_file:
    if (copy) {
      replace_file(folder + "/data/deep/" + (value % 2 == 0 ? "a" : "A") + ".txt",
                   "data " + std::to_string(value % 7));
    }
    return;
  case Kind::delete_file:
    if (is_folder(folder)) {
      remove_all(folder + (value % 4 == 0 ? "/SKILL.md" : value % 4 == 1 ? "/notes.md" : "/data"));
    }
    return;
  case Kind::toggle_exec:
    if (exists(folder + "/scripts/run.sh")) {
      ::chmod((folder + "/scripts/run.sh").c_str(), value % 2 == 0 ? 0755 : 0644);
    }
    return;
  case Kind::delete_skill:
    person_deletes(i, name);
    return;
  case Kind::rename_skill: {
    std::string fresh = k_names[value % k_names.size()];
    if (is_folder(folder) && !exists(at(i, fresh))) {
      m_deleted.insert(name);
      rename_path(folder, at(i, fresh));
      m_by_hand.emplace(i, fresh);
      m_touched.push_back({root(i), fresh, ++m_order});
      for (Bystander& one : m_bystanders) {
        if (one.root == i && one.inside_skill && one.path.starts_with(name + "/")) {
          one.path = fresh + one.path.substr(name.size());
        }
      }
    }
    return;
  }
  case Kind::replace_folder: {
    std::string from = at(other, k_names[value % k_names.size()]);
    if (from != folder && is_folder(from)) {
      bool had = m_deleted.contains(name);
      person_deletes(i, name);
      if (!had) {
        m_deleted.erase(name); // it is there again before sync looks
      }
      copy_all(from, folder);
      remove_all(folder + "/.git");
      remove_all(folder + "/node_modules");
      m_by_hand.emplace(i, name);
    }
    return;
  }
  case Kind::link_skill:
    if (i != other && is_folder(at(other, name)) && (!exists(folder) || value % 3 == 0)) {
      bool had = m_deleted.contains(name);
      person_deletes(i, name);
      if (!had) {
        m_deleted.erase(name);
      }
      std::filesystem::create_symlink(at(other, name), folder);
      m_by_hand.emplace(i, name);
    }
    return;
  case Kind::delete_link:
    if (exists(folder) && !is_folder(folder)) {
      person_deletes(i, name);
    }
    return;
  case Kind::half_write:
    if (copy) {
      rewrite_file(folder + "/SKILL.md", "");
    }
    return;
  case Kind::fill:
    if (is_folder(folder) && read(folder + "/SKILL.md").empty()) {
      replace_file(folder + "/SKILL.md", skill_text(name, value));
    }
    return;
  case Kind::swap_content:
    if (i != other && is_folder(folder) && is_folder(at(other, name))) {
      rename_path(folder, m_folder + "/swapped");
      rename_path(at(other, name), folder);
      rename_path(m_folder + "/swapped", at(other, name));
      for (Bystander& one : m_bystanders) {
        if (one.inside_skill && one.path.starts_with(name + "/")
            && (one.root == i || one.root == other)) {
          one.root = one.root == i ? other : i;
        }
      }
    }
    return;
  case Kind::touch:
    if (copy) {
      std::filesystem::last_write_time(folder + "/SKILL.md",
                                       std::filesystem::file_time_type::clock::now());
    }
    return;
  case Kind::unknown_folder: {
    std::string path = "unknown" + std::to_string(value % 3) + "/data.txt";
    std::string bytes = "unknown " + std::to_string(++m_token);
    replace_file(at(i, path), bytes);
    std::erase_if(m_bystanders,
                  [&](const Bystander& one) { return one.root == i && one.path == path; });
    m_bystanders.push_back({i, path, bytes, false});
    return;
  }
  case Kind::ignored_content:
    if (copy) {
      std::string path = name + (value % 2 == 0 ? "/.git/config" : "/node_modules/m/index.js");
      std::string bytes = "ignored " + std::to_string(++m_token);
      replace_file(at(i, path), bytes);
      std::erase_if(m_bystanders,
                    [&](const Bystander& one) { return one.root == i && one.path == path; });
      m_bystanders.push_back({i, path, bytes, true});
    }
    return;
  case Kind::excluded_skill: {
    std::string bytes = skill_text("outside", value) + std::to_string(++m_token);
    replace_file(at(i, "outside/SKILL.md"), bytes);
    std::erase_if(m_bystanders, [&](const Bystander& one) {
      return one.root == i && one.path == "outside/SKILL.md";
    });
    m_bystanders.push_back({i, "outside/SKILL.md", bytes, false});
    return;
  }
  case Kind::case_twin: {
    std::string twin = name;
    twin[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(twin[0])));
    value % 3 == 0 ? person_deletes(i, twin) : write_skill(i, twin, value);
    return;
  }
  case Kind::reserved_name:
    value % 2 == 0 ? remove_all(at(i, "con")) : write_skill(i, "con", value);
    return;
  case Kind::edit_displaced: {
    std::string stage = parent_path(root(i)) + "/.upskill-stage";
    std::vector<std::string> left = names_in(stage);
    if (!left.empty()) {
      const std::string& one = left[value % left.size()];
      if (exists(stage + "/" + one + "/SKILL.md")) {
        m_must.erase(look(stage, one).tree.hash());
        rewrite_file(stage + "/" + one + "/SKILL.md",
                     "by an old handle " + std::to_string(++m_token));
        sync::ReadResult now_there = look(stage, one);
        if (now_there.stat.presence == sync::Presence::copy) {
          m_must.emplace(now_there.tree.hash(), stage + "/" + one + " (by an old handle)");
        }
      }
    }
    return;
  }
  default:
    return;
  }
}

// Skills of which a copy was agreed in this root.
std::size_t World::agreed_in(std::size_t i) const {
  std::size_t agreed = 0;
  for (const SkillSyncStatus& skill : m_engine->status().skills) {
    for (const ReplicaStatus& replica : skill.replicas) {
      agreed += parent_path(replica.path) == root(i) && !replica.hash.empty();
    }
  }
  return agreed;
}

void World::put_back(std::size_t i, bool as_copy) {
  if (!is_away(i)) {
    return;
  }
  std::string place = exists(away(i) + "/.whole") ? parent_path(root(i)) : root(i);
  remove_all(away(i) + "/.whole");
  if (place != root(i)) {
    if (exists(place)) {
      // Sync has made the root anew: what was taken away had never been agreed.
      std::set<Digest> dropped;
      add_trees_below(away(i) + "/.upskill-stage", 0, dropped);
      std::erase_if(m_must, [&](const auto& one) { return dropped.contains(one.first); });
      std::erase_if(m_bystanders, [&](const Bystander& one) { return one.root == i; });
      remove_all(away(i));
    } else if (as_copy) {
      copy_all(away(i), place);
      remove_all(away(i));
    } else {
      rename_path(away(i), place);
    }
    return;
  }
  for (const std::string& name : names_in(away(i))) {
    if (exists(at(i, name))) {
      std::erase_if(m_bystanders, [&](const Bystander& one) {
        return one.root == i && one.path.starts_with(name + "/");
      });
      continue;
    }
    rename_path(away(i) + "/" + name, at(i, name));
  }
  remove_all(away(i));
}

// One skill at a time, as a person might move them: the rest is not deleted by that.
void World::put_back_one(std::size_t i, std::uint32_t value) {
  if (!is_away(i) || !m_halted.contains(i) || !is_folder(root(i))) {
    return;
  }
  std::vector<std::string> gone = names_in(away(i));
  std::erase_if(gone, [&](const std::string& name) { return exists(at(i, name)); });
  if (gone.size() >= 2) {
    const std::string& name = gone[value % gone.size()];
    rename_path(away(i) + "/" + name, at(i, name));
    m_touched.push_back({root(i), name, ++m_order});
  }
}

void World::roots(const Operation& operation) {
  std::size_t i = operation.root % m_setup.roots.size();
  std::string parent = parent_path(root(i));
  switch (operation.kind) {
  case Kind::root_vanishes:
    if (!is_away(i) && is_folder(root(i)) && !names_in(root(i)).empty()) {
      rename_path(parent, away(i));
      replace_file(away(i) + "/.whole", "");
    }
    return;
  case Kind::root_emptied: {
    if (is_away(i) || !is_folder(root(i)) || names_in(root(i)).empty()) {
      return;
    }
    // One skill that is gone is a deletion; losing all of several is not.
    bool few = agreed_in(i) < 2;
    make_folders(away(i));
    for (const std::string& name : names_in(root(i))) {
      if (few) {
        m_deleted.insert(name);
      }
      rename_path(at(i, name), away(i) + "/" + name);
    }
    return;
  }
  case Kind::root_returns:
    put_back(i, operation.value % 3 == 0);
    return;
  case Kind::root_in_pieces:
    put_back_one(i, operation.value);
    return;
  case Kind::git_begins:
    if (is_folder(parent)) {
      replace_file(parent + "/.git/index.lock", "");
    }
    return;
  default:
    remove_all(parent + "/.git/index.lock");
  }
}

// Every skill is made in this root, and sync comes to rest; those that are plain copies everywhere.
std::vector<std::string> World::filled(std::size_t i, std::uint32_t value) {
  if (is_away(i) || !is_folder(root(i))) {
    return {};
  }
  for (const char* name : k_names) {
    if (!exists(at(i, name))) {
      write_skill(i, name, value);
    }
  }
  if (!settle()) {
    return {};
  }
  std::vector<std::string> plain = plain_skills();
  std::erase_if(plain, [&](const std::string& name) { return !is_folder(at(i, name)); });
  return plain;
}

// More than three and more than a third of a root at once: held, whatever the grace period.
void World::delete_many(const Operation& operation) {
  m_failing = {};
  std::size_t i = operation.root % m_setup.roots.size();
  std::vector<std::string> plain = filled(i, operation.value);
  std::size_t agreed = agreed_in(i);
  if (plain.size() < 5 || agreed < plain.size() || agreed > 12) {
    return;
  }
  m_steady_ms += 20'000; // out of the window of earlier deletions
  plain.pop_back();
  for (const std::string& name : plain) {
    person_deletes(i, name);
  }
  run_all();
  m_steady_ms += 3'000;
  sync::Round round = run_all();
  for (const SyncStep& step : round.steps) {
    if (step.action == SyncAction::remove) {
      throw Violation("a mass deletion went through: `" + step.path + "`");
    }
  }
}

// Two skills are deleted; while the first goes from the other roots, somebody edits the second.
void World::edit_late(const Operation& operation) {
  m_failing = {};
  std::size_t i = operation.root % m_setup.roots.size();
  std::vector<std::string> plain = filled(i, operation.value);
  if (plain.size() < 3) {
    return;
  }
  const std::string first = plain.front();
  const std::string second = plain.back();
  std::vector<std::size_t> others;
  for (std::size_t other = 0; other < m_setup.roots.size(); ++other) {
    if (other != i && is_folder(at(other, second))) {
      others.push_back(other);
    }
  }
  if (others.empty()) {
    return;
  }
  m_steady_ms += 20'000; // out of the window of earlier deletions
  person_deletes(i, first);
  person_deletes(i, second);
  run_all();
  m_steady_ms += 3'000;
  m_late_edit = {first, at(others[operation.other % others.size()], second)};
  run_all();
  m_late_edit = {};
}

} // namespace upskill::sync_test
