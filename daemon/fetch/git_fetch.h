#pragma once
#include "daemon/fetch/fetcher.h"

namespace upskill::fetch {

// Clones a repository and finds its skills.
asio::awaitable<Result<Offer>> look_at_git(models::Http& http,
                                           std::string scratch,
                                           install::Source source,
                                           FetchSetting setting,
                                           runtime::Pool::Share pool);

} // namespace upskill::fetch
