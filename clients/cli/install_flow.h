#pragma once
#include "clients/cli/ask.h"
#include "clients/cli/invocation.h"
#include "protocol/base/result.h"
#include "protocol/types/install.h"

#include <functional>
#include <string_view>
#include <vector>

namespace upskill::cli {

// Who is asked on the way. Errors are `cancelled`, when interrupted, or the terminal's.
class InstallPerson {
public:
  virtual ~InstallPerson() = default;

  // Places among the skills of what a source has; none: nothing is wanted.
  virtual Result<std::vector<std::size_t>> pick(const InstallResult& offer) = 0;
  virtual void show(const Invocation& invocation, const InstallResult& plan) = 0;
  virtual Result<std::string> answer(std::string_view question) = 0;
  virtual Reply agree(std::string_view question) = 0;
};

// Asks the daemon. Of a dry run nothing changes.
using InstallCall = std::function<Result<InstallResult>(const Invocation&)>;

// From what was said to what is to be done: looks at the source, has skills chosen where there are
// several, shows the plan, asks about names that are taken, and at last whether to do it. Every
// order names the plan, so that what was shown is what will be installed. They are to be carried
// out one after the other; none: nothing is wanted. Where nothing would come, the one order only
// tells why.
Result<std::vector<Invocation>>
decide_install(const Invocation& invocation, const InstallCall& call, InstallPerson& person);

// What several orders have done, as one result.
InstallResult joined_results(std::vector<InstallResult> results);

} // namespace upskill::cli
