#pragma once
#include "daemon/fetch/fetch_setting.h"
#include "daemon/models/curl.h"
#include "daemon/models/http_message.h"
#include "daemon/runtime/asio.h"
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "skills/install/web_address.h"

#include <cstddef>
#include <cstdint>
#include <string>

// HTTP for what others publish: bounded in bytes and time, and to no address that may not be
// reached (address_rule). Errors: refused for those, and for plain http into the internet;
// too_large, timed_out, unavailable; invalid_argument for what is no address. A status is no error.
namespace upskill::fetch {

struct FetchReply {
  int status = 0;
  models::Headers headers = {};
  std::string body = {};
  std::string url = {};     // after redirects
  std::string address = {}; // numeric, that was connected to; empty where a proxy was
};

// Follows up to five redirects, each under the rule again: a redirect is nobody's word but a
// server's. Headers go to the first host and port only.
asio::awaitable<Result<FetchReply>> http_get(models::Http& http,
                                             std::string url,
                                             models::Headers headers,
                                             std::size_t most_bytes,
                                             FetchSetting setting);

// A redirect is an answer like all others.
asio::awaitable<Result<FetchReply>> http_post(models::Http& http,
                                              std::string url,
                                              models::Headers headers,
                                              std::string body,
                                              std::size_t most_bytes,
                                              FetchSetting setting);

struct Downloaded {
  std::string url = {}; // after redirects
  Digest digest = {};   // SHA-256 of the bytes
  std::uint64_t bytes = 0;
};

// The body of what answers 200, into a new file (absolute path). Any other status is an error:
// not_found for 404 and 410, refused for 401 and 403, else unavailable.
asio::awaitable<Result<Downloaded>> http_download(models::Http& http,
                                                  std::string url,
                                                  std::string file,
                                                  std::size_t most_bytes,
                                                  FetchSetting setting);

// The error that a status is, where only 200 will do.
Error error_of_status(int status, const install::WebAddress& address);

// What an address that somebody else wrote (an index) may reach: that of the host and port which
// `named` has is what was named, and any other is another's word.
FetchSetting setting_within(FetchSetting setting, const std::string& url, const std::string& named);

} // namespace upskill::fetch
