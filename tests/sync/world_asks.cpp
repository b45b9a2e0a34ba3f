#include "skills/store/objects.h"
#include "tests/sync/skill_text.h"
#include "tests/sync/world.h"

#include <algorithm>
#include <filesystem>

// Versions of long ago, and what a person asks sync for.
namespace upskill::sync_test {

// A version that the log names, or else one that was never seen.
void World::write_old_version(const std::string& folder,
                              const std::string& name,
                              std::uint32_t value) {
  auto log = m_engine->log({name, 1000});
  auto objects = store::Objects::open(m_options.objects);
  if (!log || !objects) {
    throw Violation("the log or the store cannot be read");
  }
  std::vector<Digest> known;
  for (const HistoryEntry& entry : log->entries) {
    for (const std::string& hex : {entry.before, entry.after}) {
      auto hash = Digest::from_hex(hex);
      if (hash && objects->contains(*hash) && std::ranges::find(known, *hash) == known.end()) {
        known.push_back(*hash);
      }
    }
  }
  std::size_t which = value % (known.size() + 1);
  if (which == known.size()) {
    replace_file(folder + "/SKILL.md",
                 skill_text(name, value) + "long ago " + std::to_string(++m_token) + "\n");
  } else if (auto done = objects->extract(known[which], folder); !done) {
    throw Violation("a kept version of `" + name + "` cannot be read: " + done.error().message);
  }
  if (value / 2 % 2 == 0) {
    std::filesystem::last_write_time(folder + "/SKILL.md",
                                     std::filesystem::file_time_type::clock::now()
                                         - std::chrono::hours(1000));
  }
}

// From a backup, or of an agent that was away: where sync has no copy, or in a root that is gone
// and will come back with it.
void World::old_copy(const Operation& operation) {
  std::size_t i = operation.root % m_setup.roots.size();
  std::string name = k_names[operation.skill % k_names.size()];
  if (is_away(i) && operation.value % 3 != 0) {
    std::string place = away(i) + (exists(away(i) + "/.whole") ? "/skills/" : "/") + name;
    std::erase_if(m_bystanders, [&](const Bystander& one) {
      return one.root == i && one.inside_skill && one.path.starts_with(name + "/");
    });
    remove_all(place);
    write_old_version(place, name, operation.value / 3);
    m_by_hand.emplace(i, name);
    return;
  }
  if (!is_folder(root(i)) || exists(at(i, name))) {
    return;
  }
  if (is_away(i) && !m_halted.contains(i)) {
    for (const std::string& gone : names_in(away(i))) {
      m_deleted.insert(gone); // as in user()
    }
  }
  write_old_version(at(i, name), name, operation.value / 3);
  m_by_hand.emplace(i, name);
  if (operation.other % 2 == 0) {
    m_touched.push_back({root(i), name, ++m_order}); // the watcher saw it come
  }
}

// Whether this may be the answer to a person: what cannot be done, or the failure that was planted.
bool World::is_answer(const Error& error) const {
  bool planted = error.code == ErrorCode::permission || error.code == ErrorCode::no_space;
  return error.code == ErrorCode::not_found || error.code == ErrorCode::refused
         || (m_failed && planted);
}

// The newest change; of four choices one is an entry by its number, undos too.
void World::ask_undo(std::uint32_t choice) {
  sync::Work look_only;
  std::map<Digest, std::string> stable = stable_versions(look_only);
  m_slip_in = {};
  m_slipped = false;
  m_files.reset();
  SyncUndoParams params;
  if (choice % 4 == 3) {
    auto log = m_engine->log({{}, 20});
    if (!log || log->entries.empty()) {
      return;
    }
    params.id = log->entries[choice / 8 % log->entries.size()].id;
    params.force = choice / 4 % 2 == 0;
  }
  m_failed = false;
  Result<sync::Round> round = m_engine->undo(params, now());
  m_failing = {};
  if (!round) {
    if (!is_answer(round.error())) {
      throw Violation("undo failed: " + round.error().message);
    }
    return;
  }
  m_slipped = true; // what the steps say is checked by the rounds that follow
  note_halted();
  check_round(*round, true);
}

void World::ask_resolve(std::uint32_t value) {
  auto conflicts = m_engine->conflicts({});
  if (!conflicts) {
    throw Violation("the conflicts cannot be listed: " + conflicts.error().message);
  }
  if (conflicts->conflicts.empty()) {
    return;
  }
  const Conflict& one = conflicts->conflicts[value % conflicts->conflicts.size()];
  std::string take = value % 2 == 0 ? "delete" : "restore";
  if (one.kind == ConflictKind::content) {
    take = one.versions[value / 7 % one.versions.size()].hash;
  } else if (take == "delete") {
    m_deleted.insert(one.skill);
  }
  m_slip_in = {};
  m_files.reset();
  m_failed = false;
  Result<sync::Round> round = m_engine->resolve({std::to_string(one.id), take, false}, now());
  m_failing = {};
  if (!round) {
    if (!is_answer(round.error())) {
      throw Violation("resolve failed: " + round.error().message);
    }
    return;
  }
  m_slipped = true;
  note_halted();
  check_round(*round, true);
}

} // namespace upskill::sync_test
