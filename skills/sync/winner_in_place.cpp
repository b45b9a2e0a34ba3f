#include "skills/sync/winner_in_place.h"

#include "skills/library/folder.h"

#include <fcntl.h>

#include <algorithm>
#include <memory>

namespace upskill::sync {
namespace {

// How well a copy shows what the winner is now; the larger, the better.
enum class Shows : std::uint8_t {
  nothing,
  agreed_of_loser, // what was agreed, where a losing version came from
  agreed,
  agreed_of_winner, // where the winner itself came from
  edited_elsewhere,
  edited
};

// An edit is what nobody has seen yet: no copy that is only behind, no version of the conflict, and
// nothing in a folder that is left alone for now.
bool is_edit(const Root& root,
             const Replica* replica,
             const store::ConflictRow& conflict,
             const Digest& hash) {
  return root.usable() && (replica == nullptr || replica->base != hash)
         && std::ranges::find(conflict.versions, hash, &store::ConflictVersionRow::hash)
                == conflict.versions.end();
}

// What the copy at `path` says of the winner.
Shows shown_by(const store::ConflictRow& conflict,
               const std::string& path,
               bool is_agreed,
               bool is_edited) {
  auto version = std::ranges::find(conflict.versions, path, &store::ConflictVersionRow::path);
  bool is_known = version != conflict.versions.end();
  if (is_agreed) {
    return !is_known         ? Shows::agreed
           : version->winner ? Shows::agreed_of_winner
                             : Shows::agreed_of_loser;
  }
  if (is_edited) {
    return is_known && version->winner ? Shows::edited : Shows::edited_elsewhere;
  }
  return Shows::nothing;
}

// What was agreed; or what was edited a moment ago, and is about to be everywhere. Of several
// copies that hold it, the one at the winner's own path: at a loser's, the path would name both.
std::optional<WinnerInPlace>
copy_in_place(const Scope& scope, const Skill& skill, const store::ConflictRow& conflict) {
  std::optional<WinnerInPlace> found;
  Shows found_shows = Shows::nothing;
  for (RootIndex i = 0; i < scope.roots.size(); ++i) {
    const RootSetup& root = scope.setup.roots[i];
    auto fd = root.refused
                  ? std::make_shared<UniqueFd>()
                  : std::make_shared<UniqueFd>(library::open_folder(AT_FDCWD, root.path.c_str()));
    if (!*fd) {
      continue;
    }
    ReadResult read = read_skill(fd->get(), skill.name, {});
    if (read.stat.presence != Presence::copy) {
      continue;
    }
    const Digest hash = read.tree.hash();
    const std::string path = scope.path_of(i, skill.name);
    bool is_edited = is_edit(scope.roots[i], skill.find(i), conflict, hash);
    Shows shows = shown_by(conflict, path, hash == skill.ancestor, is_edited);
    if (shows <= found_shows) {
      continue;
    }
    auto bytes = [fd, name = skill.name](const Entry& file) {
      return read_entry(fd->get(), name, file);
    };
    found = {path, {std::move(read.tree), std::move(bytes)}};
    found_shows = shows;
  }
  return found;
}

} // namespace

std::optional<WinnerInPlace> winner_in_place(const Engine::State& state,
                                             const store::ConflictRow& conflict) {
  const Scope* scope = scope_of(state, conflict.scope);
  const Skill* skill = scope != nullptr ? scope->find(state.key_of(conflict.skill)) : nullptr;
  auto winner = std::ranges::find(conflict.versions, true, &store::ConflictVersionRow::winner);
  if (conflict.kind != ConflictKind::content || skill == nullptr
      || winner == conflict.versions.end()) {
    return std::nullopt;
  }
  std::optional<WinnerInPlace> copy = copy_in_place(*scope, *skill, conflict);
  return copy && copy->content.tree.hash() != winner->hash ? copy : std::nullopt;
}

} // namespace upskill::sync
