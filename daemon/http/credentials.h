#pragma once
#include "protocol/base/paths.h"
#include "protocol/base/result.h"

#include <string>
#include <string_view>

// What a client needs to know, in files that only this user reads.
namespace upskill::http {

// The token of this state directory, from `http.token` in it: the same after each start, because
// clients have it in their configuration. Made where there is none, and made anew where others
// could have read it or it is none.
Result<std::string> stable_token(const Places& places);

// `run/http.json`: `{"url":...,"token":...}`, there as long as HTTP is served. An empty token is
// left out.
std::string description_path(const Places& places);
Result<void> write_description(const Places& places, std::string_view url, std::string_view token);
void remove_description(const Places& places);

} // namespace upskill::http
