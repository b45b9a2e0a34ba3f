// InstallDesk: skills that were removed, and came back.
#include "daemon/await.h"
#include "daemon/install/desk.h"
#include "daemon/install/write_down.h"
#include "daemon/runtime/offload.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace upskill::daemon {
namespace {

bool lies_there(const Scene& scene, const install::InstallKey& key) {
  return std::ranges::any_of(scene.roots, [&](const library::Root& root) {
    struct stat status {};

    return root.project == key.first && root.exists()
           && ::lstat(join_path(root.real_path, key.second).c_str(), &status) == 0;
  });
}

} // namespace

// Undoing a removal is the sync engine's, which knows of no sources: so what came of it is seen
// here.
Awaitable<void> InstallDesk::count_again(std::vector<std::string> scopes,
                                         std::vector<std::string>& warnings,
                                         const InstallCall& call) {
  AWAIT(Result<std::shared_ptr<const Scene>> scene, m_service.scene());
  CO_TRY(scene);
  std::map<std::string, std::vector<install::RemovedRow>> found; // by scope
  auto look = [this, &scopes, &scene, &found]() -> Result<void> {
    TRY_ASSIGN(RecordNow record, files().record().read());
    for (const auto& [key, removed] : record->removed()) {
      if (std::ranges::find(scopes, key.first) != scopes.end() && lies_there(**scene, key)) {
        found[key.first].push_back(removed);
      }
    }
    return {};
  };
  AWAIT(Result<void> done, runtime::offload(call.pool, std::move(look)));
  CO_TRY(done);
  std::vector<install::InstallKey> back;
  for (const auto& [scope, rows] : found) {
    std::vector<std::string> names;
    for (const install::RemovedRow& removed : rows) {
      names.push_back(removed.row.skill);
    }
    AWAIT(Result<std::vector<std::optional<Digest>>> here, m_service.look_at(scope, names));
    CO_TRY(here);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if ((*here)[i] == rows[i].left) {
        back.emplace_back(scope, rows[i].row.skill);
      }
    }
  }
  if (!back.empty()) {
    AWAIT(done, write_back(std::move(back), warnings, call));
  }
  co_return done;
}

Awaitable<void> InstallDesk::write_back(std::vector<install::InstallKey> keys,
                                        std::vector<std::string>& warnings,
                                        const InstallCall& call) {
  ToWrite what;
  what.back = std::move(keys);
  auto write = [this, &what] {
    return write_down(what, files(), m_service.now().wall_ms, m_together);
  };
  AWAIT(Result<Written> written, runtime::offload(call.pool, std::move(write)));
  CO_TRY(written);
  std::ranges::move(written->warnings, std::back_inserter(warnings));
  co_return Result<void>();
}

} // namespace upskill::daemon
