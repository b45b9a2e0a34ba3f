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

bool is_version_of(const Conflict& conflict, const Digest& hash) {
  return std::ranges::find(conflict.versions, hash.hex(), &ConflictVersion::hash)
         != conflict.versions.end();
}

// What was agreed; or what was edited a moment ago, and is about to be everywhere. A copy that
// still holds a losing version could not be written yet.
std::optional<CopyInPlace>
copy_in_place(const Scope& scope, const Skill& skill, const Conflict& conflict) {
  std::optional<CopyInPlace> found;
  for (RootIndex i = 0; i < scope.roots.size(); ++i) {
    const RootSetup& root = scope.setup.roots[i];
    auto fd = root.refused
                  ? std::make_shared<UniqueFd>()
                  : std::make_shared<UniqueFd>(library::open_folder(AT_FDCWD, root.path.c_str()));
    if (!*fd) {
      continue;
    }
    ReadResult read = read_skill(fd->get(), skill.name, {});
    bool is_agreed = read.tree.hash() == skill.ancestor;
    bool is_edited = !is_agreed && !is_version_of(conflict, read.tree.hash());
    if (read.stat.presence != Presence::copy || (!is_agreed && !is_edited)
        || (found && is_agreed)) {
      continue;
    }
    auto bytes = [fd, name = skill.name](const Entry& file) {
      return read_entry(fd->get(), name, file);
    };
    found = {scope.path_of(i, skill.name), {std::move(read.tree), std::move(bytes)}};
    if (is_edited) {
      break;
    }
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
