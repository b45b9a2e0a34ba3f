// The versions of skills that are kept.
#include "protocol/base/utf8.h"
#include "skills/sync/engine_state.h"
#include "skills/sync/put_skill.h"

#include <algorithm>
#include <set>

namespace upskill::sync {
namespace {

// By time, as the entries of the log tell: what was there before one, and what after it.
class Versions {
public:
  explicit Versions(const store::Objects& objects)
      : m_objects(objects) {}

  void add(const std::optional<Digest>& hash, std::int64_t since_ms, const std::string& reason) {
    if (hash == m_last) {
      return;
    }
    m_last = hash;
    if (hash && m_objects.contains(*hash)) {
      m_all.push_back({*hash, since_ms, reason, false});
    }
  }

  std::vector<KeptVersion> take() { return std::move(m_all); }

private:
  const store::Objects& m_objects;
  std::optional<Digest> m_last = {};
  std::vector<KeptVersion> m_all = {};
};

} // namespace

Result<std::vector<KeptVersion>> Engine::versions(const std::string& project,
                                                  const std::string& skill) const {
  ScopeSetup named;
  named.project = project;
  TRY_ASSIGN(std::optional<store::ScopeRow> scope, m_state->store.find_scope(named.name()));
  if (!scope) {
    return std::vector<KeptVersion>();
  }
  TRY_ASSIGN(std::vector<store::HistoryRow> rows,
             m_state->store.history_after(0, scope->id, skill));
  Versions versions(m_state->objects);
  std::int64_t before_ms = 0;
  for (const store::HistoryRow& row : rows) {
    versions.add(row.before, before_ms, "edited"); // no entry tells of it
    versions.add(row.after,
                 row.time_ms,
                 row.reason.empty() ? std::string(enum_name(row.action)) : row.reason);
    before_ms = row.time_ms;
  }
  TRY_ASSIGN(auto known, m_state->store.find_skill(scope->id, m_state->key_of(skill)));
  const bool is_there = known && known->name == skill && known->ancestor;
  if (is_there) {
    versions.add(known->ancestor, before_ms, rows.empty() ? "found" : "edited");
  }
  std::vector<KeptVersion> all = versions.take();
  if (is_there && !all.empty()) {
    all.back().is_current = all.back().hash == *known->ancestor;
  }
  return all;
}

Result<NewFiles> Engine::files_of(const Digest& version) const {
  const store::Objects& objects = m_state->objects;
  TRY_ASSIGN(store::ObjectReader reader, objects.open_object(version));
  NewFiles files;
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  for (;;) {
    TRY_ASSIGN(std::optional<store::ObjectMember> member, reader.next());
    if (!member) {
      break;
    }
    Entry& entry = entries.emplace_back();
    entry.path = member->path;
    entry.kind = static_cast<EntryKind>(member->kind);
    if (entry.kind == EntryKind::folder) {
      continue;
    }
    NewFile& file = files[member->path];
    file.target = std::move(member->target);
    file.is_program = entry.kind == EntryKind::executable;
    if (entry.kind == EntryKind::link) {
      entry.target = file.target;
      entry.content = sha256(file.target);
      continue;
    }
    total += member->size;
    if (total > k_max_placed) {
      return fail(ErrorCode::too_large,
                  "the kept version " + in_backticks(objects.path_of(version)) + " is over 64 MiB",
                  "`tar xf` takes it out");
    }
    TRY_ASSIGN(file.bytes, reader.bytes());
    entry.size = member->size;
    entry.content = sha256(file.bytes);
  }
  if (Tree(std::move(entries)).hash() != version) {
    return fail(ErrorCode::corrupt,
                "the kept version " + in_backticks(objects.path_of(version)) + " is damaged",
                "restore it from a backup; other versions are not affected");
  }
  return files;
}

Result<void> Engine::pin(const std::set<Digest>& versions) {
  return m_state->store.set_pins(versions);
}

} // namespace upskill::sync
