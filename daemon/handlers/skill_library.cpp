#include "daemon/handlers/skill_library.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/time_slice.h"
#include "skills/library/folder.h"
#include "skills/sync/scan.h"

#include <fcntl.h>

#include <algorithm>
#include <functional>

namespace upskill::daemon {
namespace {

// Whose work on the pool a building is, for which all clients wait: neither sync's nor one client's
// long work keeps it from the last free thread. Clients are counted from 1.
constexpr runtime::Pool::Client k_for_all_clients = ~runtime::Pool::Client{0};

// Ends a building, however it ends.
class Building {
public:
  Building(bool& flag, runtime::Condition& done)
      : m_flag(flag)
      , m_done(done) {
    m_flag = true;
  }

  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

  ~Building() {
    m_flag = false;
    m_done.notify_all();
  }

private:
  bool& m_flag;
  runtime::Condition& m_done;
};

Digest hash_of(const Catalogue& catalogue, const Catalogue::Row& row, const Catalogue::Copy& copy) {
  UniqueFd root = library::open_folder(AT_FDCWD, catalogue.root(copy).real_path.c_str());
  if (!root) {
    return {};
  }
  sync::ReadResult read = sync::read_skill(root.get(), catalogue.name(row), {});
  return read.stat.presence == sync::Presence::copy ? read.tree.hash() : Digest();
}

void take_hashes(SkillSummary& summary,
                 const Catalogue::Row& row,
                 std::span<const Catalogue::Copy> copies,
                 const std::unordered_map<std::uint32_t, Digest>& hashes) {
  const Digest* first = nullptr;
  for (std::uint16_t i = 0; i < row.copies; ++i) {
    auto found = hashes.find(row.first_copy + i);
    if (copies[i].is_skill == 0 || found == hashes.end()) {
      continue;
    }
    bool is_known = found->second != Digest();
    if (is_known) {
      summary.replicas[i].hash = found->second.hex();
    } else {
      summary.warnings.push_back("`" + summary.replicas[i].path + "` cannot be read whole");
    }
    if (i == row.newest) {
      summary.hash = summary.replicas[i].hash;
    }
    summary.in_sync = summary.in_sync && is_known && (first == nullptr || *first == found->second);
    first = first == nullptr ? &found->second : first;
  }
}

// Of the others, what is in sync or about to be, the copies tell enough.
bool is_worth_a_word(const SkillSyncStatus& skill) {
  return skill.state != SkillSyncState::in_sync && skill.state != SkillSyncState::pending;
}

void take_state(SkillSummary& summary, std::string_view project, const SyncStatusResult& status) {
  std::string_view scope = project.empty() ? "user" : project;
  for (const SkillSyncStatus& one : status.skills) {
    if (one.skill != summary.skill || one.scope != scope) {
      continue;
    }
    summary.state = one.state;
    if (one.state == SkillSyncState::problem) {
      summary.in_sync = false;
      summary.warnings.push_back(one.reason);
    }
    return;
  }
}

} // namespace

SkillLibrary::SkillLibrary(SyncService& service)
    : m_service(service)
    , m_built(service.context().io.get_executor()) {}

bool SkillLibrary::is_watched() const {
  StatusResult status;
  m_service.describe(status);
  return status.watch != "none";
}

asio::awaitable<Result<std::shared_ptr<const Catalogue>>>
SkillLibrary::catalogue(std::stop_token stopping) {
  AWAIT(Result<void> seen, m_service.synchronise());
  while (m_building) {
    co_await m_built.wait();
  }
  // Where nobody tells of changes, only a look is true.
  bool is_reliable = seen.has_value() && is_watched();
  std::uint64_t generation = m_service.generation();
  if (is_reliable && m_catalogue && m_generation == generation) {
    co_return m_catalogue;
  }
  Building building(m_building, m_built);
  AWAIT(Result<std::shared_ptr<const Scene>> scene, m_service.scene());
  CO_TRY(scene);
  m_catalogue.reset(); // two at once would take twice the memory
  m_hashes.clear();
  auto build = [this, &scene, &stopping]() -> Result<std::shared_ptr<const Catalogue>> {
    const std::string& home = m_service.context().places.home;
    TRY_ASSIGN(Catalogue built, Catalogue::build(**scene, home, stopping));
    return std::make_shared<const Catalogue>(std::move(built));
  };
  AWAIT(Result<std::shared_ptr<const Catalogue>> built,
        runtime::offload(m_service.context().pool().of(k_for_all_clients), std::move(build)));
  CO_TRY(built);
  m_catalogue = *built;
  m_generation = is_reliable ? generation : 0;
  co_return built;
}

asio::awaitable<Result<std::vector<SkillSummary>>>
SkillLibrary::summaries(std::shared_ptr<const Catalogue> catalogue,
                        std::vector<std::uint32_t> rows,
                        RequestContext context) {
  Hashes hashes;
  std::vector<std::pair<std::uint32_t, std::uint16_t>> wanted; // row, copy
  for (std::uint32_t index : rows) {
    const Catalogue::Row& row = catalogue->row(index);
    for (std::uint16_t i = 0; i < row.copies; ++i) {
      auto known = m_hashes.find(row.first_copy + i);
      if (catalogue == m_catalogue && known != m_hashes.end()) {
        hashes.insert(*known);
      } else if (catalogue->copies(row)[i].is_skill != 0) {
        wanted.emplace_back(index, i);
      }
    }
  }
  if (!wanted.empty()) {
    auto hash_next = [&] {
      auto [index, i] = wanted.back();
      wanted.pop_back();
      const Catalogue::Row& row = catalogue->row(index);
      hashes.emplace(row.first_copy + i, hash_of(*catalogue, row, catalogue->copies(row)[i]));
      return !wanted.empty() && !context.stopping.stop_requested();
    };
    bool is_left = true;
    while (is_left) {
      AWAIT(is_left, runtime::offload_slice(pool(context), hash_next));
    }
  }
  if (context.stopping.stop_requested()) {
    co_return fail(ErrorCode::cancelled, "the call was cancelled");
  }
  if (catalogue == m_catalogue) {
    m_hashes.insert(hashes.begin(), hashes.end());
  }
  std::vector<SkillSummary> summaries;
  for (std::uint32_t index : rows) {
    const Catalogue::Row& row = catalogue->row(index);
    take_hashes(
        summaries.emplace_back(catalogue->summary(index)), row, catalogue->copies(row), hashes);
  }
  StatusResult known;
  m_service.describe(known);
  AWAIT(Result<std::shared_ptr<const Scene>> scene, m_service.scene());
  CO_TRY(scene);
  bool some_wait = known.conflicts + known.held > 0 || !known.warnings.empty();
  if ((some_wait || !(*scene)->settings.exclude.empty()) && m_service.has_store()
      && !m_service.why_stopped()) {
    // The copies may all be the same, the winner's, and the losing version wait all the same; or
    // one may be out of sight, or nobody may see to it that they stay the same.
    auto ask = [](sync::Engine& engine) -> Result<SyncStatusResult> {
      SyncStatusResult status = engine.status();
      std::erase_if(status.skills, std::not_fn(is_worth_a_word));
      return status;
    };
    AWAIT(Result<SyncStatusResult> status, m_service.lane().with_engine(std::move(ask)));
    CO_TRY(status);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Catalogue::Row& row = catalogue->row(rows[i]);
      take_state(summaries[i], catalogue->project(row), *status);
    }
  }
  co_return summaries;
}

} // namespace upskill::daemon
