#include "skills/library/folder.h"
#include "skills/sync/engine_state.h"
#include "skills/sync/version_diff.h"

#include <fcntl.h>

#include <algorithm>
#include <memory>

namespace upskill::sync {
namespace {

constexpr std::size_t k_max_text = 32u << 10; // as Engine::conflicts() shows of a version
constexpr std::size_t k_max_paths = 20;

struct CopyInPlace {
  std::string path;
  VersionContent content;
};

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
             const Conflict& conflict,
             const Digest& hash) {
  return root.usable() && (replica == nullptr || replica->base != hash)
         && std::ranges::find(conflict.versions, hash.hex(), &ConflictVersion::hash)
                == conflict.versions.end();
}

// What the copy at `path` says of the winner.
Shows shown_by(const Conflict& conflict, const std::string& path, bool is_agreed, bool is_edited) {
  auto version = std::ranges::find(conflict.versions, path, &ConflictVersion::path);
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
std::optional<CopyInPlace>
copy_in_place(const Scope& scope, const Skill& skill, const Conflict& conflict) {
  std::optional<CopyInPlace> found;
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

std::optional<std::string> document_of(const VersionContent& content) {
  const Entry* document = content.tree.find(skill_file(content.tree));
  if (document == nullptr || document->size > k_max_text) {
    return std::nullopt;
  }
  Result<std::string> text = content.bytes_of(*document);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

void show_in_place(const store::Objects& objects, const CopyInPlace& copy, Conflict& conflict) {
  for (ConflictVersion& version : conflict.versions) {
    if (version.winner) {
      version.edited = true;
      version.before = version.hash;
      version.hash = copy.content.tree.hash().hex();
      version.path = copy.path;
      version.text = document_of(copy.content);
      continue;
    }
    version.differs.clear();
    version.more_differ = 0;
    Result<VersionContent> kept =
        kept_version(objects, Digest::from_hex(version.hash).value_or(Digest()));
    Result<VersionDiff> diff = kept ? diff_versions(copy.content, *kept, {k_max_paths, k_max_text})
                                    : Result<VersionDiff>(fail(kept.error()));
    if (!diff) {
      version.diff = diff.error().message + "\n";
      continue;
    }
    version.differs = std::move(diff->paths);
    version.more_differ = static_cast<std::int64_t>(diff->more);
    version.diff = std::move(diff->text);
  }
}

} // namespace

void Engine::look_at_winners(SyncConflictsResult& conflicts) const {
  for (Conflict& conflict : conflicts.conflicts) {
    auto scope = std::ranges::find_if(
        m_state->scopes, [&](const Scope& one) { return one.setup.name() == conflict.scope; });
    auto winner = std::ranges::find(conflict.versions, true, &ConflictVersion::winner);
    if (conflict.kind != ConflictKind::content || scope == m_state->scopes.end()
        || winner == conflict.versions.end()) {
      continue;
    }
    const Skill* skill = scope->find(m_state->key_of(conflict.skill));
    std::optional<CopyInPlace> copy =
        skill != nullptr ? copy_in_place(*scope, *skill, conflict) : std::nullopt;
    if (copy && copy->content.tree.hash().hex() != winner->hash) {
      show_in_place(m_state->objects, *copy, conflict);
    }
  }
}

} // namespace upskill::sync
