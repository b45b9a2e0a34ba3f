#pragma once
#include "daemon/fetch/git_remote.h"
#include "daemon/git/git_output.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/pool.h"
#include "protocol/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upskill::fetch {

inline constexpr std::uint64_t k_most_checked_out = 1u << 30; // bytes of files
inline constexpr std::size_t k_most_files = 100'000;          // likewise

// What was fetched of a repository.
struct GitClone {
  std::string repository = {}; // bare, in a folder of ours
  std::string commit = {};
  std::string ref = {};    // the branch or tag, or what was named
  std::string folder = {}; // within it: without what turned out to belong to the ref's name
};

// Fetches one commit, without its history where the server allows that: of the branch, tag or
// commit `ref`, or of the default branch. `repository`: absolute, not there yet. Errors:
// not_found with the names of other refs, and those of GitRemote.
asio::awaitable<Result<GitClone>>
clone_commit(const GitRemote& remote, std::string repository, std::string ref, std::string folder);

// Everything in its tree. Errors: too_large for more than git may say (64 MiB of names).
asio::awaitable<Result<std::vector<git::TreeEntry>>> entries_of(const GitRemote& remote,
                                                                GitClone clone);

// Writes the files of `clone.folder` below `into`, an empty folder of ours, byte for byte as they
// were committed: no filter runs, and no line end changes. Errors: not_found, too_large beyond the
// bounds above.
asio::awaitable<Result<void>> check_out(const GitRemote& remote,
                                        GitClone clone,
                                        const std::vector<git::TreeEntry>& entries,
                                        std::string into,
                                        runtime::Pool::Share pool);

} // namespace upskill::fetch
