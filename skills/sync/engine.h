#pragma once
#include "protocol/base/result.h"
#include "protocol/types/sync.h"
#include "skills/sync/filesystem.h"
#include "skills/sync/guard.h"
#include "skills/sync/placement.h"
#include "skills/sync/scan.h"
#include "skills/sync/setup.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace upskill::sync {

// The time of a call: the engine has no clock.
struct Moment {
  std::int64_t wall_ms = 0;   // Unix time; for history and for judging file times
  std::int64_t steady_ms = 0; // for grace periods; any origin, never goes back
};

// Does task(0) to task(count - 1), each once, on any threads, those of smaller numbers begun first,
// and returns when all are done.
using Together =
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

struct EngineOptions {
  std::string database; // path of sync.db
  std::string objects;  // folders, made when needed
  std::string trash;
  std::string conflicts;
  // Of the running system; another one than last time means that what was not on the disk is lost.
  std::string boot_id = {};
  std::int64_t grace_ms = 2'000;   // before a deletion is carried out
  std::int64_t quiet_ms = 200;     // of a copy whose change nobody has told of
  std::int64_t linger_ms = 60'000; // that a displaced folder stays
  GuardLimits guard = {};
  Together together = {}; // none: one after the other, on the thread of the call
};

// A skill of which something was seen to change.
struct Touched {
  std::string root; // as in RootSetup::path
  std::string skill;
  std::uint64_t order = 0; // larger is later
};

// How many skills of how many known so far were looked at. Called while the engine works, on its
// thread; both only grow.
using Progress = std::function<void(std::size_t done, std::size_t of)>;

struct Work {
  bool everything = false;
  std::vector<Touched> touched = {};
  std::string only_skill = {}; // with `everything`: only this one
  // With `only_skill`: the number of a scope that is looked at although it is not synchronised,
  // because a person asks for something there.
  std::int64_t asked_in = 0;
  bool dry_run = false; // decide, and change nothing
  Moment now = {};
  Progress progress = {}; // none: nobody asked
};

struct Round {
  std::vector<SyncStep> steps = {};
  std::vector<std::string> warnings = {};
  std::int64_t in_sync = 0;                     // skills that needed nothing
  std::vector<LeftOut> left_out = {};           // of a look at everything: what has a problem
  std::optional<std::int64_t> again_at_ms = {}; // steady time at which to run again
  std::vector<Touched> again = {};              // what to look at then
  // The same for what failed or is held by others, and may be so for long: nobody waits for it.
  std::optional<std::int64_t> retry_at_ms = {};
  std::optional<std::int64_t> settles = {}; // the conflict that a person meant
};

struct Tidied {
  std::optional<std::int64_t> again_at_ms = {}; // steady time at which there is more to do
  std::vector<std::string> warnings = {};       // what somebody should know of
};

// A conflict or a held deletion that waits for a person, without what its versions hold.
struct OpenConflict {
  std::int64_t id = 0;
  std::string skill = {};
  // Where it is: a project's path, empty for the user's scope. Nothing: not configured any more.
  std::optional<std::string> project = {};
  std::vector<std::string> paths = {}; // by which its versions may be named
};

enum class HaltedRoots { leave, accept };

// What a round would do with another setup.
struct Rehearsal {
  SyncStatusResult status = {};
  Round round = {};
};

// How the database was found when it was opened.
enum class OpenedState { fresh, known, damaged };

// The status without its skills, and how many there are: no text is made for each of them, so that
// it can be had after every round.
struct SyncOverview {
  SyncStatusResult status = {};
  std::int64_t skills = 0;
};

// Keeps the copies of skills in agreement. Everything that touches the user's folders and the
// store happens inside its calls, which block; state lives in memory between them.
// Owner: the sync service. Thread: one call at a time, any thread. Lifetime: the service's.
class Engine {
public:
  static Result<Engine> open(EngineOptions options, Filesystem& files, Moment now);
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  OpenedState opened() const;

  // Sets who takes part and where. Roots and copies that are known stay known by their path.
  // Sentences about what had to be put right are returned.
  Result<std::vector<std::string>> configure(std::vector<ScopeSetup> scopes, Moment now);
  const std::vector<ScopeSetup>& setup() const;

  // Looks at skills and brings their copies into agreement. An error means that nothing could be
  // done at all (invalid_argument: `only_skill` is no skill's name); what concerns one skill or one
  // root is a warning, and the rest goes on.
  Result<Round> run(const Work& work);

  // What configure(), accept_roots() where that is asked for, and a round over everything would do
  // then. Nothing of it stays, in memory, in the store or in a folder.
  Result<Rehearsal> rehearse(std::vector<ScopeSetup> scopes, HaltedRoots halted, Moment now);

  // Lets roots that are halted or replaced take part again as they are: what was agreed there is
  // forgotten, so nothing missing there counts as deleted. Roots that are refused stay out, and are
  // not missed any more.
  Result<void> accept_roots();

  SyncStatusResult status(std::string_view skill = {}) const;
  SyncOverview overview() const;
  Result<SyncLogResult> log(const SyncLogParams& params) const;
  Result<SyncConflictsResult> conflicts(const SyncConflictsParams& params) const;
  // The same in brief, which reads no version.
  Result<std::vector<OpenConflict>> open_conflicts() const;
  // Both look at the skill first. What that look did, or another part of what was asked for, is in
  // `done` where the call fails afterwards.
  Result<Round>
  undo(const SyncUndoParams& params, Moment now, std::optional<Round>* done = nullptr);
  Result<Round>
  resolve(const ConflictResolveParams& params, Moment now, std::optional<Round>* done = nullptr);

  // Places skills in the folders that must hold them for their agents to see them, or takes them
  // away, also in a scope that is not synchronised. All of an order or none of it: on an error, and
  // after a crash in between (at the next configure()), the folders are as they were. Each placed
  // skill is an entry of the log that can be undone. Errors: invalid_argument (a name, an agent, a
  // scope that is not configured, a version that is no skill), refused (a root that is halted or
  // held), already_exists, changed (somebody writes to it), no_space, io, permission; of
  // take_away() not_found, and refused where an agent that is not named would not see it any more.
  // In the order's sequence. `done`: what else is to be told, also where the call fails.
  Result<std::vector<Placed>>
  place(const PlaceOrder& order, Moment now, const Progress& progress = {}, Round* done = nullptr);
  Result<std::vector<TakenAway>>
  take_away(const TakeAwayOrder& order, Moment now, Round* done = nullptr);
  // What lies there of these skills now, in the order of the names: nothing where there is none. Of
  // copies that differ it is the newest. Writes to no folder. invalid_argument: a scope that is not
  // configured.
  Result<std::vector<std::optional<Digest>>>
  look_at(const std::string& project, const std::vector<std::string>& skills, Moment now);
  // What the store has of a skill, the oldest first; a version that came back is there twice.
  Result<std::vector<KeptVersion>> versions(const std::string& project,
                                            const std::string& skill) const;
  // The files of a version that is kept. Errors: not_found, corrupt.
  Result<NewFiles> files_of(const Digest& version) const;
  // Versions that tidy() keeps whatever their age, in place of those that were said before. On
  // record, so that they are kept after a restart before anybody says so again.
  Result<void> pin(const std::set<Digest>& versions);

  // What was written survives power loss when this returns. Rounds leave it to be called a moment
  // later, because a disk takes milliseconds for it.
  Result<void> make_durable();

  // Deletes displaced folders and old history, trash and objects whose time is over. What somebody
  // wrote to a displaced folder is kept first, as a conflict.
  Result<Tidied> tidy(Moment now);

  struct State;

private:
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

} // namespace upskill::sync
