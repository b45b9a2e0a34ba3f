#include "protocol/base/paths.h"
#include "skills/library/names.h"
#include "tests/sync/world.h"

#include <algorithm>

namespace upskill::sync_test {

// Skills that are in sync, and every copy of them a plain folder in an open root.
std::vector<std::string> World::plain_skills() {
  std::vector<std::string> names;
  for (const SkillSyncStatus& skill : m_engine->status().skills) {
    bool plain = skill.state == SkillSyncState::in_sync && skill.skill != "outside";
    std::size_t copies = 0;
    for (const ReplicaStatus& replica : skill.replicas) {
      plain =
          plain
          && (replica.state == ReplicaState::current || replica.state == ReplicaState::excluded);
      copies += replica.state == ReplicaState::current;
    }
    for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
      for (const std::string& other : names_in(root(i))) {
        plain = plain
                && (other == skill.skill
                    || library::folded_key(other) != library::folded_key(skill.skill));
      }
    }
    if (plain && copies >= 2) {
      names.push_back(skill.skill);
    }
  }
  return names;
}

// From a state at rest, one more act whose whole outcome is known.
void World::probe(std::uint32_t choice) {
  std::vector<std::string> plain = plain_skills();
  if (plain.empty() || m_engine->status().state != SyncState::idle) {
    return;
  }
  const std::string name = plain[choice / 16 % plain.size()];
  std::vector<std::size_t> holders;
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    if (is_folder(at(i, name))) {
      holders.push_back(i);
    }
  }
  const std::size_t one = holders[choice / 128 % holders.size()];
  const Digest before = look(root(one), name).tree.hash();
  m_steady_ms += 20'000; // earlier deletions no longer count
  auto expect = [&](const Digest& hash, const char* what) {
    for (std::size_t i : holders) {
      bool link = m_setup.roots[i].by_link && exists(at(i, name)) && !is_folder(at(i, name));
      if (!link && look(root(i), name).tree.hash() != hash) {
        throw Violation(std::string(what) + " in `" + at(one, name) + "` did not reach `"
                        + at(i, name) + "`");
      }
    }
  };
  switch (choice % 7) {
  case 0: {
    replace_file(at(one, name + "/SKILL.md"), "---\nname: n\n---\nprobe\n");
    Digest after = look(root(one), name).tree.hash();
    settle();
    expect(after, "an edit");
    ask_undo();
    expect(before, "an undo");
    if (!run_all().steps.empty()) {
      throw Violation("an undo is undone by the next round");
    }
    return;
  }
  case 1: {
    person_deletes(one, name);
    settle();
    for (std::size_t i : holders) {
      if (exists(at(i, name))) {
        throw Violation("a deletion in `" + root(one) + "` did not reach `" + at(i, name) + "`");
      }
    }
    ask_undo();
    expect(before, "an undone deletion");
    return;
  }
  case 2: {
    std::string fresh = "renamed";
    m_deleted.insert(name);
    std::erase_if(m_bystanders, [&](const Bystander& seen) {
      return seen.root == one && seen.path.starts_with(name + "/");
    });
    rename_path(at(one, name), at(one, fresh));
    settle();
    for (std::size_t i : holders) {
      bool right = !exists(at(i, name));
      if (!right) {
        throw Violation("after a rename in `" + root(one) + "`, `" + at(i, name) + "` is there");
      }
    }
    if (look(root(one), fresh).tree.hash() != before) {
      throw Violation("after a rename the new name does not hold the content");
    }
    return;
  }
  case 3: {
    // No memory: nothing may go, and what is equal is adopted as it lies.
    std::string pictures;
    apply({Kind::lose_database, 0, 0, 0, choice / 5});
    settle();
    expect(before, "a lost database");
    return;
  }
  case 4: {
    // What was made and taken back stays away, and its origin stays.
    replace_file(at(one, "fresh/SKILL.md"), "---\nname: n\n---\nfresh\n");
    settle();
    ask_undo();
    sync::Round next = run_all();
    if (!next.steps.empty() || !exists(at(one, "fresh/SKILL.md"))) {
      throw Violation(
          "the undo of a new skill does not last"
          + (next.steps.empty() ? std::string() : ": `" + next.steps[0].path + "` is made"));
    }
    return;
  }
  case 5: {
    // As far as it was edited, one undo a change.
    std::vector<Digest> texts = {before};
    for (const char* text : {"first", "second", "third"}) {
      std::size_t editor = holders[texts.size() % holders.size()];
      if (is_folder(at(editor, name))) {
        replace_file(at(editor, name + "/SKILL.md"), std::string("---\nname: n\n---\n") + text);
      }
      Digest edited = look(root(editor), name).tree.hash();
      settle();
      expect(edited, "an edit");
      texts.push_back(edited);
    }
    while (texts.size() > 1) {
      texts.pop_back();
      ask_undo();
      settle();
      expect(texts.back(), "one undo of several");
    }
    return;
  }
  default: {
    // An edit beats a deletion elsewhere.
    std::size_t second = holders[(choice / 128 + 1) % holders.size()];
    person_deletes(one, name);
    replace_file(at(second, name + "/SKILL.md"), "---\nname: n\n---\nedited\n");
    Digest after = look(root(second), name).tree.hash();
    settle();
    expect(after, "an edit that met a deletion");
    return;
  }
  }
}

} // namespace upskill::sync_test
