#pragma once
#include "protocol/base/hash.h"
#include "protocol/types/sync.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The rows of sync.db. Times are Unix milliseconds; an id of 0 is one that is not stored yet.
namespace upskill::store {

using Id = std::int64_t;

// What a scan saw of a folder in 16 bytes; equal means that nothing needs to be read again.
using Fingerprint = std::array<std::uint8_t, 16>;

enum class ReplicaKind {
  copy,
  link,
  excluded, // taken away on purpose: not to be written again
  withdrawn // taken away by an undo: not to be written again before the skill is edited
};

// Skills of the user, or of one project.
struct ScopeRow {
  Id id = 0;
  std::string path = "user"; // `user`, or the project's path; unique
  bool enabled = false;
  SyncPolicy policy = SyncPolicy::cover;
  std::string settings = {}; // the caller's JSON: agents, without, link, exclude

  friend bool operator==(const ScopeRow&, const ScopeRow&) = default;
};

struct RootRow {
  Id id = 0;
  Id scope = 0;
  std::string path = {}; // real path; unique within a scope
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  RootState state = RootState::ok;
  std::string reason = {};
  std::int64_t priority = 0;    // order among the roots of its scope, smallest first
  std::int64_t skill_count = 0; // when it was last seen in order

  friend bool operator==(const RootRow&, const RootRow&) = default;
};

// What is known of a skill in one root.
struct ReplicaRow {
  Id root = 0;
  ReplicaKind kind = ReplicaKind::copy;
  std::optional<Fingerprint> fingerprint = {}; // nothing: look again
  std::optional<Digest> hash = {};             // of the tree that the fingerprint stands for

  friend bool operator==(const ReplicaRow&, const ReplicaRow&) = default;
};

struct SkillRow {
  Id id = 0;
  Id scope = 0;
  std::string name = {}; // the folder's name, as it is
  std::string key = {};  // the name as it is compared (case folded); unique within a scope
  std::optional<Digest> ancestor = {}; // hash of the last agreed tree
  std::string tree = {};               // that tree as a record; empty with no ancestor
  std::string state = {};
  std::vector<ReplicaRow> replicas = {};

  friend bool operator==(const SkillRow&, const SkillRow&) = default;
};

// A SkillRow while it is visited; the texts end with the visit.
struct SkillView {
  Id id;
  Id scope;
  std::string_view name;
  std::string_view key;
  std::optional<Digest> ancestor;
  std::string_view tree; // empty unless asked for
  std::string_view state;
  std::vector<ReplicaRow> replicas;
};

struct HistoryPath {
  std::string path;
  std::optional<Digest> before = {};
  std::optional<Digest> after = {};
  // `withdrawn`: nothing was there, and from then on nothing was to be.
  ReplicaKind kind = ReplicaKind::copy;

  friend bool operator==(const HistoryPath&, const HistoryPath&) = default;
};

// One change of one skill, with every folder that was written.
struct HistoryRow {
  Id id = 0;
  std::int64_t time_ms = 0;
  Id batch = 0; // of SyncStore::next_batch()
  SyncAction action = SyncAction::update;
  std::string skill = {};
  Id scope = 0; // history outlives its scope
  std::string from = {};
  std::optional<Digest> before = {};
  std::optional<Digest> after = {};
  bool undone = false;
  std::string reason = {};
  std::vector<HistoryPath> paths = {}; // sorted by path when read

  friend bool operator==(const HistoryRow&, const HistoryRow&) = default;
};

// What an order of a person is about to do with a skill in one root. Copies by their version, links
// by their target; with neither, nothing lies there.
struct IntentRow {
  Id scope = 0;
  std::string skill = {};
  std::string root = {}; // path
  std::optional<Digest> before = {};
  std::optional<Digest> after = {};
  std::string link_before = {};
  std::string link_after = {};

  friend bool operator==(const IntentRow&, const IntentRow&) = default;
};

struct ConflictVersionRow {
  Digest hash = {};
  std::string path = {};
  bool winner = false;
  std::string stored = {}; // folder where the whole version can be read

  friend bool operator==(const ConflictVersionRow&, const ConflictVersionRow&) = default;
};

struct ConflictRow {
  Id id = 0;
  Id scope = 0;
  std::string skill = {};
  ConflictKind kind = ConflictKind::content;
  std::int64_t time_ms = 0;
  std::string reason = {};
  std::optional<std::int64_t> resolved_ms = {};
  std::vector<ConflictVersionRow> versions = {}; // in the order they were given

  friend bool operator==(const ConflictRow&, const ConflictRow&) = default;
};

} // namespace upskill::store

template <> struct upskill::EnumNames<upskill::store::ReplicaKind> {
  static constexpr std::array<std::string_view, 4> names{"copy", "link", "excluded", "withdrawn"};
};
