#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "skills/sync/engine_state.h"
#include "skills/sync/round.h"
#include "skills/sync/take_back.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>
#include <unordered_set>

namespace upskill::sync {
namespace {

constexpr std::int64_t k_day_ms = 24LL * 3600 * 1000;
constexpr std::int64_t k_keep_objects_ms = 90 * k_day_ms; // unreferenced ones (decisions: Sync)
constexpr std::int64_t k_keep_losers_ms = 30 * k_day_ms; // folders, as long as what is in the trash

ReadResult read_folder(const std::string& path) {
  UniqueFd folder(::open(parent_path(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ReadOptions options;
  options.keep_contents = true;
  return read_skill(folder.get(), base_name(path), options);
}

// Ignored things that an interrupted swap left in the old folder go to the one that took its place.
void carry_ignored(Engine::State& state, const Lingering& one) {
  std::string target = join_path(one.root, one.skill);
  ReadResult old = read_folder(one.displaced.path);
  if (!old.ignored.empty() && read_folder(target).stat.presence == Presence::copy) {
    state.stager.carry_ignored(one.displaced.path, target, old);
  }
}

// Whether the store gives this version back, all of it read. A damaged one is taken out of the way,
// so that the version is kept anew when it is seen again.
Result<bool> is_kept(Engine::State& state, const Digest& hash) {
  Result<Tree> kept = tree_of_object(state.objects, hash);
  if (kept || kept.error().code == ErrorCode::not_found) {
    return kept.has_value();
  }
  if (kept.error().code != ErrorCode::corrupt) {
    return fail(kept.error()); // it may be read another time
  }
  TRY(state.objects.set_aside(hash));
  return false;
}

Result<LateEdit>
keep_late(Engine::State& state, const Lingering& one, const ReadResult& read, Moment now) {
  Work work;
  work.now = now;
  for (Scope& scope : state.scopes) {
    if (scope.root_at(one.root)) {
      return RoundRun(state, work).keep_late(scope, one, read);
    }
  }
  return LateEdit::of_no_skill;
}

// A folder that was swapped out and has lingered: its content is in the store, so it may go. What
// somebody wrote to it after the swap is a conflict. What is not content, what belongs to no skill
// any more, and what the store turns out not to have, goes to the trash: this may be the last copy.
Result<void>
dispose(Engine::State& state, const Lingering& one, Moment now, std::vector<std::string>& told) {
  carry_ignored(state, one);
  ReadResult read = read_folder(one.displaced.path);
  if (read.stat.presence == Presence::absent) {
    return {};
  }
  const std::string place = join_path(one.root, one.skill);
  bool is_copy = read.stat.presence == Presence::copy;
  bool expected = one.displaced.hash == Digest{} || read.tree.hash() == one.displaced.hash;
  if (is_copy && !expected) {
    TRY_ASSIGN(LateEdit late, keep_late(state, one, read, now));
    expected = late != LateEdit::of_no_skill;
    if (late == LateEdit::conflict) {
      told.push_back("`" + place
                     + "` was edited in the folder that sync had just replaced: "
                       "`upskill sync conflicts` shows that version");
    }
  }
  bool plain = is_copy && read.ignored.empty();
  bool kept = false;
  if (plain && expected) {
    TRY_ASSIGN(kept, is_kept(state, read.tree.hash()));
  }
  if (kept) {
    return state.files.remove_tree(one.displaced.path);
  }
  if (read.stat.presence == Presence::link) {
    return state.files.remove_file(one.displaced.path); // a staged link of an interrupted run
  }
  store::TrashOrigin origin;
  origin.path = place;
  origin.skill = one.skill;
  origin.reason = !expected                        ? "written to after its folder had been replaced"
                  : one.displaced.hash == Digest{} ? "left beside the root by an interrupted sync"
                  : plain ? "the version that was kept of it turned out to be damaged"
                          : "holds what is not a part of the skill";
  origin.time_ms = now.wall_ms;
  TRY(state.trash.take(one.displaced.path, origin));
  if (one.displaced.hash != Digest{}) {
    told.push_back("what `" + place + "` was is in the trash: " + origin.reason);
  }
  return {};
}

// The folders of conflicts that were settled long ago. One may be named by several: undoing a
// settlement opens the conflict again under another number.
Result<void> purge_conflicts(Engine::State& state, Moment now) {
  std::set<std::string> over;
  std::set<std::string> wanted;
  TRY(state.store.each_stored_version(
      [&](std::string_view stored, std::optional<std::int64_t> resolved_ms) {
        bool is_over = resolved_ms && *resolved_ms < now.wall_ms - k_keep_losers_ms;
        (is_over ? over : wanted).insert(parent_path(stored));
      }));
  for (const std::string& folder : over) {
    if (!wanted.contains(folder)) {
      (void)state.conflict_folders.remove(
          folder); // tried again tomorrow, as long as there are rows
    }
  }
  return state.store.purge_conflicts(now.wall_ms - k_keep_objects_ms).map([](std::int64_t) {});
}

Result<void> purge(Engine::State& state, Moment now) {
  TRY_ASSIGN(std::optional<std::string> last, state.store.setting("purged_ms"));
  std::int64_t purged_ms = 0;
  if (last) {
    std::from_chars(last->data(), last->data() + last->size(), purged_ms);
  }
  if (now.wall_ms - purged_ms < k_day_ms && purged_ms <= now.wall_ms) {
    return {};
  }
  TRY(state.trash.purge(now.wall_ms));
  TRY(purge_conflicts(state, now));
  std::unordered_set<Digest> live;
  TRY(state.store.each_live_digest(now.wall_ms - k_keep_objects_ms,
                                   [&](const Digest& digest) { live.insert(digest); }));
  TRY(state.objects.remove_unreferenced(live, now.wall_ms - k_keep_objects_ms));
  TRY(state.store.purge_history(now.wall_ms - 2 * k_keep_objects_ms));
  return state.store.set_setting("purged_ms", std::to_string(now.wall_ms));
}

} // namespace

Result<void> make_durable(Engine::State& state) {
  TRY(state.objects.flush());
  TRY(state.stager.sync());
  state.unsynced = false;
  return {};
}

namespace {

// The copy holds an older version by agreement: it is behind, and nobody edited it.
Result<void> agree_on(Engine::State& state,
                      const std::string& place,
                      const std::string& name,
                      const Digest& hash) {
  for (Scope& scope : state.scopes) {
    std::optional<RootIndex> root = scope.root_at(place);
    Skill* skill = scope.find(state.key_of(name));
    if (root && skill != nullptr && skill->id != 0) {
      scope.agree(*skill, *root, hash);
      TRY(state.record_replicas(scope, *skill));
    }
  }
  return {};
}

// Roots with one parent share the folder for staging. These are all that this may have come from.
std::vector<std::string> roots_beside(const Engine::State& state, const std::string& leftover) {
  const std::string folder = parent_path(leftover);
  std::vector<std::string> roots;
  for (const Scope& scope : state.scopes) {
    for (const RootSetup& root : scope.setup.roots) {
      if (parent_path(folder) == parent_path(root.path) || parent_path(folder) == root.path) {
        roots.push_back(root.path);
      }
    }
  }
  return roots;
}

// What a root's copy of a skill was by agreement, if there is one.
const Replica*
agreed_copy(const Engine::State& state, std::string_view root, std::string_view name) {
  for (const Scope& scope : state.scopes) {
    std::optional<RootIndex> index = scope.root_at(root);
    const Skill* skill = index ? scope.find(state.key_of(name)) : nullptr;
    const Replica* replica = skill != nullptr ? skill->find(*index) : nullptr;
    if (replica != nullptr && replica->base) {
      return replica;
    }
  }
  return nullptr;
}

// The root that a leftover came from. Where several share the folder: one that held the skill; of
// those the one that lacks it now, if it was moved aside, or lacks the ignored things that are in
// the leftover; else one that held this very content.
std::string
root_of_leftover(const Engine::State& state, const std::string& path, const std::string& skill) {
  std::vector<std::string> roots = roots_beside(state, path);
  auto keep_if_any = [&roots](auto&& fits) {
    if (roots.size() > 1 && std::ranges::any_of(roots, fits)) {
      std::erase_if(roots, [&](const std::string& root) { return !fits(root); });
    }
  };
  keep_if_any([&](const std::string& root) { return agreed_copy(state, root, skill) != nullptr; });
  if (Stager::is_aside(path)) {
    keep_if_any([&](const std::string& root) {
      return ::access(join_path(root, skill).c_str(), F_OK) != 0;
    });
  }
  if (roots.size() > 1) {
    const ReadResult read = read_folder(path);
    keep_if_any([&](const std::string& root) {
      return !read.ignored.empty()
             && std::ranges::none_of(read.ignored, [&](const std::string& one) {
                  return ::access(join_path(join_path(root, skill), one).c_str(), F_OK) == 0;
                });
    });
    keep_if_any([&](const std::string& root) {
      const Replica* copy = agreed_copy(state, root, skill);
      return copy != nullptr && copy->base == read.tree.hash();
    });
    keep_if_any([&](const std::string& root) {
      const Replica* copy = agreed_copy(state, root, skill);
      return copy != nullptr && copy->fingerprint == read.stat.fingerprint;
    });
  }
  return roots.front();
}

} // namespace

std::vector<std::string> heal_after_power_loss(Engine::State& state) {
  std::vector<std::string> told;
  // The stager numbers what it writes, so the longest and then largest name is the latest.
  std::vector<Lingering> latest_first = state.lingering;
  std::ranges::sort(latest_first, std::greater(), [](const Lingering& one) {
    return std::pair(one.displaced.path.size(), std::string_view(one.displaced.path));
  });
  for (const Lingering& one : latest_first) {
    for (const std::string& root : roots_beside(state, one.displaced.path)) {
      const std::string place = join_path(root, one.skill);
      ReadResult now = read_folder(place);
      ReadResult before = read_folder(one.displaced.path);
      const Replica* agreed = agreed_copy(state, root, one.skill);
      // What was agreed need not be in the store: that may have been torn just as well.
      auto is_known = [&](const ReadResult& read) {
        return read.stat.presence == Presence::copy
               && ((agreed != nullptr && agreed->base == read.tree.hash())
                   || state.objects.contains(read.tree.hash()));
      };
      if (now.stat.presence == Presence::absent || !is_known(before) || is_known(now)) {
        continue;
      }
      if (state.files.exchange(one.displaced.path, place)
          && agree_on(state, root, one.skill, before.tree.hash())) {
        told.push_back("`" + place
                       + "` was damaged when the power failed; the version before it is back, the "
                         "damaged one is in the trash");
      }
    }
  }
  return told;
}

void adopt_leftovers(Engine::State& state, Moment now) {
  std::set<std::string> known;
  for (const Lingering& one : state.lingering) {
    known.insert(one.displaced.path);
  }
  for (const Scope& scope : state.scopes) {
    for (const RootSetup& root : scope.setup.roots) {
      for (auto& [path, skill] : state.stager.leftovers(root.path)) {
        if (known.insert(path).second) {
          const std::string owner = root_of_leftover(state, path, skill);
          std::string target = join_path(owner, skill);
          if (Stager::is_aside(path) && state.files.move(path, target)) {
            continue; // it was the copy in place: nothing else had taken that place
          }
          state.lingering.push_back({{path, {}}, now.steady_ms, owner, skill});
          carry_ignored(state, state.lingering.back());
        }
      }
    }
  }
}

Result<void> Engine::make_durable() {
  return m_state->unsynced ? sync::make_durable(*m_state) : Result<void>{};
}

Result<Tidied> Engine::tidy(Moment now) {
  State& state = *m_state;
  Tidied tidied;
  TRY(make_durable()); // before the versions go that could stand in for what is not on the disk
  // Also what came back with a root that was away, or could not be swapped back.
  adopt_leftovers(state, now);
  std::optional<std::int64_t>& next = tidied.again_at_ms;
  std::vector<Lingering> rest;
  std::set<std::string> busy;
  for (Lingering& one : state.lingering) {
    std::int64_t over_ms = one.since_ms + state.options.linger_ms;
    if (over_ms <= now.steady_ms && dispose(state, one, now, tidied.warnings)) {
      continue;
    }
    // What could not be disposed of is tried again after as long as it lingers.
    std::int64_t again_ms = std::max(over_ms, now.steady_ms + state.options.linger_ms / 2);
    again_ms = over_ms > now.steady_ms ? over_ms : again_ms;
    next = next ? std::min(*next, again_ms) : again_ms;
    busy.insert(one.root);
    rest.push_back(std::move(one));
  }
  state.lingering = std::move(rest);
  for (const Scope& scope : state.scopes) {
    for (const RootSetup& root : scope.setup.roots) {
      if (!busy.contains(root.path)) {
        state.stager.tidy(root.path);
      }
    }
  }
  TRY(take_back_folders(state)); // that waited for what has just gone
  TRY(purge(state, now));
  return tidied;
}

} // namespace upskill::sync
