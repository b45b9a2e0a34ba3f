#pragma once
#include "daemon/fetch/fetcher.h"
#include "protocol/base/result.h"

#include <cstddef>
#include <string>
#include <vector>

namespace upskill::daemon {

// Which skills of a source are meant.
struct Choice {
  std::vector<std::size_t> chosen = {}; // in the offer, in its order
  bool is_open = false;                 // none was named, and there are several
};

// `names`: of the front matter, of the folder it would have here, or its folder at the source,
// which tells two of one name apart. Errors: not_found with the nearest names; invalid_argument for
// a name that two have.
Result<Choice>
choose(const fetch::Offer& offer, const std::vector<std::string>& names, bool is_all);

} // namespace upskill::daemon
