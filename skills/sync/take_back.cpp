#include "skills/sync/take_back.h"

#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "skills/sync/walk.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace upskill::sync {
namespace {

// As it is when a round reads it: no link that came to be there since.
UniqueFd open_folder(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

ReadResult read_at(const std::string& path) {
  UniqueFd parent = open_folder(parent_path(path));
  return read_skill(parent.get(), base_name(path), {});
}

bool is_copy(const ReadResult& read, const std::optional<Digest>& hash) {
  return hash && read.stat.presence == Presence::copy && read.tree.hash() == *hash;
}

bool is_link(const ReadResult& read, const std::string& target) {
  return !target.empty() && read.stat.presence == Presence::link && read.stat.link_target == target;
}

// Whether this is what lies there: a copy, a link, or nothing.
bool is_there(const ReadResult& read,
              const std::optional<Digest>& hash,
              const std::string& link_target) {
  return is_copy(read, hash) || is_link(read, link_target)
         || (!hash && link_target.empty() && read.stat.presence == Presence::absent);
}

// What an order put in the place of another copy may be worked in already, and after a crash any.
enum class Since : std::uint8_t { a_moment, a_crash };

class TakeBack {
public:
  TakeBack(Engine::State& state, Moment now, Since since)
      : m_state(state)
      , m_now(now)
      , m_since(since) {}

  bool is_as_before(const store::IntentRow& intent) const {
    UniqueFd root = open_folder(intent.root);
    return root
           && is_there(read_skill(root.get(), intent.skill, {}), intent.before, intent.link_before);
  }

  Result<void> put_back(const store::IntentRow& intent) {
    const std::string path = join_path(intent.root, intent.skill);
    UniqueFd root = open_folder(intent.root);
    if (!root) {
      bool was_nothing = errno == ENOENT && !intent.before && intent.link_before.empty();
      return was_nothing ? Result<void>{}
                         : fail(system_error(errno, "cannot open folder `" + intent.root + "`"));
    }
    ReadResult now = read_skill(root.get(), intent.skill, {});
    if (is_there(now, intent.before, intent.link_before)) {
      return {};
    }
    if (!is_there(now, intent.after, intent.link_after)) {
      return fail(ErrorCode::changed, "`" + path + "` was changed meanwhile, and stays");
    }
    if (intent.before) {
      return bring_back(intent, now);
    }
    if (!intent.link_after.empty()) {
      TRY(m_state.stager.remove_link(intent.root, intent.skill));
    } else if (intent.after) {
      TRY_ASSIGN(Displaced out,
                 m_state.stager.take_out(
                     intent.root, intent.skill, {*intent.after, now.stat.fingerprint}));
      drop(intent, std::move(out));
    }
    return intent.link_before.empty() ? Result<void>{}
                                      : m_state.files.make_link(intent.link_before, path);
  }

private:
  Result<void> bring_back(const store::IntentRow& intent, const ReadResult& now) {
    TRY_ASSIGN(StagedCopy staged, find_or_stage(intent));
    std::optional<ExpectedCopy> expected;
    if (intent.after) {
      expected = ExpectedCopy{*intent.after, now.stat.fingerprint};
    }
    TRY_ASSIGN(std::optional<Displaced> out,
               m_state.stager.swap_in(intent.root, intent.skill, staged, expected));
    if (out) {
      drop(intent, std::move(*out));
    }
    return {};
  }

  // What the order put there is in the store. What is no content has gone back with the swap; where
  // it has not, the folder waits to be tidied away. So does one that somebody may still write to.
  void drop(const store::IntentRow& intent, Displaced out) {
    std::erase_if(m_state.lingering,
                  [&](const Lingering& one) { return one.displaced.path == out.path; });
    if (intent.before || m_since == Since::a_crash) {
      m_state.lingering.push_back({std::move(out), m_now.steady_ms, intent.root, intent.skill});
    } else if (read_at(out.path).ignored.empty()) {
      (void)m_state.files.remove_tree(out.path);
    }
  }

  Result<StagedCopy> find_or_stage(const store::IntentRow& intent) {
    if (std::optional<std::string> beside = take_beside(intent)) {
      return StagedCopy{std::move(*beside), *intent.before};
    }
    TRY_ASSIGN(Tree tree, tree_of_object(m_state.objects, *intent.before));
    CopyModes modes(tree);
    modes.follow_root(intent.root);
    auto bytes_of = [&](std::size_t index) {
      return m_state.objects.read_file(*intent.before, tree.entries()[index].path);
    };
    return m_state.stager.stage(intent.root, intent.skill, tree, modes, bytes_of);
  }

  // The very folder that was replaced, with what is no content in it. Roots with one parent share
  // the folder for staging, so first what is known to have come from this one.
  std::optional<std::string> take_beside(const store::IntentRow& intent) {
    if (m_beside.empty()) {
      for (const Lingering& one : m_state.lingering) {
        m_beside.emplace(std::pair(one.root, one.skill), one.displaced.path);
      }
    }
    if (m_listed.insert(intent.root).second) {
      for (auto& [path, skill] : m_state.stager.leftovers(intent.root)) {
        m_beside.emplace(std::pair(intent.root, std::move(skill)), std::move(path));
      }
    }
    auto [first, last] = m_beside.equal_range(std::pair(intent.root, intent.skill));
    for (auto at = first; at != last; ++at) {
      if (!m_taken.contains(at->second) && is_copy(read_at(at->second), intent.before)) {
        m_taken.insert(at->second);
        return at->second;
      }
    }
    return std::nullopt;
  }

  Engine::State& m_state;
  Moment m_now;
  Since m_since;
  // (root, skill) -> where a folder lies that may be it, the likeliest first.
  std::multimap<std::pair<std::string, std::string>, std::string> m_beside = {};
  std::set<std::string> m_listed = {}; // roots
  std::set<std::string> m_taken = {};
};

std::vector<std::string> take_back_since(Engine::State& state,
                                         const std::vector<store::IntentRow>& intents,
                                         Moment now,
                                         Since since) {
  std::vector<std::string> told;
  TakeBack back(state, now, since);
  // A place that is named twice was left before it was filled.
  std::map<std::pair<std::string, std::string>, const store::IntentRow*> first;
  for (const store::IntentRow& intent : intents) {
    first.try_emplace(std::pair(intent.root, intent.skill), &intent);
  }
  for (auto intent = intents.rbegin(); intent != intents.rend(); ++intent) {
    const store::IntentRow* left = first.at(std::pair(intent->root, intent->skill));
    if (left != &*intent && back.is_as_before(*left)) {
      continue; // it was not even left
    }
    if (Result<void> done = back.put_back(*intent); !done) {
      told.push_back(done.error().message);
    }
  }
  return told;
}

// Whether the folder is there, and nothing is in it but what is tidied away later, or these.
bool holds_only_ours(const std::string& path, const std::set<std::string>& ours) {
  UniqueFd folder = open_folder(path);
  FolderNames names;
  return folder && names.read(folder.get())
         && std::ranges::all_of(names.names(), [&](const FolderNames::Name& name) {
              return names.view(name) == Stager::k_folder_name
                     || ours.contains(join_path(path, names.view(name)));
            });
}

} // namespace

std::vector<std::string>
take_back(Engine::State& state, const std::vector<store::IntentRow>& intents, Moment now) {
  return take_back_since(state, intents, now, Since::a_moment);
}

Result<std::vector<std::string>> take_back_interrupted(Engine::State& state, Moment now) {
  TRY_ASSIGN(std::vector<store::IntentRow> intents, state.store.intents());
  if (intents.empty()) {
    TRY(take_back_folders(state));
    return std::vector<std::string>();
  }
  std::set<std::string> skills;
  for (const store::IntentRow& intent : intents) {
    skills.insert(intent.skill);
  }
  std::vector<std::string> told = take_back_since(state, intents, now, Since::a_crash);
  TRY(state.store.remove_intents());
  TRY(take_back_folders(state));
  std::string what = "`" + *skills.begin() + "`";
  if (skills.size() > 1) {
    what += " and " + std::to_string(skills.size() - 1)
            + (skills.size() == 2 ? " other skill" : " other skills");
  }
  told.insert(told.begin(), "what was begun with " + what + " was interrupted, and taken back");
  return told;
}

Result<void> take_back_folders(Engine::State& state) {
  TRY_ASSIGN(std::vector<std::string> made, state.store.made_folders());
  TRY_ASSIGN(std::vector<store::IntentRow> intents, state.store.intents());
  if (made.empty() || !intents.empty()) { // what was put into them is to be taken back first
    return {};
  }
  std::vector<std::string> over;
  std::set<std::string> stays;
  for (auto path = made.rbegin(); path != made.rend(); ++path) { // what lies below others first
    for (const Scope& scope : state.scopes) {
      for (const RootSetup& root : scope.setup.roots) {
        if (root.path == *path || parent_path(root.path) == *path) {
          state.stager.tidy(root.path);
        }
      }
    }
    if (!state.files.remove_folder(*path) && holds_only_ours(*path, stays)) {
      stays.insert(*path);
    } else {
      over.push_back(*path);
    }
  }
  return state.store.remove_made_folders(over);
}

} // namespace upskill::sync
