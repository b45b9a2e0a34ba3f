#pragma once
#include "daemon/install/candidate.h"
#include "daemon/install/install_call.h"
#include "daemon/install/plans.h"
#include "daemon/install/write_down.h"
#include "daemon/sync/scene.h"
#include "protocol/types/update.h"
#include "skills/install/record.h"
#include "skills/sync/placement.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

// What an update knows, step by step.
namespace upskill::daemon {

// A skill that was installed, and what its source has now.
struct Tracked {
  install::InstallRow row = {};
  std::optional<install::LockEntry> lock = {}; // `npx skills` has installed it, and not we
  bool has_base = true;                        // what was installed is known
  std::optional<Digest> mine = {};             // what lies here
  std::shared_ptr<fetch::Offer> offer = {};
  std::size_t index = 0;                // in the offer
  std::optional<Candidate> theirs = {}; // where the source has another version
  bool is_known = false;                // its row says more than before, and is to be written
  UpdatedSkill told = {};

  const fetch::Offered& offered() const { return offer->skills[index]; }

  // Whether nothing more is to be found out about it.
  bool is_settled = false;

  void settle(UpdateState state, std::string reason = {}, std::string hint = {}) {
    told.state = state;
    told.reason = std::move(reason);
    told.hint = std::move(hint);
    is_settled = true;
  }
};

struct UpdateWork {
  UpdateParams params;
  InstallCall call;
  std::shared_ptr<const Scene> scene = {};
  Allowances allowances = {};
  PlanContent plan = {};
  std::vector<std::string> scopes = {}; // projects; empty: the user's
  RecordNow record = {};
  std::vector<Tracked> skills = {};
  // (project, skill) with an open one.
  std::set<std::pair<std::string, std::string>> in_conflict = {};
  std::map<std::string, std::vector<std::size_t>> sources = {}; // places in `skills`, by key
  std::vector<std::string> waiting = {};                        // keys that nobody looks at yet
  Offers offers = {};
  UpdateResult result = {};

  bool changes_nothing() const { return params.check || params.dry_run; }
};

// The skills that are meant, of the record and the lock files. Blocks. Errors: not_found for a name
// of none; of the files.
Result<void> gather(UpdateWork& work, const InstallFiles& files);

// Whether what lies here is what `npx skills` has installed. Blocks.
void find_base(Tracked& skill, const Scene& scene);

// What the source has of it, as far as that can be told without its files. Whether its files are
// needed.
bool needs_files(UpdateWork& work, Tracked& skill);

// Whether what the source has is something new. Blocks.
bool is_new(Tracked& skill);

// Judges the version that is new. `base`: the files that were installed, where they are known.
void judge(UpdateWork& work, Tracked& skill, const std::optional<sync::NewFiles>& base);

// The versions that are shown of a dry run.
std::map<std::string, Digest> shown_of(const UpdateWork& work);

// The order for one scope, and whose it is: places in `skills`.
struct UpdateOrder {
  sync::PlaceOrder order = {};
  std::vector<std::size_t> places = {};
};

UpdateOrder order_of(const UpdateWork& work, const std::string& scope);

// Says what became of it, and what is to be known of it from now on.
void tell(Tracked& skill, const sync::Placed& placed, TakeSide take, std::int64_t now_ms);

// What is to be written down of all of them.
ToWrite to_write(const UpdateWork& work);

// Orders, counts and leaves out what nobody asked for.
void finish(UpdateWork& work);

} // namespace upskill::daemon
