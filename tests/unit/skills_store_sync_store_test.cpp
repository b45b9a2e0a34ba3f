#include "skills/store/sync_store.h"
#include "skills_store_folder.h"

#include <doctest/doctest.h>

#include <sqlite3.h>

#include <map>
#include <set>

using namespace upskill;
using namespace upskill::store;
using store_test::Folder;

namespace {

SyncStore open(const Folder& folder) {
  auto store = SyncStore::open(folder / "sync.db");
  REQUIRE_MESSAGE(store.has_value(), (store ? "" : store.error().message));
  return std::move(*store);
}

Id scope_of(SyncStore& store, const std::string& path = "user") {
  auto id = store.put_scope({.path = path, .enabled = true});
  REQUIRE(id);
  return *id;
}

template <class T> T value_of(Result<T> result) {
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  return std::move(*result);
}

std::set<Digest> live(SyncStore& store, std::int64_t since_ms) {
  std::set<Digest> digests;
  REQUIRE(store.each_live_digest(since_ms, [&](const Digest& digest) { digests.insert(digest); }));
  return digests;
}

} // namespace

TEST_SUITE("SyncStore") {
  TEST_CASE("settings are kept over a restart") {
    Folder folder;
    {
      SyncStore store = open(folder);
      CHECK(value_of(store.setting("policy")) == std::nullopt);
      REQUIRE(store.set_setting("policy", "\"cover\""));
      REQUIRE(store.set_setting("policy", "\"mirror\""));
    }
    SyncStore store = open(folder);
    CHECK(value_of(store.setting("policy")) == "\"mirror\"");
  }

  TEST_CASE("scopes and roots come back as they went in, a root's inode with all its bits") {
    Folder folder;
    SyncStore store = open(folder);
    ScopeRow project{.path = "/home/a/\xFFproject",
                     .enabled = true,
                     .policy = SyncPolicy::mirror,
                     .settings = "{}"};
    scope_of(store);
    project.id = value_of(store.put_scope(project));
    CHECK(value_of(store.scopes()).size() == 2);
    CHECK(value_of(store.find_scope(project.path)) == project);
    CHECK(value_of(store.find_scope("/none")) == std::nullopt);
    project.enabled = false;
    CHECK(value_of(store.put_scope(project)) == project.id);

    RootRow second{.scope = project.id, .path = "/r/2", .priority = 2};
    RootRow first{.scope = project.id,
                  .path = "/r/1",
                  .device = 7,
                  .inode = 0xFFFF'FFFF'FFFF'FFF0,
                  .state = RootState::halted,
                  .reason = "it was emptied",
                  .priority = 1,
                  .skill_count = 12};
    second.id = value_of(store.put_root(second));
    first.id = value_of(store.put_root(first));
    CHECK(value_of(store.roots()) == std::vector{first, second});
    // The same path again is the same root.
    RootRow again = first;
    again.id = 0;
    again.priority = 3;
    CHECK(value_of(store.put_root(again)) == first.id);
    first.state = RootState::ok;
    first.reason.clear();
    first.priority = 3;
    CHECK(value_of(store.put_root(first)) == first.id);
    CHECK(value_of(store.roots())[1] == first);
    first.id = 99;
    CHECK(store.put_root(first).error().code == ErrorCode::not_found);
    CHECK(store.put_root({.scope = 99, .path = "/x"}).error().code == ErrorCode::not_found);
  }

  TEST_CASE("skills and replicas come back as they went in") {
    Folder folder;
    SyncStore store = open(folder);
    Id scope = scope_of(store);
    Id root = value_of(store.put_root({.scope = scope, .path = "/r"}));
    SkillRow skill{.scope = scope,
                   .name = "PDF\n\xC3",
                   .key = "pdf",
                   .ancestor = sha256("tree"),
                   .tree = std::string("\1\0\2", 3),
                   .state = "in_sync"};
    skill.id = value_of(store.put_skill(skill));
    CHECK(value_of(store.skill(skill.id)) == skill);
    CHECK(value_of(store.find_skill(scope, "pdf")) == skill);
    CHECK(value_of(store.find_skill(scope, "PDF")) == std::nullopt);
    SkillRow same_key = skill;
    same_key.id = 0;
    CHECK(value_of(store.put_skill(same_key)) == skill.id);

    skill.replicas = {{root, ReplicaKind::copy, Fingerprint{1, 2, 3}, sha256("r")},
                      {root + 1, ReplicaKind::excluded}};
    REQUIRE(store.set_replicas(skill.id, skill.replicas));
    CHECK(value_of(store.skill(skill.id)) == skill);
    skill.replicas.pop_back();
    skill.replicas[0].fingerprint = std::nullopt;
    skill.name = "PDF";
    CHECK(value_of(store.put_skill(skill)) == skill.id);
    CHECK(value_of(store.skill(skill.id)) == skill);

    REQUIRE(store.set_ancestor(skill.id, std::nullopt, ""));
    SkillRow now = *value_of(store.skill(skill.id));
    CHECK(now.ancestor == std::nullopt);
    CHECK(store.set_replicas(99, {}).error().code == ErrorCode::not_found);
    skill.id = 99;
    CHECK(store.put_skill(skill).error().code == ErrorCode::not_found);
  }

  TEST_CASE("10,000 skills in three roots are written in one transaction and visited in order") {
    Folder folder;
    SyncStore store = open(folder);
    Id scope = scope_of(store);
    std::vector<Id> roots;
    for (const char* path : {"/a", "/b", "/c"}) {
      roots.push_back(value_of(store.put_root({.scope = scope, .path = path})));
    }
    auto batch = store.begin();
    REQUIRE(batch);
    for (int i = 0; i < 10'000; ++i) {
      std::string name = "skill-" + std::to_string(i);
      Digest hash = sha256(name);
      std::vector<ReplicaRow> replicas;
      for (Id root : roots) {
        replicas.push_back({root, ReplicaKind::copy, Fingerprint{9}, hash});
      }
      auto id = store.put_skill({.scope = scope,
                                 .name = name,
                                 .key = name,
                                 .ancestor = hash,
                                 .tree = std::string(250, 't'),
                                 .state = "in_sync",
                                 .replicas = replicas});
      REQUIRE(id);
    }
    REQUIRE(batch->commit());

    std::size_t skills = 0;
    std::size_t replicas = 0;
    Id last = 0;
    bool right = true;
    REQUIRE(store.each_skill(TreeRecord::read, [&](const SkillView& skill) {
      right = right && skill.id > last && skill.ancestor == sha256(skill.name)
              && skill.tree.size() == 250;
      last = skill.id;
      ++skills;
      for (const ReplicaRow& replica : skill.replicas) {
        right = right && replica.fingerprint == Fingerprint{9} && replica.hash == skill.ancestor;
        ++replicas;
      }
      return true;
    }));
    CHECK(right);
    CHECK(skills == 10'000);
    CHECK(replicas == 30'000);
    std::size_t visits = 0;
    REQUIRE(store.each_skill(TreeRecord::leave, [&](const SkillView& skill) {
      CHECK(skill.tree.empty());
      return ++visits < 3;
    }));
    CHECK(visits == 3);
  }

  TEST_CASE("history tells the newest first, with its folders, and can be marked and purged") {
    Folder folder;
    SyncStore store = open(folder);
    CHECK(value_of(store.next_batch()) == 1);
    HistoryRow update{.time_ms = 1000,
                      .batch = 1,
                      .action = SyncAction::update,
                      .skill = "pdf",
                      .scope = 1,
                      .from = "/a/pdf",
                      .before = sha256("old"),
                      .after = sha256("new"),
                      .reason = "edited",
                      .paths = {{"/b/pdf", sha256("old"), sha256("new")},
                                {"/c/pdf", std::nullopt, sha256("new"), ReplicaKind::link}}};
    update.id = value_of(store.add_history(update));
    HistoryRow removal{.time_ms = 2000, .batch = 2, .action = SyncAction::remove, .skill = "doc"};
    removal.id = value_of(store.add_history(removal));
    CHECK(value_of(store.next_batch()) == 3);
    CHECK(value_of(store.history("", 10)) == std::vector{removal, update});
    CHECK(value_of(store.history("", 1)) == std::vector{removal});
    CHECK(value_of(store.history("", -1)).empty());
    CHECK(value_of(store.history("pdf", 10)) == std::vector{update});
    CHECK(value_of(store.history_entry(update.id)) == update);
    CHECK(value_of(store.history_before(removal.id, 10)) == std::vector{update});
    CHECK(value_of(store.history_before(update.id, 10)).empty());
    HistoryRow again = update;
    again.id = value_of(store.add_history(again));
    CHECK(value_of(store.history_before(99, 2)) == std::vector{again, removal});
    CHECK(value_of(store.history_after(update.id - 1, 1, "pdf")) == std::vector{update, again});
    CHECK(value_of(store.history_after(update.id, 1, "pdf")) == std::vector{again});
    CHECK(value_of(store.history_after(update.id, 2, "pdf")).empty());
    CHECK(value_of(store.history_after(update.id, 1, "doc")).empty());
    REQUIRE(store.set_undone(update.id, true));
    CHECK(value_of(store.history_entry(update.id))->undone);
    CHECK(store.set_undone(99, true).error().code == ErrorCode::not_found);
    CHECK(value_of(store.purge_history(1500)) == 1); // not the newest
    CHECK(value_of(store.history("", 10)) == std::vector{again, removal});
    // The newest stays, so that an id that people may have seen is not given again.
    CHECK(value_of(store.purge_history(9999)) == 1);
    CHECK(value_of(store.history("", 10)) == std::vector{again});
    CHECK(value_of(store.add_history(removal)) > again.id);
    CHECK(value_of(store.purge_history(9999)) == 1);
  }

  TEST_CASE("a history entry whose folders cannot be kept is not kept either") {
    Folder folder;
    SyncStore store = open(folder);
    HistoryRow twice{.skill = "a", .paths = {{"/same"}, {"/same"}}};
    CHECK_FALSE(store.add_history(twice));
    CHECK(value_of(store.history("", 10)).empty());
  }

  TEST_CASE("conflicts are open until they are resolved") {
    Folder folder;
    SyncStore store = open(folder);
    Id scope = scope_of(store);
    ConflictRow conflict{.scope = scope,
                         .skill = "pdf",
                         .kind = ConflictKind::content,
                         .time_ms = 5,
                         .reason = "both were edited",
                         .versions = {{sha256("z"), "/a/pdf", true},
                                      {sha256("a"), "/b/pdf", false, "/conflicts/x/abc"}}};
    conflict.id = value_of(store.add_conflict(conflict));
    ConflictRow held{.scope = scope, .skill = "doc", .kind = ConflictKind::deletion};
    held.id = value_of(store.add_conflict(held));
    CHECK(value_of(store.open_conflicts()) == std::vector{conflict, held});
    CHECK(value_of(store.open_conflicts("doc")) == std::vector{held});
    CHECK(value_of(store.find_conflict(scope, "pdf", ConflictKind::content)) == conflict);
    CHECK(value_of(store.find_conflict(scope, "pdf", ConflictKind::deletion)) == std::nullopt);
    conflict.versions.push_back({sha256("m"), "/c/pdf"});
    REQUIRE(store.update_conflict(conflict));
    CHECK(value_of(store.conflict(conflict.id)) == conflict);
    REQUIRE(store.resolve_conflict(conflict.id, 77));
    CHECK(value_of(store.open_conflicts()) == std::vector{held});
    CHECK(value_of(store.conflict(conflict.id))->resolved_ms == 77);
    CHECK(store.resolve_conflict(99, 1).error().code == ErrorCode::not_found);
  }

  TEST_CASE("conflicts that were resolved long ago go, and their numbers do not come back") {
    Folder folder;
    SyncStore store = open(folder);
    Id scope = scope_of(store);
    std::vector<Id> ids;
    for (const char* skill : {"open", "old", "young"}) {
      ids.push_back(value_of(store.add_conflict(
          {.scope = scope,
           .skill = skill,
           .versions = {{sha256("w"), "/a", true},
                        {sha256("l"), "/b", false, "/kept/" + std::string(skill)}}})));
    }
    REQUIRE(store.resolve_conflict(ids[2], 100));
    REQUIRE(store.resolve_conflict(ids[1], 99));
    std::map<std::string, std::optional<std::int64_t>> stored;
    auto visit = [&](std::string_view path, std::optional<std::int64_t> resolved_ms) {
      stored.emplace(path, resolved_ms);
    };
    REQUIRE(store.each_stored_version(visit));
    CHECK(stored
          == std::map<std::string, std::optional<std::int64_t>>{
              {"/kept/open", std::nullopt}, {"/kept/old", 99}, {"/kept/young", 100}});
    CHECK(value_of(store.purge_conflicts(100)) == 1);
    CHECK(value_of(store.conflict(ids[1])) == std::nullopt);
    CHECK(value_of(store.conflict(ids[0])).has_value());
    CHECK(value_of(store.conflict(ids[2])).has_value());
    stored.clear();
    REQUIRE(store.each_stored_version(visit));
    CHECK(stored.size() == 2);
    REQUIRE(store.resolve_conflict(ids[2], 1));
    CHECK(value_of(store.purge_conflicts(100)) == 1);
    CHECK(value_of(store.add_conflict({.scope = scope, .skill = "next"})) > ids[2]);
  }

  TEST_CASE("every version that something names is live, and old history lets go") {
    Folder folder;
    SyncStore store = open(folder);
    Id scope = scope_of(store);
    Id root = value_of(store.put_root({.scope = scope, .path = "/r"}));
    Id skill = value_of(
        store.put_skill({.scope = scope, .name = "a", .key = "a", .ancestor = sha256("ancestor")}));
    REQUIRE(
        store.set_replicas(skill, {{root, ReplicaKind::copy, std::nullopt, sha256("replica")}}));
    value_of(store.add_history({.time_ms = 100,
                                .skill = "a",
                                .before = sha256("before"),
                                .after = sha256("after"),
                                .paths = {{"/p", sha256("p before"), sha256("p after")}}}));
    Id conflict = value_of(store.add_conflict(
        {.scope = scope, .skill = "a", .time_ms = 1, .versions = {{sha256("loser")}}}));
    std::set<Digest> always{sha256("ancestor"), sha256("replica")};
    std::set<Digest> all = always;
    for (const char* name : {"before", "after", "p before", "p after", "loser"}) {
      all.insert(sha256(name));
    }
    CHECK(live(store, 100) == all);
    std::set<Digest> open_conflict = always;
    open_conflict.insert(sha256("loser"));
    CHECK(live(store, 101) == open_conflict);
    REQUIRE(store.resolve_conflict(conflict, 50));
    CHECK(live(store, 101) == always);
  }

  TEST_CASE("a word that this version does not know is damage, not a guess") {
    Folder folder;
    SyncStore store = open(folder);
    scope_of(store);
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open((folder / "sync.db").c_str(), &handle) == SQLITE_OK);
    CHECK(sqlite3_exec(handle, "UPDATE scopes SET policy='odd'", nullptr, nullptr, nullptr)
          == SQLITE_OK);
    sqlite3_close(handle);
    CHECK(store.scopes().error().code == ErrorCode::corrupt);
  }

  TEST_CASE("a database whose rows cannot be read is damaged as a whole, and told so at once") {
    Folder folder;
    {
      SyncStore store = open(folder);
      scope_of(store);
    }
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open((folder / "sync.db").c_str(), &handle) == SQLITE_OK);
    const char* sql = "INSERT INTO skills (scope, name, key, state, replicas, tree)"
                      " SELECT id, 'a', 'a', 'in_sync', x'FFFFFF', x'' FROM scopes";
    CHECK(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(handle);
    auto opened = SyncStore::open(folder / "sync.db");
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::corrupt);
  }

  TEST_CASE("what came later of one skill is found without reading the log of all others") {
    Folder folder;
    SyncStore store = open(folder);
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open((folder / "sync.db").c_str(), &handle) == SQLITE_OK);
    const char* sql = "EXPLAIN QUERY PLAN SELECT paths FROM history"
                      " WHERE id > 1 AND scope = 1 AND skill = 'pdf' ORDER BY id";
    std::string plan;
    auto add = [](void* all, int count, char** columns, char**) {
      *static_cast<std::string*>(all) += std::string(columns[count - 1]) + "\n";
      return 0;
    };
    CHECK(sqlite3_exec(handle, sql, add, &plan, nullptr) == SQLITE_OK);
    sqlite3_close(handle);
    CHECK(plan.find("(scope=? AND skill=? AND rowid>?)") != std::string::npos);
    CHECK(plan.find("TEMP B-TREE") == std::string::npos);
  }

  // Frozen: what version 1 wrote must be read for ever. Never change it, add the next one.
  TEST_CASE("a database of version 1 is read") {
    Folder folder;
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open((folder / "sync.db").c_str(), &handle) == SQLITE_OK);
    const char* sql = R"sql(
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE scopes (id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE,
  enabled INTEGER NOT NULL, policy TEXT NOT NULL, settings TEXT NOT NULL) STRICT;
CREATE TABLE roots (id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE, path TEXT NOT NULL,
  device INTEGER NOT NULL, inode INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL,
  priority INTEGER NOT NULL, skill_count INTEGER NOT NULL, UNIQUE (scope, path)) STRICT;
CREATE TABLE skills (id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE, name TEXT NOT NULL,
  key TEXT NOT NULL, ancestor BLOB, state TEXT NOT NULL,
  replicas BLOB NOT NULL, tree BLOB NOT NULL, UNIQUE (scope, key)) STRICT;
INSERT INTO settings VALUES ('policy', '"cover"');
INSERT INTO scopes VALUES (1, 'user', 1, 'cover', '{}');
INSERT INTO roots VALUES (4, 1, '/home/a/.agents/skills', 2049, 77, 'ok', '', 0, 3);
INSERT INTO skills VALUES (5, 1, 'pdf', 'pdf', zeroblob(32), 'in_sync',
  CAST('4' || x'00' || 'copy' || x'00' || hex(zeroblob(16)) || x'00' || hex(zeroblob(32)) || x'00'
  AS BLOB), x'0100');
PRAGMA user_version=1;)sql";
    REQUIRE(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(handle);
    SyncStore store = open(folder);
    CHECK(value_of(store.setting("policy")) == "\"cover\"");
    CHECK(value_of(store.roots())
          == std::vector{RootRow{.id = 4,
                                 .scope = 1,
                                 .path = "/home/a/.agents/skills",
                                 .device = 2049,
                                 .inode = 77,
                                 .skill_count = 3}});
    CHECK(value_of(store.find_skill(1, "pdf"))
          == SkillRow{5,
                      1,
                      "pdf",
                      "pdf",
                      Digest(),
                      std::string("\1\0", 2),
                      "in_sync",
                      {{4, ReplicaKind::copy, Fingerprint(), Digest()}}});
  }

  TEST_CASE("keeps the folders that an order makes in their sequence until they are removed") {
    Folder folder;
    SyncStore store = open(folder);
    REQUIRE(store.add_made_folders({"/b", "/b/a"}));
    REQUIRE(store.add_made_folders({"/a", "/b"}));
    CHECK(value_of(store.made_folders()) == std::vector<std::string>{"/b", "/b/a", "/a"});
    REQUIRE(store.remove_made_folders({"/b/a", "/c"}));
    CHECK(value_of(store.made_folders()) == std::vector<std::string>{"/b", "/a"});
  }

  TEST_CASE("keeps the intents of an order in their sequence until they are removed") {
    Folder folder;
    const Digest hash = sha256("a");
    IntentRow copy{.scope = 1, .skill = "pdf", .root = "/a", .before = hash, .after = sha256("b")};
    IntentRow link{.scope = 1, .skill = "pdf", .root = "/b", .link_after = "../a/pdf"};
    {
      SyncStore store = open(folder);
      REQUIRE(store.add_intents({copy}));
      REQUIRE(store.add_intents({link}));
    }
    SyncStore store = open(folder);
    CHECK(value_of(store.intents()) == std::vector{copy, link});
    REQUIRE(store.remove_intents());
    CHECK(value_of(store.intents()).empty());
  }

  TEST_CASE("counts versions that are pinned as in use until others are") {
    Folder folder;
    SyncStore store = open(folder);
    REQUIRE(store.set_pins({sha256("a"), sha256("b")}));
    CHECK(live(store, 0) == std::set{sha256("a"), sha256("b")});
    REQUIRE(store.set_pins({sha256("b")}));
    CHECK(live(store, 0) == std::set{sha256("b")});
  }
}
