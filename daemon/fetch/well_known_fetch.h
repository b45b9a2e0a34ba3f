#pragma once
#include "daemon/fetch/fetcher.h"

#include <vector>

// Hosts that publish an index of their skills (skills facts, section 10).
namespace upskill::fetch {

// What the index says. It is looked for below the address, then at the origin; 0.2 before 0.1.
// Errors: not_found where none of them is there.
asio::awaitable<Result<Offer>>
look_at_host(models::Http& http, install::Source source, FetchSetting setting);

// Brings one of them into its own folder below that of the offer, which must be there. Errors:
// corrupt for what is not what the digest says, or no skill.
asio::awaitable<Result<void>> bring_from_host(models::Http& http,
                                              Offer& offer,
                                              std::size_t which,
                                              FetchSetting setting,
                                              runtime::Pool::Share pool);

} // namespace upskill::fetch
