#include "daemon/fetch/git_clone.h"

#include "daemon/await.h"
#include "daemon/fetch/git_refs.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace upskill::fetch {
namespace {

// Goes before every `.gitattributes`: what a stranger's tree says of filters and line ends is
// nobody's wish here.
constexpr std::string_view k_attributes = "* -text !eol !filter !ident !working-tree-encoding\n";

tl::unexpected<Error> no_ref(const std::string& ref, const std::vector<RemoteRef>& refs) {
  const std::string near = near_refs(refs, ref);
  return fail(ErrorCode::not_found,
              "there is no branch, tag or commit " + in_backticks(ref) + " there",
              near.empty() ? "" : "there is " + near);
}

std::string line_of(const std::string& output) {
  return output.substr(0, output.find('\n'));
}

// One fetch, of a branch or tag by `git clone`, else by a hash.
class Fetching {
public:
  Fetching(const GitRemote& remote, std::string repository)
      : m_remote(remote)
      , m_place{std::move(repository), {}} {}

  // Whether the ref is there; of the default branch, true.
  asio::awaitable<Result<bool>> by_name(std::string ref) {
    std::vector<std::string> words{"clone",
                                   "--bare",
                                   "--depth=1",
                                   "--single-branch",
                                   "--no-tags",
                                   "--template=",
                                   "--progress"};
    if (!ref.empty()) {
      words.push_back("--branch=" + ref);
    }
    words.insert(words.end(), {"--", m_remote.url(), m_place.repository});
    AWAIT(Result<git::GitEnd> end, m_remote.ask(std::move(words)));
    CO_TRY(end);
    if (end->exit_code == 0) {
      co_return true;
    }
    if (!ref.empty() && end->said.find("not found in upstream") != std::string::npos) {
      co_return false;
    }
    co_return fail(m_remote.failure(*end));
  }

  // By a hash, or the beginning of one, or a ref of another kind: alone where the server allows it,
  // else with everything. Whether it is there.
  asio::awaitable<Result<std::optional<std::string>>> by_object(std::string object) {
    std::vector<std::string> words{"init", "--bare", "--quiet", "--template="};
    if (object.size() == 64) {
      words.emplace_back("--object-format=sha256");
    }
    words.insert(words.end(), {"--", m_place.repository});
    AWAIT(Result<std::string> made, m_remote.tell(std::move(words)));
    CO_TRY(made);
    if (!is_hash_prefix(object)) {
      words = {"fetch", "--depth=1", "--no-tags", "--progress", "--", m_remote.url(), object};
      AWAIT(Result<git::GitEnd> end, m_remote.ask(std::move(words), m_place));
      CO_TRY(end);
      if (end->exit_code == 0) {
        AWAIT(Result<std::optional<std::string>> fetched, commit_of("FETCH_HEAD"));
        co_return fetched;
      }
      if (!is_whole_hash(object)) {
        const bool is_none = end->said.find("couldn't find remote ref") != std::string::npos;
        co_return is_none ? Result<std::optional<std::string>>(std::nullopt)
                          : fail(m_remote.failure(*end));
      }
    }
    words = {"fetch", "--tags", "--progress", "--", m_remote.url(), "+refs/heads/*:refs/heads/*"};
    AWAIT(Result<std::string> fetched, m_remote.tell(std::move(words), m_place));
    CO_TRY(fetched);
    AWAIT(Result<std::optional<std::string>> commit, commit_of(std::move(object)));
    co_return commit;
  }

  // Nothing where there is no such commit.
  asio::awaitable<Result<std::optional<std::string>>> commit_of(std::string name) const {
    std::vector<std::string> words{
        "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"};
    AWAIT(Result<git::GitEnd> end, m_remote.ask(std::move(words), m_place));
    CO_TRY(end);
    if (end->exit_code != 0) {
      co_return std::optional<std::string>();
    }
    CO_TRY_ASSIGN(std::string hash, git::read_hash(end->output));
    co_return std::optional<std::string>(std::move(hash));
  }

  asio::awaitable<Result<std::vector<RemoteRef>>> refs() const {
    std::vector<std::string> words{"ls-remote", "--heads", "--tags", "--", m_remote.url()};
    AWAIT(Result<std::string> listed, m_remote.tell(std::move(words)));
    CO_TRY(listed);
    co_return read_remote_refs(*listed);
  }

  // The default branch; empty where the other side is on none.
  asio::awaitable<Result<std::string>> branch() const {
    std::vector<std::string> words{"symbolic-ref", "--quiet", "--short", "HEAD"};
    AWAIT(Result<git::GitEnd> end, m_remote.ask(std::move(words), m_place));
    CO_TRY(end);
    co_return end->exit_code == 0 ? line_of(end->output) : std::string();
  }

private:
  const GitRemote& m_remote;
  GitPlace m_place;
};

} // namespace

asio::awaitable<Result<GitClone>>
clone_commit(const GitRemote& remote, std::string repository, std::string ref, std::string folder) {
  GitClone clone{repository, {}, ref, std::move(folder)};
  Fetching fetching(remote, std::move(repository));
  std::optional<std::string> commit;
  bool is_there = false;
  if (!ref.empty()) {
    CO_TRY(check_remote_ref(ref));
  }
  const bool is_object = is_whole_hash(ref) || ref.starts_with("refs/");
  if (!is_object) {
    AWAIT(Result<bool> cloned, fetching.by_name(ref));
    CO_TRY(cloned);
    is_there = *cloned;
  }
  std::vector<RemoteRef> refs;
  if (!is_object && !is_there) {
    AWAIT(Result<std::vector<RemoteRef>> listed, fetching.refs());
    CO_TRY(listed);
    refs = std::move(*listed);
    if (std::optional<RefSplit> split = split_ref(refs, ref, clone.folder)) {
      clone.ref = split->ref;
      clone.folder = split->folder;
      AWAIT(Result<bool> cloned, fetching.by_name(clone.ref));
      CO_TRY(cloned);
      is_there = *cloned;
    } else if (!is_hash_prefix(ref)) {
      co_return no_ref(ref, refs);
    }
  }
  if (is_there) {
    AWAIT(Result<std::optional<std::string>> head, fetching.commit_of("HEAD"));
    CO_TRY(head);
    commit = std::move(*head);
  } else {
    AWAIT(Result<std::optional<std::string>> found, fetching.by_object(ref));
    CO_TRY(found);
    commit = std::move(*found);
  }
  if (!commit && !ref.empty()) {
    co_return no_ref(ref, refs);
  }
  if (!commit) {
    co_return fail(ErrorCode::not_found,
                   "the repository has no commit on its default branch",
                   "`#BRANCH` after its name names another branch");
  }
  clone.commit = std::move(*commit);
  if (ref.empty()) {
    AWAIT(Result<std::string> branch, fetching.branch());
    CO_TRY(branch);
    clone.ref = std::move(*branch);
  }
  co_return clone;
}

asio::awaitable<Result<std::vector<git::TreeEntry>>> entries_of(const GitRemote& remote,
                                                                GitClone clone) {
  std::vector<std::string> words{
      "ls-tree", "-r", "-t", "-l", "-z", "--full-tree", "--end-of-options", clone.commit};
  AWAIT(Result<std::string> listed,
        remote.tell(std::move(words), GitPlace{std::move(clone.repository), {}}));
  CO_TRY(listed);
  co_return git::read_entries(*listed);
}

asio::awaitable<Result<void>> check_out(const GitRemote& remote,
                                        GitClone clone,
                                        const std::vector<git::TreeEntry>& entries,
                                        std::string into,
                                        runtime::Pool::Share pool) {
  std::uint64_t bytes = 0;
  std::size_t files = 0;
  bool is_there = clone.folder.empty();
  for (const git::TreeEntry& entry : entries) {
    if (clone.folder.empty() || entry.path.starts_with(clone.folder + "/")) {
      bytes += entry.bytes;
      files += entry.kind == git::EntryKind::folder ? 0 : 1;
    }
    is_there = is_there || entry.path == clone.folder;
  }
  if (!is_there) {
    co_return fail(ErrorCode::not_found,
                   "there is no " + in_backticks(clone.folder) + " in the repository at "
                       + in_backticks(clone.ref.empty() ? clone.commit : clone.ref),
                   "without the folder, all that the repository has is shown");
  }
  if (files > k_most_files || bytes > k_most_checked_out) {
    co_return fail(ErrorCode::too_large,
                   "the repository has " + std::to_string(files) + " files with "
                       + std::to_string(bytes >> 20) + " MiB, more than 100,000 or 1,024 MiB",
                   "`owner/repo/FOLDER` takes a folder of it");
  }
  if (files == 0) {
    co_return Result<void>();
  }
  auto put = [&]() -> Result<void> {
    TRY(make_directories(join_path(clone.repository, "info"), 0700));
    return write_file_atomically(join_path(clone.repository, "info/attributes"),
                                 k_attributes,
                                 0600,
                                 Durability::process_crash);
  };
  AWAIT(Result<void> written, runtime::offload(pool, std::move(put)));
  CO_TRY(written);
  std::vector<std::string> words{"-c",
                                 "core.bare=false",
                                 "-c",
                                 "core.symlinks=true",
                                 "checkout",
                                 "--quiet",
                                 "--force",
                                 "--no-recurse-submodules",
                                 clone.commit,
                                 "--",
                                 clone.folder.empty() ? "." : clone.folder};
  AWAIT(Result<std::string> done,
        remote.tell(std::move(words), GitPlace{std::move(clone.repository), std::move(into)}));
  CO_TRY(done);
  co_return Result<void>();
}

} // namespace upskill::fetch
