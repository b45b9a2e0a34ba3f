#include "daemon/install/examine_all.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/task_group.h"

#include <algorithm>
#include <exception>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_piece = 8;             // skills of one turn on the pool
constexpr std::size_t k_most_kept = 64u << 20; // bytes of files that need not be read again
constexpr int k_workers = 2;                   // as many threads as one client has

// What the workers share.
struct Examination {
  std::vector<Examined> skills;
  const ExamineSetting& setting;
  const InstallCall& call;
  std::vector<Candidate> candidates = {};
  std::size_t next = 0;
  std::size_t done = 0;
  std::size_t kept = 0; // bytes
  std::exception_ptr failure = {};
};

void examine_piece(Examination& all, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to && !all.call.stopping.stop_requested(); ++i) {
    const Examined& skill = all.skills[i];
    all.candidates[i] = examine(*skill.offered, skill.index, skill.as, all.setting);
  }
}

void let_go(Examination& all, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    auto bytes = static_cast<std::size_t>(all.candidates[i].bytes);
    if (all.kept + bytes > k_most_kept) {
      all.candidates[i].files.reset();
    } else {
      all.kept += bytes;
    }
  }
}

asio::awaitable<void> work_on(Examination& all) {
  while (all.next < all.skills.size()) {
    std::size_t from = all.next;
    std::size_t to = std::min(from + k_piece, all.skills.size());
    all.next = to;
    auto piece = [&all, from, to] { examine_piece(all, from, to); };
    AWAIT_DONE(runtime::offload(all.call.pool, std::move(piece)));
    let_go(all, from, to);
    all.done += to - from;
    all.call.told("scanning " + std::to_string(all.done) + " of "
                  + std::to_string(all.skills.size()));
  }
}

} // namespace

ExamineSetting examine_setting(const install::InstallRecord& record,
                               const install::Source& source) {
  ExamineSetting setting;
  setting.scan.source = source.name;
  setting.is_installed_as_lies = source.kind == install::SourceKind::well_known;
  for (const auto& [key, row] : record.rows()) {
    std::string skeleton = danger::skeleton_of(row.skill);
    setting.scan.known.push_back({row.skill, row.source.name, std::move(skeleton)});
  }
  return setting;
}

asio::awaitable<std::vector<Candidate>>
examine_all(std::vector<Examined> skills, const ExamineSetting& setting, const InstallCall& call) {
  Examination all{std::move(skills), setting, call};
  all.candidates.resize(all.skills.size());
  runtime::TaskGroup workers(co_await asio::this_coro::executor,
                             [&all](std::exception_ptr failure) { all.failure = failure; });
  for (int i = 0; i < k_workers; ++i) {
    workers.start(work_on(all));
  }
  AWAIT_DONE(workers.see_through());
  if (all.failure) {
    std::rethrow_exception(all.failure);
  }
  co_return std::move(all.candidates);
}

} // namespace upskill::daemon
