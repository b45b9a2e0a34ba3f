#include "tests/sync/daemon_world_handle.h"
#include "tests/sync/skill_text.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace upskill::sync_test {

// Takes note of what a person has left in a folder. It may lie elsewhere by now.
void DaemonWorld::left(const Handle& folder, const std::string& path) {
  sync::ReadResult read = folder.look();
  m_left.erase(folder.inode());
  if (read.stat.presence == sync::Presence::copy) {
    m_known.insert(read.tree.hash());
    m_left[folder.inode()] = {read.tree.hash(), path};
  } else {
    m_unfinished.insert(folder.inode());
  }
}

void DaemonWorld::acted(const std::string& name, bool whole, std::optional<Digest> after) {
  Acts& acts = m_acts[name];
  ++acts.count;
  acts.whole = whole;
  acts.after = after;
  if (after) {
    m_present.insert(name);
  }
}

void DaemonWorld::person(const Operation& operation) {
  std::size_t i = operation.root % m_setup.roots.size();
  std::size_t other = operation.other % m_setup.roots.size();
  std::string name = k_names[operation.skill % k_names.size()];
  std::uint32_t value = operation.value;
  if (!is_folder(root(i))) {
    return;
  }
  if (is_away(i)) {
    // Whoever writes into an emptied root makes what is missing there look deleted.
    for (const std::string& gone : names_in(away(i))) {
      m_deleted.insert(gone);
    }
  }
  switch (operation.kind) {
  case Kind::write_skill:
    write_skill(i, name, value);
    return;
  case Kind::delete_skill:
    delete_skill(i, name, value % 2 == 0);
    return;
  case Kind::rename_skill:
    rename_skill(i, name, k_names[value % k_names.size()]);
    return;
  case Kind::replace_folder:
    replace_folder(i, name, at(other, k_names[value % k_names.size()]));
    return;
  case Kind::swap_content:
    swap_content(i, other, name);
    return;
  case Kind::link_skill:
    if (i != other && is_folder(at(other, name))) {
      delete_skill(i, name, true);
      acted(name, false, std::nullopt);
      (void)::symlink(at(other, name).c_str(), at(i, name).c_str());
    }
    return;
  case Kind::delete_link:
    if (exists(at(i, name)) && !is_folder(at(i, name))) {
      acted(name, false, std::nullopt);
      ::unlink(at(i, name).c_str()); // refuses a folder, should it be one by now
    }
    return;
  case Kind::unknown_folder:
    put_bystander(i, "unknown" + std::to_string(value % 3) + "/data.txt", "unknown");
    return;
  case Kind::excluded_skill:
    put_bystander(i, "outside/SKILL.md", skill_text("outside", value));
    return;
  default:
    break;
  }
  Handle folder(at(i, name));
  if (!folder) {
    return;
  }
  bool whole = false;
  try {
    whole = in_folder(operation, name, folder);
  } catch (const NotDone&) {
    // An editor's own file beside the document is ignored content: sync has moved it to the folder
    // that took this one's place.
  }
  left(folder, at(i, name));
  auto now = m_left.find(folder.inode());
  bool copy = now != m_left.end();
  acted(name, whole && copy, copy ? std::optional(now->second.hash) : std::nullopt);
}

// What somebody does who has the folder open. Whether no reader can see it half done.
bool DaemonWorld::in_folder(const Operation& operation,
                            const std::string& name,
                            const Handle& folder) {
  std::uint32_t value = operation.value;
  bool copy = exists(folder / "SKILL.md");
  switch (operation.kind) {
  case Kind::edit_skill:
    if (copy) {
      std::string text = edited_text(read(folder / "SKILL.md"), value);
      value % 4 != 0 ? replace_file(folder / "SKILL.md", text)
                     : rewrite_file(folder / "SKILL.md", text);
    }
    return copy && value % 4 != 0;
  case Kind::edit_file:
    if (copy) {
      replace_file(folder / "notes.md", "notes " + std::to_string(value % 30) + "\n");
    }
    return copy;
  case Kind::add_file:
    if (copy) {
      replace_file(folder / (value % 2 == 0 ? "data/deep/a.txt" : "data/deep/A.txt"),
                   "data " + std::to_string(value % 7));
    }
    return false;
  case Kind::delete_file:
    remove_all(folder / (value % 4 == 0 ? "SKILL.md" : value % 4 == 1 ? "notes.md" : "data"));
    return copy && value % 4 == 1;
  case Kind::toggle_exec:
    if (exists(folder / "scripts/run.sh")) {
      ::chmod((folder / "scripts/run.sh").c_str(), value % 2 == 0 ? 0755 : 0644);
    }
    return copy;
  case Kind::half_write:
    if (copy) {
      rewrite_file(folder / "SKILL.md", "");
    }
    return false;
  case Kind::fill:
    if (read(folder / "SKILL.md").empty()) {
      replace_file(folder / "SKILL.md", skill_text(name, value));
    }
    return false;
  case Kind::touch:
    if (copy) {
      std::filesystem::last_write_time(folder / "SKILL.md",
                                       std::filesystem::file_time_type::clock::now());
    }
    return copy;
  case Kind::ignored_content:
    if (copy) {
      std::string inside = value % 2 == 0 ? ".git/config" : "node_modules/m/index.js";
      std::string bytes = "ignored " + std::to_string(++m_token);
      std::size_t i = operation.root % m_setup.roots.size();
      std::string path = name + "/" + inside;
      replace_file(folder / inside.c_str(), bytes);
      std::erase_if(m_bystanders,
                    [&](const Bystander& one) { return one.root == i && one.path == path; });
      m_bystanders.push_back({i, path, bytes, true});
    }
    return copy;
  default:
    return false;
  }
}

// At once, as an installer does it, or file by file.
void DaemonWorld::write_skill(std::size_t i, const std::string& name, std::uint32_t value) {
  if (exists(at(i, name))) {
    return;
  }
  bool at_once = value % 4 != 0;
  std::string place = at_once ? m_folder + "/fresh" : at(i, name);
  make_folders(place);
  Handle folder(place);
  if (!folder) {
    return; // sync was quicker, and put a link there
  }
  replace_file(folder / "SKILL.md", skill_text(name, value));
  if (value % 3 != 0) {
    replace_file(folder / "notes.md", "notes " + std::to_string(value % 5) + "\n");
  }
  if (value % 2 != 0) {
    replace_file(folder / "scripts/run.sh", "#!/bin/sh\n", 0755);
  }
  if (at_once && ::rename(place.c_str(), at(i, name).c_str()) != 0) {
    remove_all(place); // sync was quicker
    return;
  }
  left(folder, at(i, name));
  acted(name, at_once, folder.look().tree.hash());
}

// At once, as a file manager does it, or file by file.
void DaemonWorld::delete_skill(std::size_t i, const std::string& name, bool at_once) {
  if (!is_folder(at(i, name))) {
    return;
  }
  m_deleted.insert(name);
  std::erase_if(m_bystanders, [&](const Bystander& one) {
    return one.root == i && one.inside_skill && one.path.starts_with(name + "/");
  });
  std::string place = at(i, name);
  if (at_once) {
    place = m_folder + "/gone";
    if (::rename(at(i, name).c_str(), place.c_str()) != 0) {
      return; // sync was quicker
    }
  }
  Handle folder(place);
  if (!folder) {
    return;
  }
  m_left.erase(folder.inode());
  m_unfinished.insert(folder.inode());
  for (const std::string& file : names_in(folder.path())) {
    remove_all(folder / file.c_str());
  }
  ::rmdir(place.c_str()); // refuses what sync has put there meanwhile
  acted(name, at_once, std::nullopt);
}

void DaemonWorld::rename_skill(std::size_t i, const std::string& name, const std::string& fresh) {
  if (!is_folder(at(i, name)) || exists(at(i, fresh))
      || ::rename(at(i, name).c_str(), at(i, fresh).c_str()) != 0) {
    return;
  }
  m_deleted.insert(name);
  acted(name, false, std::nullopt);
  acted(fresh, false, std::nullopt);
  for (Bystander& one : m_bystanders) {
    if (one.root == i && one.inside_skill && one.path.starts_with(name + "/")) {
      one.path = fresh + one.path.substr(name.size());
    }
  }
}

// rm -rf and cp -r.
void DaemonWorld::replace_folder(std::size_t i, const std::string& name, const std::string& from) {
  Handle source(from);
  if (from == at(i, name) || !source) {
    return;
  }
  delete_skill(i, name, false);
  make_folders(at(i, name));
  Handle folder(at(i, name));
  if (!folder) {
    return;
  }
  try {
    copy_all(source.path(), folder.path());
  } catch (const NotDone&) {
    // Sync has put a copy there again.
  }
  remove_all(folder / ".git");
  remove_all(folder / "node_modules");
  left(folder, at(i, name));
  acted(name, false, std::nullopt);
}

void DaemonWorld::swap_content(std::size_t i, std::size_t other, const std::string& name) {
  if (i == other || !is_folder(at(i, name)) || !is_folder(at(other, name))) {
    return;
  }
  acted(name, false, std::nullopt);
  m_deleted.insert(name); // each is missing for a moment
  std::string between = m_folder + "/swapped";
  if (::rename(at(i, name).c_str(), between.c_str()) != 0) {
    return;
  }
  (void)::rename(at(other, name).c_str(), at(i, name).c_str());
  if (::rename(between.c_str(), at(other, name).c_str()) != 0) {
    m_left.erase(Handle(between).inode());
    remove_all(between); // sync was quicker
  }
  for (Bystander& one : m_bystanders) {
    if (one.inside_skill && one.path.starts_with(name + "/")
        && (one.root == i || one.root == other)) {
      one.root = one.root == i ? other : i;
    }
  }
}

void DaemonWorld::put_bystander(std::size_t i, const std::string& path, const std::string& bytes) {
  std::string text = bytes + " " + std::to_string(++m_token);
  replace_file(at(i, path), text);
  std::erase_if(m_bystanders,
                [&](const Bystander& one) { return one.root == i && one.path == path; });
  m_bystanders.push_back({i, path, text, false});
}

} // namespace upskill::sync_test
