#pragma once
#include "daemon/install/candidate.h"
#include "daemon/install/install_call.h"
#include "daemon/runtime/asio.h"
#include "skills/install/record.h"

#include <cstddef>
#include <string>
#include <vector>

namespace upskill::daemon {

// A skill of an offer, and the name that it is to have here, where somebody chose one.
struct Examined {
  const fetch::Offered* offered = nullptr;
  std::size_t index = 0; // in the offer
  std::string as = {};
};

// What a scan is told of where they are from, and of what is here.
ExamineSetting examine_setting(const install::InstallRecord& record, const install::Source& source);

// Examines them on the pool, in pieces that let others in between, and tells how far it is. In the
// order of `skills`, which must outlive it.
asio::awaitable<std::vector<Candidate>>
examine_all(std::vector<Examined> skills, const ExamineSetting& setting, const InstallCall& call);

} // namespace upskill::daemon
