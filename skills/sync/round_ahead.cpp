// What is ordered is read ahead of the decision and written behind it. Only decisions depend on one
// another; so while some skills are decided, by one thread, others may read those that come next
// and write those that came before.
#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"
#include "skills/sync/round.h"

#include <algorithm>
#include <map>
#include <utility>

namespace upskill::sync {
namespace {

// Of one step; three steps of them are in memory at most.
constexpr std::size_t k_most_skills = 32;
constexpr std::int64_t k_most_bytes = std::int64_t{16} << 20;

struct Piece {
  std::size_t from = 0;
  std::size_t to = 0;

  std::size_t size() const { return to - from; }
};

std::vector<Piece> pieces_of(const std::vector<Placement>& skills) {
  std::vector<Piece> pieces;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < skills.size(); ++i) {
    const bool is_full =
        !pieces.empty()
        && (pieces.back().size() == k_most_skills || bytes + skills[i].bytes > k_most_bytes);
    if (pieces.empty() || is_full) {
      pieces.push_back({i, i});
      bytes = 0;
    }
    pieces.back().to = i + 1;
    bytes += skills[i].bytes;
  }
  return pieces;
}

// What could lie in one folder and not in another: sync would leave it alone.
Result<void> check_paths(const Tree& tree) {
  std::map<std::string, std::string> known; // by what file systems may take for the name
  for (const Entry& entry : tree.entries()) {
    if (std::ranges::count(entry.path, '/') >= static_cast<std::ptrdiff_t>(k_max_skill_depth)) {
      return fail(ErrorCode::too_large, in_backticks(entry.path) + " lies too deep");
    }
    auto [at, is_new] = known.emplace(library::folded_key(entry.path), entry.path);
    if (!is_new) {
      return fail(ErrorCode::invalid_argument,
                  in_backticks(at->second) + " and " + in_backticks(entry.path)
                      + " are one name on some file systems");
    }
  }
  return {};
}

Result<Incoming> incoming_of(const Placement& placement, const store::Objects& objects) {
  Incoming incoming;
  if (placement.kept) {
    TRY_ASSIGN(incoming.tree, tree_of_object(objects, *placement.kept));
    return incoming;
  }
  TRY_ASSIGN(incoming.files, placement.content());
  TRY_ASSIGN(incoming.tree, tree_of(*incoming.files));
  TRY(check_paths(incoming.tree));
  return incoming;
}

using Incomings = std::vector<std::optional<Result<Incoming>>>;

void one_after_the_other(std::size_t count, const std::function<void(std::size_t)>& task) {
  for (std::size_t i = 0; i < count; ++i) {
    task(i);
  }
}

} // namespace

// Checked against the digest, as EntryBytes are: the files were hashed for the tree.
EntryBytes bytes_of_files(const NewFiles& files, const Tree& tree) {
  return [&files, &tree](std::size_t index) -> Result<std::string> {
    return files.find(tree.entries()[index].path)->second.bytes;
  };
}

// In step n the skills of piece n are read, those of the piece before are decided, and those of the
// one before that are written. What fails first in the order's sequence is what is told.
Result<void> RoundRun::prepare_all(Scope& scope,
                                   const PlaceOrder& words,
                                   Order& order,
                                   std::vector<Placed>& placed) {
  const Together together =
      m_state.options.together ? m_state.options.together : Together(one_after_the_other);
  const std::vector<Piece> pieces = pieces_of(words.skills);
  Incomings incomings; // of the piece that is decided
  auto decide = [&]() -> Result<void> {
    for (std::optional<Result<Incoming>>& incoming : incomings) {
      TRY(*incoming);
      const Placement& placement = words.skills[placed.size()];
      TRY_ASSIGN(Placed one, prepare(scope, placement, std::move(**incoming), order));
      placed.push_back(std::move(one));
      incoming.reset();
      count_considered();
    }
    return {};
  };
  for (std::size_t step = 0; step < pieces.size() + 2; ++step) {
    const std::vector<Unwritten> unwritten = std::exchange(order.unwritten, {});
    const Piece ahead = step < pieces.size() ? pieces[step] : Piece();
    std::vector<Result<void>> written(unwritten.size());
    Incomings read(ahead.size());
    Result<void> decided;
    together(1 + unwritten.size() + read.size(), [&](std::size_t task) {
      if (task == 0) {
        decided = decide();
      } else if (task <= unwritten.size()) {
        written[task - 1] = write_behind(unwritten[task - 1]);
      } else {
        std::size_t i = task - 1 - unwritten.size();
        read[i] = incoming_of(words.skills[ahead.from + i], m_state.objects);
      }
    });
    for (Result<void>& one : written) {
      TRY(one);
    }
    TRY(decided);
    incomings = std::move(read);
  }
  return {};
}

// On any thread.
Result<void> RoundRun::write_behind(const Unwritten& skill) const {
  const EntryBytes bytes_of = bytes_of_files(*skill.files, skill.tree);
  TRY(keep_files(skill.tree, *skill.files));
  for (const Unwritten::Copy& copy : skill.copies) {
    TRY(m_state.stager.fill(copy.path, skill.tree, copy.modes, bytes_of));
  }
  return {};
}

Result<StagedCopy> RoundRun::stage_copy(const std::string& root,
                                        const PendingSkill& pending,
                                        const CopyModes& modes,
                                        const EntryBytes& bytes_of) {
  if (m_behind == nullptr) {
    return m_state.stager.stage(root, pending.name, pending.tree, modes, bytes_of);
  }
  TRY_ASSIGN(std::string path, m_state.stager.stage_folder(root, pending.name, modes));
  m_behind->copies.push_back({path, modes});
  return StagedCopy{std::move(path), pending.tree.hash()};
}

} // namespace upskill::sync
