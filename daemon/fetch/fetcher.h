#pragma once
#include "daemon/fetch/fetch_setting.h"
#include "daemon/models/curl.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/pool.h"
#include "daemon/sandbox/private_folder.h"
#include "protocol/base/result.h"
#include "skills/install/source.h"
#include "skills/install/well_known.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace upskill::fetch {

// A skill that a source has. Its files lie in the folder once they were brought.
struct Offered {
  std::string name = {};
  std::string description = {};
  std::string from = {};   // within the source: a folder, or the name or address that it has there
  std::string folder = {}; // where it lies, absolute; empty until it was brought
  std::string digest = {}; // `sha256:...` that the source told and that was checked
  std::string tree = {};   // git's hash of its folder

  friend bool operator==(const Offered&, const Offered&) = default;
};

// What a source has. What was fetched lies in a folder of ours until this goes.
// Owner: who asked. Thread: any, one at a time.
struct Offer {
  install::Source source = {};
  std::string ref = {};    // of git: the branch or tag, also where none was named
  std::string commit = {}; // of git
  std::vector<Offered> skills = {};
  std::vector<std::string> warnings = {};
  std::string index = {}; // of well-known hosts: where theirs is, after redirects
  std::vector<install::IndexedSkill> indexed = {};    // what it says, one for each of `skills`
  std::optional<sandbox::PrivateFolder> fetched = {}; // none: it is read where it lies
};

// Gets skills from anywhere. Nothing that is fetched is run. Everything has limits: time, bytes,
// files, redirects. Owner: the daemon. Thread: that of its executor; what blocks is on the pool.
// Lifetime: until its coroutines have returned.
class Fetcher {
public:
  Fetcher(models::Http& http, std::string scratch); // `scratch`: below which folders are made

  // What a source has. Git and archives are fetched for it, and their skills are brought with it;
  // of hosts and servers only what they say. Errors: not_found (no such source, no skill in it),
  // refused (an address that may not be reached, a file that may not be unpacked), unavailable,
  // timed_out, too_large, corrupt, cancelled.
  asio::awaitable<Result<Offer>>
  look(install::Source source, FetchSetting setting, runtime::Pool::Share pool);

  // Brings the files of these skills of it (indexes into `skills`), digests checked. One that fails
  // is told in its place.
  asio::awaitable<Result<std::vector<Result<void>>>> bring(Offer& offer,
                                                           std::vector<std::size_t> which,
                                                           FetchSetting setting,
                                                           runtime::Pool::Share pool);

private:
  models::Http& m_http;
  std::string m_scratch;
};

} // namespace upskill::fetch
