#pragma once
#include "skills/sync/engine_state.h"
#include "skills/sync/merge.h"
#include "skills/sync/order.h"
#include "skills/sync/pending.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace upskill::sync {

// Entries of the log that are undone by what is done now, or in force again.
using UndoneMarks = std::vector<std::pair<store::Id, bool>>;

// What putting a version in place means beside that.
struct PutEffects {
  store::Id settles = 0; // a conflict of the skill
  std::optional<store::ConflictRow> reopens = {};
  std::vector<RootIndex> readmits = {}; // may get copies again that an undo withdrew
  std::vector<RootIndex> links = {};    // get links again, where there was one
  UndoneMarks marks = {};
  bool must_write = false; // else it is refused, as what was undone has come back by itself
};

// What taking copies away means beside that.
struct WithdrawEffects {
  UndoneMarks marks = {};
  bool may_take_last = false; // even where no other copy can be seen
  bool may_return = false;    // they stood in for others: nobody said that none is to be there
};

// Until when no copy is made in a root.
enum class Excluded : std::uint8_t { until_edited, for_good };

// What became of an edit that came too late.
enum class LateEdit : std::uint8_t {
  conflict,   // there is a conflict now that says so
  known,      // it is what all have, or an open conflict says so already
  of_no_skill // there is no skill any more that it could be a version of
};

// One pass over some or all skills of all scopes: look, decide, stage, swap, record. Errors of one
// skill or root become warnings; the rest goes on.
// Owner: one call of the engine. Thread: that call's.
class RoundRun {
public:
  RoundRun(Engine::State& state, const Work& work)
      : m_state(state)
      , m_work(work) {}

  Result<Round> run();

  // What was done and is to be told, also where a call failed.
  Round take_round() { return std::move(m_round); }

  // For what a person asks (undo, resolve): brings one skill into agreement, then writes this kept
  // version to every copy and to `roots`.
  Result<void> put(Scope& scope,
                   const std::string& name,
                   const Digest& content,
                   const std::vector<RootIndex>& roots,
                   const std::string& reason,
                   PutEffects effects = {});
  // Takes copies and links away: they are not made again before somebody edits the skill. Where
  // none is left, it is forgotten.
  Result<void> withdraw(Scope& scope,
                        const std::string& name,
                        const std::vector<RootIndex>& roots,
                        const std::string& reason,
                        const WithdrawEffects& effects);
  // For what a person asks beside sync: all of the order, or nothing of it (Engine).
  Result<std::vector<Placed>> place(Scope& scope, const PlaceOrder& order);
  Result<std::vector<TakenAway>> take_away(Scope& scope, const TakeAwayOrder& order);
  // Keeps what somebody wrote to a folder after it had been replaced, as the losing version of a
  // conflict.
  Result<LateEdit> keep_late(Scope& scope, const Lingering& replaced, const ReadResult& late);

private:
  // round_roots.cpp
  void open_roots(Scope& scope);
  void wait_for_root(Scope& scope, RootIndex root);
  void judge_alone(Scope& scope, RootIndex root, const RootProbe& probe);
  void forget_root(Scope& scope, RootIndex root);
  void close_roots(Scope& scope);
  bool catches_up(const Scope& scope) const;

  // round.cpp
  void count_considered();
  std::vector<std::string> names_of(Scope& scope, bool all);
  bool is_ignored(const Scope& scope, const std::string& name) const;
  void consider(Scope& scope, const std::string& name);
  void forget_orders(Scope& scope, const std::string& name);
  void look_and_decide(Scope& scope, const std::string& name);
  bool is_workspace(Scope& scope, const std::string& name) const;
  bool is_settled(Scope& scope, const std::string& name, Skill& skill);
  void decide(Scope& scope, const std::string& name, Skill& skill, Sight& sight);

  // round_look.cpp
  Sight look(Scope& scope, const std::string& name, const Skill* skill);
  bool leads_to_copy(const Scope& scope,
                     const std::string& name,
                     RootIndex root,
                     const std::string& target) const;
  void look_at_link(Scope& scope, const std::string& name, RootIndex root, Sight& sight);
  ReadResult
  look_into(Scope& scope, const std::string& name, RootIndex root, const Replica* known) const;
  bool has_git(const Scope& scope,
               const std::string& name,
               RootIndex root,
               const ReadResult& read,
               bool only_looked_at) const;
  void
  keep_read(Scope& scope, const std::string& name, RootIndex root, ReadResult read, Sight& sight);
  std::size_t present_in(const Scope& scope, RootIndex root, std::size_t enough) const;
  bool is_root_emptied(Scope& scope, RootIndex root);
  bool is_still_emptied(Scope& scope, RootIndex root);
  void halt_emptied(Scope& scope, RootIndex root, std::size_t missing);
  void forget_link(Scope& scope, Skill& skill, const Sight& sight, RootIndex root);
  void forget_left_alone(Scope& scope, Skill& skill);
  void forget_missing(Scope& scope, Skill& skill, Sight& sight);
  void record_look(const Scope& scope, const Skill& skill);
  void remember(Scope& scope, Skill& skill, const Sight& sight);

  // round_put.cpp
  Result<void> withdraw_from(Scope& scope,
                             const std::string& name,
                             const std::vector<RootIndex>& roots,
                             const std::string& reason,
                             const WithdrawEffects& effects);
  std::string
  why_it_stays(const Scope& scope, const Skill& skill, const Sight& sight, RootIndex root) const;
  void set_withdrawn(Scope& scope, Skill& skill, RootIndex root);
  bool take_away(Scope& scope,
                 const std::string& name,
                 Sight& sight,
                 RootIndex root,
                 store::HistoryRow& history);
  void exclude_for_readers(Scope& scope,
                           Skill& skill,
                           const Sight& sight,
                           const std::vector<RootIndex>& roots,
                           Excluded how_long,
                           store::HistoryRow& history);
  Result<void> record_withdrawal(Scope& scope,
                                 const std::string& name,
                                 const Sight& sight,
                                 bool nothing_left,
                                 store::HistoryRow& history,
                                 const UndoneMarks& marks);
  Result<void> record_marks();

  // round_write.cpp
  void spread(Scope& scope,
              const std::string& name,
              Skill& skill,
              Sight& sight,
              PendingSkill& pending, // its tree must stay where it is until the call returns
              const EntryBytes& bytes_of);
  void stage_update(Scope& scope,
                    const std::string& name,
                    Sight& sight,
                    RootIndex root,
                    PendingSkill& pending,
                    const EntryBytes& bytes_of);
  void stage_new(Scope& scope,
                 const std::string& name,
                 Sight& sight,
                 RootIndex root,
                 PendingSkill& pending,
                 const EntryBytes& bytes_of);
  void follow_modes(const Scope& scope,
                    const std::string& name,
                    const Sight& sight,
                    RootIndex root,
                    const Tree& tree,
                    CopyModes& modes) const;
  CopyModes
  modes_of_new(const Scope& scope, const Sight& sight, RootIndex root, PendingSkill& pending) const;
  std::string twin_of(Scope& scope, const std::string& name, RootIndex index);
  std::string link_target(Scope& scope,
                          const std::string& name,
                          const Sight& sight,
                          RootIndex root,
                          std::optional<RootIndex> original);
  void write_failed(Scope& scope, PendingSkill& pending, RootIndex root, const Error& error);
  void finish(Skill& skill, PendingSkill pending);
  std::optional<Error>
  keep_object(Scope& scope, const std::string& name, Sight& sight, RootIndex root);
  Result<void> keep_tree(const Tree& tree, const EntryBytes& bytes_of);
  Result<void> keep_files(const Tree& tree, const NewFiles& files) const;
  EntryBytes bytes_from(Scope& scope, const std::string& name, Sight& sight, const Tree& tree);

  // round_merge.cpp
  EntryBytes bytes_of_merge(Scope& scope,
                            const std::string& name,
                            const Skill& skill,
                            Sight& sight,
                            const Tree& tree,
                            std::vector<MergedFile>& files);
  void merge_or_conflict(
      Scope& scope, const std::string& name, Skill& skill, Sight& sight, const Decision& decision);
  Result<Tree> tree_of(const Sight& sight, const Digest& hash) const;
  Result<Tree> agreed_tree(const Skill& skill) const;
  Result<std::optional<MergeResult>> try_merge(Scope& scope,
                                               const std::string& name,
                                               const Skill& skill,
                                               Sight& sight,
                                               const Decision& decision);

  Result<std::optional<store::ConflictRow>> keep_losers(Scope& scope,
                                                        const std::string& name,
                                                        const Decision& decision,
                                                        const std::string& reason);

  // round_commit.cpp
  void flush(Scope& scope);
  Result<void> open_conflicts(Scope& scope, std::vector<PendingSkill>& batch);
  void swap_in(Scope& scope, PendingSkill& pending, store::HistoryRow& history);
  Result<void> record(Scope& scope, PendingSkill& pending, store::HistoryRow& history);
  Result<void> settle_conflict(Scope& scope, PendingSkill& pending);
  Result<store::Id> batch();

  // round_delete.cpp
  void note_deletion(Scope& scope, const std::string& name);
  void carry_out_deletions(Scope& scope);
  void carry_out(Scope& scope, const std::string& name, const std::string& renamed);
  void
  hold(Scope& scope, const std::string& name, PendingDeletion& deletion, const std::string& why);
  bool take_out(Scope& scope,
                const std::string& name,
                Sight& sight,
                RootIndex root,
                store::HistoryRow& history);
  Result<void> record_removal(Scope& scope,
                              const std::string& name,
                              const Sight& sight,
                              store::HistoryRow& history);
  std::string renamed_to(const Scope& scope, const Skill& skill) const;
  Result<void> take_conflict_along(Scope& scope, const std::string& from, const std::string& to);
  void forget_deletion(Scope& scope, const std::string& name);

  // round_ahead.cpp
  Result<void>
  prepare_all(Scope& scope, const PlaceOrder& words, Order& order, std::vector<Placed>& placed);
  Result<void> write_behind(const Unwritten& skill) const;
  Result<StagedCopy> stage_copy(const std::string& root,
                                const PendingSkill& pending,
                                const CopyModes& modes,
                                const EntryBytes& bytes_of);

  // round_place.cpp
  Result<Placed> prepare(Scope& scope, const Placement& placement, Incoming incoming, Order& order);
  Result<Sight> look_for_order(Scope& scope, Skill& skill, Order& order);
  Result<std::optional<Mine>>
  mine_of(Scope& scope, const std::string& name, const Skill& skill, Sight& sight);
  // `incoming` must outlive the choice.
  Result<Chosen> choose(Scope& scope,
                        const Placement& placement,
                        const Skill& skill,
                        Sight& sight,
                        const std::optional<Mine>& mine,
                        const Incoming& incoming);
  Result<MergeResult> merge_placed(const Digest& base,
                                   const Tree& mine,
                                   const EntryBytes& bytes_of_mine,
                                   const Incoming& incoming);

  // round_place_keep.cpp
  Result<void>
  keep_mine(Scope& scope, const std::string& name, const Skill& skill, Sight& sight, Mine& mine);
  Result<void> keep_losers_of(Scope& scope,
                              const Placement& placement,
                              const Mine& mine,
                              const Chosen& choice,
                              const Incoming& incoming,
                              PendingSkill& pending,
                              Order& order);

  // round_place_roots.cpp
  Result<RootSet> roots_for(Scope& scope,
                            const Skill& skill,
                            const Sight& sight,
                            const Placement& placement,
                            bool is_edit,
                            Order& order);
  Result<void> check_place(const Scope& scope,
                           const std::string& name,
                           const Sight& sight,
                           RootIndex root,
                           const Digest& hash,
                           bool is_wanted) const;
  std::optional<Error> what_is_in_the_way(Scope& scope,
                                          const std::string& name,
                                          const Sight& sight,
                                          const RootSet& hold);
  Result<void> stage_order(Scope& scope,
                           const std::string& name,
                           Sight& sight,
                           PendingSkill& pending,
                           const EntryBytes& bytes_of,
                           const RootSet& hold);
  Result<void> check_writable(const Scope& scope, RootIndex root, Presence presence);
  Result<void> stage_one(Scope& scope,
                         Sight& sight,
                         RootIndex root,
                         PendingSkill& pending,
                         const EntryBytes& bytes_of);

  // round_take.cpp
  Result<TakenAway>
  prepare_to_go(Scope& scope, const std::string& name, const TakeAwayOrder& words, Order& order);
  Result<void> choose_going(Scope& scope, const Sight& sight, Going& going, TakenAway& taken);
  Result<void> narrow(Scope& scope,
                      const Skill& skill,
                      Sight& sight,
                      const TakeAwayOrder& words,
                      Going& going,
                      PendingSkill& stand_ins);
  Result<void> take_out_all(Scope& scope, Going& going);
  void swap_in_stand_ins(Scope& scope, Going& going);
  Result<void> record_taken(Scope& scope, Going& going);
  void throw_away(Scope& scope, Going& going);

  // round_order.cpp
  void take_back_earlier();
  Result<void> carry_out(Scope& scope, Order& order);
  Result<void> carry_out_once(Scope& scope, Order& order);
  void give_up(Order& order);
  Result<void> note_missing(const std::string& folder);

  void step(SyncAction action,
            const std::string& skill,
            const std::string& path,
            const std::string& from = {},
            const std::optional<Digest>& hash = {},
            const std::string& reason = {});
  void warn(const Error& error);

  template <class T> void warn_if(const Result<T>& result) {
    if (!result) {
      warn(result.error());
    }
  }

  void note(Scope& scope, const std::string& name, const std::string& text);
  void again(Scope& scope, const std::string& name, std::int64_t at_ms);
  void try_later(Scope& scope, const std::string& name);
  void retry_at(std::int64_t at_ms);

  Engine::State& m_state;
  const Work& m_work;
  Round m_round = {};
  std::vector<PendingSkill> m_pending = {};
  std::uint64_t m_pending_bytes = 0;
  std::size_t m_considered = 0; // skills
  std::size_t m_known = 0;      // of so many, in the scopes that were opened
  store::Id m_batch = 0;
  std::optional<Error> m_unrecorded = {}; // why the last batch was not recorded
  std::optional<Error> m_failure = {};    // the first reason why a copy could not be written
  Order* m_order = nullptr;               // that is being prepared
  Unwritten* m_behind = nullptr;          // whose copies are only to be made folders for
  UndoneMarks m_marks = {};               // recorded with the next entry of the log
  // Skills with looks that may be trusted next time; recorded together at the end of a batch.
  std::set<SkillIndex> m_fingerprints = {};
};

} // namespace upskill::sync
