#pragma once
#include "daemon/fetch/fetcher.h"

namespace upskill::fetch {

// The skills that an MCP server says it has.
asio::awaitable<Result<Offer>> look_at_server(models::Http& http,
                                              std::string scratch,
                                              install::Source source,
                                              FetchSetting setting,
                                              runtime::Pool::Share pool);

// Brings the files of one of them.
asio::awaitable<Result<void>> bring_from_server(models::Http& http,
                                                Offer& offer,
                                                std::size_t which,
                                                FetchSetting setting,
                                                runtime::Pool::Share pool);

} // namespace upskill::fetch
