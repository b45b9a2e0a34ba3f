#pragma once
#include "daemon/fetch/fetcher.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/pool.h"
#include "daemon/runtime/timers.h"
#include "protocol/base/hash.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

namespace upskill::daemon {

// What sources have, by how they were asked for. Shared by a plan and the calls that go by it.
using Offers = std::map<std::string, std::shared_ptr<fetch::Offer>>;

// What a plan holds: what was fetched, and the versions that somebody was shown, by what they are.
// A folder of this machine is read where it lies, so that those may have changed since.
struct PlanContent {
  Offers offers = {};
  std::map<std::string, Digest> shown = {};
};

// One that removes what was fetched on the pool, because that takes the disk's time.
std::shared_ptr<fetch::Offer> held(fetch::Offer offer, std::function<runtime::Pool&()> pool);

// Keeps what a dry run has fetched for ten minutes, so that what somebody has seen is what comes.
// Owner: InstallDesk. Thread: the daemon's.
class Plans {
public:
  explicit Plans(const asio::any_io_executor& executor);

  // The name of the plan, which nobody can guess. The oldest goes where there are too many.
  std::string keep(std::string caller, PlanContent content);
  // Adds what was shown of a plan that is kept already.
  void add(const std::string& token, const std::map<std::string, Digest>& shown);
  // None where its time is over or it is another caller's.
  const PlanContent* find(const std::string& token, const std::string& caller) const;

  void clear() { m_plans.clear(); }

private:
  struct Plan {
    std::string token;
    std::string caller;
    PlanContent content;
    runtime::Clock::time_point until;
  };

  void forget_old();

  std::list<Plan> m_plans; // the oldest first
  runtime::Alarm m_alarm;
};

} // namespace upskill::daemon
