#pragma once
#include "daemon/git/git_output.h"
#include "daemon/git/git_program.h"
#include "daemon/runtime/pool.h"
#include "daemon/sandbox/private_folder.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::git {

inline constexpr std::uint64_t k_most_bytes = 256u << 20; // that are written of a commit
inline constexpr std::size_t k_most_files = 20'000;       // likewise

// A repository with a work tree, only ever read: its index, HEAD, refs and files stay byte for byte
// what they are. Owner: a call. Thread: that of its executor; what blocks is on the pool. Lifetime:
// until its coroutines have returned.
class Repository {
public:
  // The one that `folder` lies in. `home`: whose settings of git count. Errors: not_found where
  // there is none; what git says of one that belongs to somebody else; those of run_git().
  static asio::awaitable<Result<Repository>>
  open(std::string folder, std::string home, runtime::Pool::Share pool);

  const std::string& folder() const { return m_folder; } // absolute, no links

  // The commit where HEAD and `ref` part. Errors: invalid_argument for what is no ref, not_found
  // for one that there is not and for histories with nothing in common. Of a shallow clone the hint
  // says how to get the rest.
  asio::awaitable<Result<std::string>> base_of(std::string ref) const;

  // What is different in the work tree from a commit, what was neither staged nor committed
  // included; not what is ignored.
  asio::awaitable<Result<std::vector<FileChange>>> changes_since(std::string commit) const;

  asio::awaitable<Result<std::vector<TreeFile>>> files_of(std::string commit) const;

  // These files of a commit as a checkout would have them, links and modes too, below `into`, which
  // must be empty. Errors: too_large beyond the bounds above.
  asio::awaitable<Result<void>>
  write(std::string commit, std::vector<TreeFile> files, std::string into) const;

private:
  Repository(std::string folder,
             std::string home,
             runtime::Pool::Share pool,
             sandbox::PrivateFolder scratch)
      : m_folder(std::move(folder))
      , m_home(std::move(home))
      , m_pool(pool)
      , m_scratch(std::move(scratch)) {}

  asio::awaitable<Result<GitEnd>> ask(std::vector<std::string> arguments,
                                      std::string index = {},
                                      std::optional<std::string> input = {}) const;
  // The same, where anything but 0 is an error.
  asio::awaitable<Result<std::string>> tell(std::vector<std::string> arguments,
                                            std::string index = {},
                                            std::optional<std::string> input = {}) const;
  asio::awaitable<Error> missing(Error error) const;
  asio::awaitable<Result<std::string>> copy_of_index() const;

  std::string m_folder;
  std::string m_home;
  runtime::Pool::Share m_pool;
  sandbox::PrivateFolder m_scratch; // our own indexes
};

} // namespace upskill::git
