#pragma once
#include "protocol/types/describe.h"
#include "protocol/types/skills.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::agents {

// A place that depends on the user: the first of the patterns whose folder exists (else the first
// that has a meaning), then `then` below it. A pattern is one of
//   `~/x`                   below HOME
//   `$XDG_CONFIG_HOME/x`    below the XDG configuration folder, `~/.config` unless told
//   `$NAME/x`               below an environment variable; no place at all where it is not set
//   `${NAME:-~/y}/x`        the same with a folder that stands in
//   `/x`                    absolute
//   `x`                     below the project; only in a project's lists
//   `./x`                   the same, in the list of what an agent is detected by
struct PlacePattern {
  std::vector<std::string> first_of;
  std::string then = {};

  friend bool operator==(const PlacePattern&, const PlacePattern&) = default;
};

// The folders of one scope that have to do with one agent.
struct ScopeFolders {
  std::vector<PlacePattern> reads = {};  // in its loader's order
  PlacePattern writes = {};              // one of `reads`; none where `reads` is empty
  std::vector<PlacePattern> legacy = {}; // it may read these; kept in sync, no copy goes there
  std::vector<PlacePattern> administered = {}; // it reads these; an administrator's, never touched
};

// What an agent is detected by: a path, or a path and a dependency in the project's package.json.
struct Sign {
  std::string pattern;
  std::string dependency = {};
};

enum class KnownBy { nothing, reported, docs, source };
enum class FollowsLinks { unknown, yes, no };

// Which two copies an agent takes for one: those with one canonical path, those with one device and
// inode, those with one name.
enum class DedupesBy { none, path, inode, name };

// Which of several copies of one name it shows.
enum class SameName { all, first, last };

// When it has to be started again to see a new skill; `new_root` says only where the folder of
// skills itself is new.
enum class RestartNeeded { unknown, no, new_root };

inline constexpr int k_any_depth = 0;

// How an agent's loader behaves. What is not known is as here (decisions: unknown loader
// behaviour): its own folders, no links, nothing taken for the same.
struct Loader {
  KnownBy known_by = KnownBy::nothing;
  FollowsLinks follows_links = FollowsLinks::unknown;
  DedupesBy dedupes_by = DedupesBy::none;
  SameName same_name = SameName::all;
  int depth = 1; // how deep below a root a skill's folder may lie; k_any_depth is without bound
  RestartNeeded restart_needed = RestartNeeded::unknown;
  std::string reload = {}; // what a person types there to have skills read again
};

// Where an agent keeps what was said and done, one file for each session (facts: traces.md, 1).
struct SessionPlace {
  std::string folder;                  // a pattern
  std::vector<std::string> names = {}; // of files, each with one `*` at most: `rollout-*.jsonl`
  std::string below = {}; // only files that have a folder of this name on their way; empty: all
  int depth = 1;          // folders between `folder` and a file, at most
  // How the name goes on of a file beside a session, which its agent writes first: `-wal` of
  // SQLite. A change of it is one of the session. Empty: there is none.
  std::string journal = {};
};

// One coding agent: a row of agents.json (facts: agents.md, sections 1 to 3).
struct Agent {
  std::string id;
  std::string title;
  ScopeFolders user = {};
  ScopeFolders project = {};
  bool ancestors = false; // also reads the project folders of the folders above
  bool nested = false;    // also reads those of the folders below
  std::vector<Sign> signs = {};
  std::vector<std::string> programs = {}; // names on PATH that give it away
  Loader loader = {};
  std::vector<SessionPlace> sessions = {};
  std::vector<std::string> never_touch = {}; // names in its skill folders that are its own business
  std::string notes = {};
};

} // namespace upskill::agents

namespace upskill {

template <> struct EnumNames<agents::KnownBy> {
  static constexpr std::array<std::string_view, 4> names{"nothing", "reported", "docs", "source"};
};

template <> struct EnumNames<agents::FollowsLinks> {
  static constexpr std::array<std::string_view, 3> names{"unknown", "yes", "no"};
};

template <> struct EnumNames<agents::DedupesBy> {
  static constexpr std::array<std::string_view, 4> names{"none", "path", "inode", "name"};
};

template <> struct EnumNames<agents::SameName> {
  static constexpr std::array<std::string_view, 3> names{"all", "first", "last"};
};

template <> struct EnumNames<agents::RestartNeeded> {
  static constexpr std::array<std::string_view, 3> names{"unknown", "no", "new_root"};
};

} // namespace upskill
