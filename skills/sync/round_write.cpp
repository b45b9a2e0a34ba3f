#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "skills/sync/round.h"
#include "skills/sync/walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace upskill::sync {
namespace {

// `bytes_of(i)`: a view of the bytes of the tree's entry, a file; checked against the digest
// already, as EntryBytes are.
template <class F>
std::vector<store::ObjectEntry> object_entries(const Tree& tree, const F& bytes_of) {
  std::vector<store::ObjectEntry> entries;
  entries.reserve(tree.entries().size());
  for (std::size_t i = 0; i < tree.entries().size(); ++i) {
    const Entry& entry = tree.entries()[i];
    store::ObjectEntry& out = entries.emplace_back();
    out.path = entry.path;
    out.kind = static_cast<store::ObjectKind>(entry.kind);
    out.size = entry.size;
    out.target = entry.target;
    if (entry.kind == EntryKind::file || entry.kind == EntryKind::executable) {
      out.bytes = bytes_of(i);
    }
  }
  return entries;
}

} // namespace

// The bytes of this tree's files: from what was just read, else from a copy that holds it, else
// from the store. Everything is checked against the digest.
EntryBytes
RoundRun::bytes_from(Scope& scope, const std::string& name, Sight& sight, const Tree& tree) {
  const Digest hash = tree.hash();
  for (const auto& [root, read] : sight.reads) {
    if (read.tree.hash() == hash && !read.contents.empty()) {
      return [&contents = read.contents](std::size_t index) -> Result<std::string> {
        return contents[index];
      };
    }
  }
  for (const Observation& seen : sight.observations) {
    if (seen.usable && seen.presence == Presence::copy && seen.hash == hash) {
      int fd = scope.roots[seen.root].fd.get();
      return [fd, name, &tree](std::size_t index) {
        return read_entry(fd, name, tree.entries()[index]);
      };
    }
  }
  return [this, hash, &tree](std::size_t index) -> Result<std::string> {
    const Entry& entry = tree.entries()[index];
    TRY_ASSIGN(std::string bytes, m_state.objects.read_file(hash, entry.path));
    if (sha256(bytes) != entry.content) {
      return fail(ErrorCode::corrupt,
                  "the kept version `" + m_state.objects.path_of(hash) + "` is damaged",
                  "restore it from a backup; other versions are not affected");
    }
    return bytes;
  };
}

Result<void> RoundRun::keep_tree(const Tree& tree, const EntryBytes& bytes_of) {
  if (m_state.objects.contains(tree.hash())) {
    return {};
  }
  std::vector<std::string> contents(tree.entries().size());
  for (std::size_t i = 0; i < contents.size(); ++i) {
    EntryKind kind = tree.entries()[i].kind;
    if (kind == EntryKind::file || kind == EntryKind::executable) {
      TRY_ASSIGN(contents[i], bytes_of(i));
    }
  }
  auto bytes = [&contents](std::size_t index) { return std::string_view(contents[index]); };
  return m_state.objects.put(tree.hash(), object_entries(tree, bytes));
}

// On any thread.
Result<void> RoundRun::keep_files(const Tree& tree, const NewFiles& files) const {
  auto bytes = [&tree, &files](std::size_t index) {
    return std::string_view(files.find(tree.entries()[index].path)->second.bytes);
  };
  return m_state.objects.put(tree.hash(), object_entries(tree, bytes));
}

// Before a copy is overwritten its content must be in the store; an error leaves the copy alone.
std::optional<Error>
RoundRun::keep_object(Scope& scope, const std::string& name, Sight& sight, RootIndex root) {
  const Digest& hash = sight.observations[root].hash;
  if (m_state.objects.contains(hash)) {
    return std::nullopt;
  }
  auto read = sight.reads.find(root);
  if (read == sight.reads.end()) {
    ReadOptions options;
    options.keep_contents = true;
    read = sight.reads.emplace(root, read_skill(scope.roots[root].fd.get(), name, options)).first;
    if (read->second.tree.hash() != hash) {
      return Error{ErrorCode::changed, "`" + scope.path_of(root, name) + "` changed", {}};
    }
  }
  const Tree& tree = read->second.tree;
  Result<void> kept = keep_tree(tree, bytes_from(scope, name, sight, tree));
  return kept ? std::nullopt : std::optional(kept.error());
}

// Plans and stages what must be written so that every copy holds the tree and every root that wants
// one has one.
void RoundRun::spread(Scope& scope,
                      const std::string& name,
                      Skill& skill,
                      Sight& sight,
                      PendingSkill& pending,
                      const EntryBytes& bytes_of) {
  const Digest hash = pending.tree.hash();
  RootSet present;
  RootSet links;
  for (const Observation& seen : sight.observations) {
    // One that is being written, or cannot be looked at, is no reason for another one elsewhere.
    bool is_kept = seen.base && (!seen.usable || seen.presence == Presence::problem);
    if (seen.presence == Presence::copy || seen.presence == Presence::link
        || seen.presence == Presence::incomplete || is_kept) {
      present.set(seen.root);
    }
    if (seen.presence == Presence::link) {
      links.set(seen.root);
    }
  }
  // What an undo took away stays away for as long as the skill is what it was then.
  pending.edited = skill.ancestor != hash;
  // Where nothing is synchronised, copies are only ever made by name.
  RootSet wanted;
  if (scope.setup.enabled) {
    wanted = scope.wanted(
        skill, present, links, pending.edited ? Withdrawn::comes_back : Withdrawn::stays_away);
  }
  if (!m_work.dry_run) {
    if (auto kept = keep_tree(pending.tree, bytes_of); !kept) {
      note(scope, name, kept.error().message);
      try_later(scope, name);
      return;
    }
  }
  for (const Observation& seen : sight.observations) {
    bool absent = seen.presence == Presence::absent;
    // An edit beats a deletion: where an agreed copy is missing it comes back.
    bool missing = absent && (wanted.test(seen.root) || seen.base);
    if (!seen.usable) {
      if (missing || (seen.base && seen.base != hash)) {
        const Root& root = scope.roots[seen.root];
        if (!root.held.empty()) {
          note(scope, name, root.held);
        } else if (!seen.base) { // else its folder says why, once for all skills
          note(scope, name, root.judgement.reason);
        }
      }
      continue;
    }
    if (seen.presence == Presence::copy && seen.hash == hash) {
      pending.holders.emplace_back(seen.root, sight.stats[seen.root].fingerprint);
    } else if (seen.presence == Presence::copy) {
      stage_update(scope, name, sight, seen.root, pending, bytes_of);
    } else if (missing) {
      stage_new(scope, name, sight, seen.root, pending, bytes_of);
    }
  }
  finish(skill, std::move(pending));
}

void RoundRun::follow_modes(const Scope& scope,
                            const std::string& name,
                            const Sight& sight,
                            RootIndex root,
                            const Tree& tree,
                            CopyModes& modes) const {
  if (auto read = sight.reads.find(root); read != sight.reads.end()) {
    modes.follow(read->second, tree);
  } else {
    modes.follow(scope.roots[root].fd.get(), name, tree);
  }
}

// After the copies in the other roots; they are the same for each root that gets one.
CopyModes RoundRun::modes_of_new(const Scope& scope,
                                 const Sight& sight,
                                 RootIndex root,
                                 PendingSkill& pending) const {
  if (pending.modes) {
    return *pending.modes;
  }
  CopyModes modes(pending.tree);
  bool alone = true;
  for (const Observation& seen : sight.observations) {
    if (seen.usable && seen.presence == Presence::copy) {
      follow_modes(scope, pending.name, sight, seen.root, pending.tree, modes);
      alone = false;
    }
  }
  if (alone) {
    modes.follow_root(scope.setup.roots[root].path);
  } else {
    pending.modes = modes;
  }
  return modes;
}

void RoundRun::stage_update(Scope& scope,
                            const std::string& name,
                            Sight& sight,
                            RootIndex root,
                            PendingSkill& pending,
                            const EntryBytes& bytes_of) {
  const Digest hash = pending.tree.hash();
  const std::string path = scope.path_of(root, name);
  SyncAction action = pending.action == SyncAction::adopt || pending.action == SyncAction::create
                          ? SyncAction::update
                          : pending.action;
  step(action, name, path, pending.from, hash, pending.reason);
  if (m_work.dry_run) {
    return;
  }
  if (std::optional<Error> problem = keep_object(scope, name, sight, root)) {
    return write_failed(scope, pending, root, *problem);
  }
  CopyModes modes(pending.tree);
  follow_modes(scope, name, sight, root, pending.tree, modes);
  Result<StagedCopy> staged = stage_copy(scope.setup.roots[root].path, pending, modes, bytes_of);
  if (!staged) {
    return write_failed(scope, pending, root, staged.error());
  }
  PendingWrite write;
  write.root = root;
  write.staged = std::move(*staged);
  write.expected = ExpectedCopy{sight.observations[root].hash, sight.stats[root].fingerprint};
  pending.writes.push_back(std::move(write));
}

void RoundRun::stage_new(Scope& scope,
                         const std::string& name,
                         Sight& sight,
                         RootIndex root,
                         PendingSkill& pending,
                         const EntryBytes& bytes_of) {
  const RootSetup& setup = scope.setup.roots[root];
  if (std::string twin = twin_of(scope, name, root); !twin.empty()) {
    return note(scope,
                name,
                "`" + scope.path_of(root, twin) + "` and `" + name
                    + "` are one name on some file systems");
  }
  std::string link;
  if (setup.by_link || pending.links.test(root)) {
    link = link_target(scope, name, sight, root, pending.original);
  }
  step(link.empty() ? SyncAction::create : SyncAction::link,
       name,
       scope.path_of(root, name),
       pending.from,
       pending.tree.hash(),
       pending.reason);
  if (m_work.dry_run) {
    return;
  }
  if (scope.roots[root].judgement.health == RootHealth::absent) {
    Result<void> made = note_missing(setup.path);
    if (made) {
      made = make_directories(setup.path);
    }
    if (!made) {
      return write_failed(scope, pending, root, made.error());
    }
    // Known from now on, so that the next look does not take it for a stranger.
    RootProbe probe = probe_root(setup.path);
    scope.roots[root].record.device = probe.device;
    scope.roots[root].record.inode = probe.inode;
    warn_if(m_state.record_root(scope, root));
  }
  Result<StagedCopy> staged =
      link.empty()
          ? stage_copy(setup.path, pending, modes_of_new(scope, sight, root, pending), bytes_of)
          : m_state.stager.stage_link(setup.path, name, link);
  if (!staged) {
    return write_failed(scope, pending, root, staged.error());
  }
  PendingWrite write;
  write.root = root;
  write.link = !link.empty();
  write.target = std::move(link);
  write.staged = std::move(*staged);
  pending.writes.push_back(std::move(write));
}

// What lies in this root under a name that some file systems take for this one; empty: nothing.
std::string RoundRun::twin_of(Scope& scope, const std::string& name, RootIndex index) {
  Root& root = scope.roots[index];
  if (!root.names) {
    root.names.emplace();
    FolderNames listed;
    // names_of() has read to the end already.
    if (root.fd && ::lseek(root.fd.get(), 0, SEEK_SET) == 0 && listed.read(root.fd.get())) {
      for (const FolderNames::Name& other : listed.names()) {
        root.names->emplace(m_state.key_of(listed.view(other)), listed.view(other));
      }
    }
  }
  auto known = root.names->try_emplace(m_state.key_of(name), name).first;
  return known->second == name ? std::string() : known->second;
}

// A relative link from this root to a real copy, or to the one that is made first, where both lie
// on one file system; else empty, and a copy is made.
std::string RoundRun::link_target(Scope& scope,
                                  const std::string& name,
                                  const Sight& sight,
                                  RootIndex root,
                                  std::optional<RootIndex> original) {
  struct stat here {};

  // It may have to be made first, and what it lies in.
  std::string folder = scope.setup.roots[root].path;
  while (::stat(folder.c_str(), &here) != 0) {
    if (errno != ENOENT || folder == "/") {
      return {};
    }
    folder = parent_path(folder);
  }
  for (const Observation& seen : sight.observations) {
    struct stat there {};

    bool is_copy = seen.presence == Presence::copy || seen.root == original;
    if (seen.usable && is_copy && seen.root != root && !scope.setup.roots[seen.root].by_link
        && ::stat(scope.setup.roots[seen.root].path.c_str(), &there) == 0
        && here.st_dev == there.st_dev) {
      return relative_path(scope.path_of(seen.root, name), scope.setup.roots[root].path);
    }
  }
  return {};
}

void RoundRun::write_failed(Scope& scope,
                            PendingSkill& pending,
                            RootIndex root,
                            const Error& error) {
  pending.failed = true;
  m_failure = m_failure ? m_failure : std::optional(error);
  note(scope, pending.name, scope.path_of(root, pending.name) + ": " + error.message);
  warn(error);
}

void RoundRun::finish(Skill& skill, PendingSkill pending) {
  bool agreed = pending.writes.empty() && !skill.unrecorded && skill.ancestor == pending.tree.hash()
                && std::ranges::all_of(pending.holders, [&](const auto& holder) {
                     const Replica* replica = skill.find(holder.first);
                     return replica != nullptr && replica->base == skill.ancestor;
                   });
  if (m_work.dry_run) {
    if (pending.action == SyncAction::adopt) {
      step(SyncAction::adopt, pending.name, pending.from, {}, pending.tree.hash());
    }
    return;
  }
  if (agreed && !pending.conflict && !pending.failed) {
    ++m_round.in_sync;
    return;
  }
  m_pending_bytes += pending.tree.bytes();
  m_pending.push_back(std::move(pending));
}

} // namespace upskill::sync
