#include "tests/sync/world.h"

#include "protocol/base/paths.h"

#include <algorithm>
#include <ctime>

namespace upskill::sync_test {

World::World(std::uint64_t shape, const std::string& folder)
    : m_folder(folder) {
  static const std::vector<std::string> k_places = {
      ".agents", ".claude", ".cursor", ".gemini", ".copilot"};
  std::mt19937_64 random(shape);
  std::size_t count = 3 + random() % 3;
  m_setup.enabled = true;
  m_setup.policy = random() % 3 == 0 ? SyncPolicy::cover : SyncPolicy::mirror;
  m_setup.exclude = {"outside", "agent1:private*"};
  for (std::size_t i = 0; i < count; ++i) {
    sync::RootSetup root;
    root.path = m_folder + "/" + k_places[i] + "/skills";
    root.agents = {"agent" + std::to_string(i)};
    root.by_link = i > 0 && random() % 6 == 0;
    root.last_resort = i == 4;
    make_folders(root.path);
    sync::AgentSetup agent;
    agent.id = "agent" + std::to_string(i);
    agent.reads = {static_cast<sync::RootIndex>(i)};
    if (i == 2) {
      agent.reads.push_back(0);
    }
    agent.preferred = static_cast<sync::RootIndex>(i);
    agent.follows_links = root.by_link || random() % 2 == 0;
    m_setup.roots.push_back(root);
    m_setup.agents.push_back(agent);
  }
  make_folders(m_folder + "/state");
  m_options.database = m_folder + "/state/sync.db";
  m_options.objects = m_folder + "/data/objects";
  m_options.quiet_ms = 0; // no round here waits for the wall clock
  m_options.trash = m_folder + "/data/trash";
  m_options.conflicts = m_folder + "/data/conflicts";
  make_folders(m_folder + "/data");
  m_files.before = [this](const FileCall& call) -> Result<void> {
    swap_happens(call, true);
    return change_fails(call);
  };
  m_files.after = [this](const FileCall& call) { swap_happens(call, false); };
  open();
}

// No space, or not allowed: once, or several times in a row, whatever it is that sync changes.
Result<void> World::change_fails(const FileCall& call) {
  if (m_failing.count == 0 || call.number < m_failing.at) {
    return {};
  }
  --m_failing.count;
  m_failed = true;
  return m_failing.no_space ? fail(ErrorCode::no_space, "no space left on device")
                            : fail(ErrorCode::permission, "permission denied");
}

void World::open() {
  m_failing = {};
  m_engine.reset();
  auto opened = sync::Engine::open(m_options, m_files, now());
  if (!opened) {
    throw Violation("the engine does not open: " + opened.error().message);
  }
  m_engine = std::make_unique<sync::Engine>(std::move(*opened));
  configure();
}

void World::configure() {
  if (auto done = m_engine->configure({m_setup}, now()); !done) {
    throw Violation("the engine cannot be configured: " + done.error().message);
  }
}

sync::Moment World::now() const {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return {time.tv_sec * 1000 + time.tv_nsec / 1'000'000, m_steady_ms};
}

Layout World::layout() const {
  Layout layout{m_setup, {}};
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    layout.away.push_back(is_away(i));
  }
  return layout;
}

sync::Round World::run(sync::Work work, bool asked) {
  work.now = now();
  std::map<Digest, std::string> stable = stable_versions(work);
  std::string before = work.dry_run ? picture_of(m_folder + "/data") : std::string();
  for (std::size_t i = 0; work.dry_run && i < m_setup.roots.size(); ++i) {
    before += picture_of(parent_path(root(i)));
  }
  m_swaps = 0;
  m_slipped = false;
  m_failed = false;
  m_files.reset();
  Result<sync::Round> round = m_engine->run(work);
  if (!round) {
    throw Violation("a round failed as a whole: " + round.error().message);
  }
  if (work.dry_run) {
    std::string after = picture_of(m_folder + "/data");
    for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
      after += picture_of(parent_path(root(i)));
    }
    if (before != after) {
      throw Violation("a dry run changed something");
    }
    return std::move(*round);
  }
  m_slip_in = {};
  m_failing = {};
  note_halted();
  // What the engine could look at: the roots that it says are in order.
  std::set<std::string> open_roots;
  for (const RootStatus& status : m_engine->status().roots) {
    if (status.state == RootState::ok && status.reason.empty()) {
      open_roots.insert(status.path);
    }
  }
  for (auto& [hash, path] : stable) {
    if (open_roots.contains(parent_path(path))) {
      m_must.emplace(hash, path);
    }
  }
  check_round(*round, asked);
  // A swap that an edit slipped into is undone: the edit is a new version, and no rubbish. Where
  // that could not be done it is kept beside the root.
  auto [place, edited] = std::exchange(m_slip_expected, {});
  if (!place.empty() && !m_failed
      && look(parent_path(place), base_name(place)).tree.hash() != edited) {
    throw Violation("an edit of `" + place + "` that slipped in is not in its place");
  }
  for (const Digest& hash : std::exchange(m_slipped_in, {})) {
    if (!stable.contains(hash)) {
      m_must.erase(hash); // a person may overwrite it before sync looks again
    }
  }
  if (work.everything && work.only_skill.empty() && !m_slipped) {
    check_status();
  }
  return std::move(*round);
}

sync::Round World::run_all() {
  sync::Work work;
  work.everything = true;
  m_touched.clear();
  return run(work);
}

// Until nothing is planned any more; false when something still waits (a repository, a person).
bool World::settle() {
  int quiet = 0;
  std::string last;
  for (int i = 0; i < 24; ++i) {
    sync::Round round = run_all();
    if (round.steps.empty() && !round.again_at_ms) {
      return true;
    }
    quiet = round.steps.empty() ? quiet + 1 : 0;
    if (quiet == 3) {
      return false;
    }
    m_steady_ms += 3'000;
    last.clear();
    for (const std::string& warning : round.warnings) {
      last += "\n  " + warning;
    }
    for (const SyncStep& step : round.steps) {
      last += "\n  " + std::string(enum_name(step.action)) + " " + step.path + " " + step.reason;
    }
  }
  throw Violation("sync does not come to rest; it still does" + last);
}

void World::note_halted() {
  m_halted.clear();
  std::vector<RootStatus> roots = m_engine->status().roots;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].state == RootState::halted) {
      m_halted.insert(i);
    }
  }
}

// A skill's copy was just taken out: the edit of the other comes after that was looked at.
void World::late_edit_happens(const FileCall& call) {
  auto [removed, place] = m_late_edit;
  if (removed.empty() || std::string_view(call.name) != "move" || !root_of(call.other)
      || base_name(call.other) != removed) {
    return;
  }
  m_late_edit = {};
  m_slipped = true;
  slip(place, static_cast<std::uint32_t>(m_token % 3));
  m_slip_expected = {place, look(parent_path(place), base_name(place)).tree.hash()};
}

// Called around each change the engine makes. Somebody may edit the very folder that is swapped.
void World::swap_happens(const FileCall& call, bool before) {
  if (!before) {
    late_edit_happens(call);
  }
  bool swaps = std::string_view(call.name) == "move" || std::string_view(call.name) == "exchange";
  if (m_slip_in.at == 0 || !swaps) {
    return;
  }
  bool late = m_slip_in.what >= 5;
  if (before && ++m_swaps != m_slip_in.at) {
    return;
  }
  if (m_swaps != m_slip_in.at || before == late) {
    return;
  }
  std::string path = root_of(call.path) ? call.path : root_of(call.other) ? call.other : "";
  std::uint32_t what = m_slip_in.what;
  m_slip_in = {};
  if (path.empty()) {
    return;
  }
  m_slipped = true;
  const std::string place = path;
  if (what == 6 && is_folder(call.other)) {
    path = call.other; // who holds the old folder open writes there
  }
  slip(path, what);
  sync::ReadResult edited = look(parent_path(path), base_name(path));
  if ((what < 3 || path != place) && edited.stat.presence == sync::Presence::copy) {
    m_slip_expected = {place, edited.tree.hash()};
  }
}

void World::slip(const std::string& path, std::uint32_t what) {
  std::string name(base_name(path));
  if (what == 4 && !exists(path)) {
    replace_file(path + "/SKILL.md", "---\nname: x\n---\nslipped in " + std::to_string(++m_token));
    m_by_hand.emplace(*root_of(path), name);
  } else if (!is_folder(path)) {
    return;
  } else if (what == 3) {
    remove_all(path);
    m_deleted.insert(name);
    return;
  } else if (what == 2) {
    replace_file(path + "/slipped.md", "slipped in " + std::to_string(++m_token) + "\n");
  } else if (what == 1 && exists(path + "/SKILL.md")) {
    rewrite_file(path + "/SKILL.md", "slipped in " + std::to_string(++m_token) + "\n");
  } else {
    replace_file(path + "/SKILL.md", "slipped in " + std::to_string(++m_token) + "\n");
  }
  sync::ReadResult read = look(parent_path(path), name);
  if (read.stat.presence == sync::Presence::copy) {
    if (m_must.emplace(read.tree.hash(), path + " (slipped in)").second) {
      m_slipped_in.push_back(read.tree.hash());
    }
  }
}

void World::apply(const Operation& operation) {
  sync::Work work;
  switch (operation.kind) {
  case Kind::restart:
    open();
    return;
  case Kind::lose_database:
    m_engine.reset();
    if (operation.value % 2 == 0) {
      remove_all(m_folder + "/state");
      make_folders(m_folder + "/state");
    } else {
      for (const std::string& name : names_in(m_folder + "/state")) {
        rewrite_file(m_folder + "/state/" + name, std::string(8192, 'x'));
      }
    }
    m_deleted.clear(); // what was lost with it may delete nothing
    m_halted.clear();
    open();
    return;
  case Kind::time_passes:
    m_steady_ms += operation.value % 5'000;
    return;
  case Kind::run_all:
    run_all();
    return;
  case Kind::run_touched:
    work.touched = std::exchange(m_touched, {});
    run(work);
    return;
  case Kind::dry_run:
    work.everything = true;
    work.dry_run = true;
    run(work);
    return;
  case Kind::policy:
    m_setup.policy = operation.value % 2 == 0 ? SyncPolicy::cover : SyncPolicy::mirror;
    configure();
    return;
  case Kind::links: {
    std::size_t i = 1 + operation.root % (m_setup.roots.size() - 1);
    m_setup.roots[i].by_link = !m_setup.roots[i].by_link;
    m_setup.agents[i].follows_links = true;
    configure();
    return;
  }
  case Kind::undo:
    ask_undo(operation.value);
    return;
  case Kind::resolve:
    ask_resolve(operation.value);
    return;
  case Kind::accept_roots:
    if (auto done = m_engine->accept_roots(); !done) {
      throw Violation("accept_roots failed: " + done.error().message);
    }
    m_halted.clear();
    return;
  case Kind::slip_in:
    m_slip_in = {static_cast<int>(1 + operation.value / 8 % 6), operation.value % 7};
    return;
  case Kind::writes_fail:
    m_failing = {static_cast<int>(1 + operation.value / 8 % 24),
                 operation.value % 3 == 0 ? 1'000'000 : static_cast<int>(operation.value % 3),
                 operation.value / 3 % 2 == 0};
    return;
  case Kind::old_copy:
    old_copy(operation);
    return;
  case Kind::tidy:
    m_steady_ms += operation.value % 2 == 0 ? 0 : 61'000;
    m_failed = false;
    m_files.reset();
    if (auto done = m_engine->tidy(now()); !done && !m_failed) {
      throw Violation("tidy failed: " + done.error().message);
    }
    m_failing = {};
    check_nothing_lost();
    check_bystanders();
    return;
  case Kind::root_vanishes:
  case Kind::root_returns:
  case Kind::root_emptied:
  case Kind::root_in_pieces:
  case Kind::git_begins:
  case Kind::git_ends:
    roots(operation);
    return;
  case Kind::delete_many:
    delete_many(operation);
    return;
  case Kind::late_edit:
    edit_late(operation);
    return;
  default:
    user(operation);
    return;
  }
}

void World::finish(std::uint32_t choice) {
  m_slip_in = {};
  m_failing = {};
  m_steady_ms += 700'000; // whatever failed is tried again
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    put_back(i, false);
    remove_all(parent_path(root(i)) + "/.git/index.lock");
  }
  for (int i = 0; i < 8; ++i) {
    bool rest = settle();
    if (m_engine->status().state == SyncState::halted) {
      // Everything was put back; what is halted still lost its last skills one by one.
      apply({Kind::accept_roots});
    } else if (rest && m_engine->status().held == 0) {
      break;
    } else {
      ask_resolve(choice + static_cast<std::uint32_t>(i));
    }
  }
  check_rest();
  probe(choice);
  apply({Kind::tidy});
  apply({Kind::tidy, 0, 0, 0, 1});
  check_nothing_lost();
  check_bystanders();
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    if (exists(parent_path(root(i)) + "/.upskill-stage")) {
      throw Violation("something stays beside `" + root(i) + "` after everything was tidied");
    }
  }
}

} // namespace upskill::sync_test
