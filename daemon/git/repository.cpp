#include "daemon/git/repository.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace upskill::git {
namespace {

constexpr std::size_t k_largest_index = 512u << 20; // bytes

std::string first_line(const std::string& output) {
  return output.substr(0, output.find('\n'));
}

std::string in_quotes(std::string_view text) {
  return "`" + to_valid_utf8(utf8_prefix(text, 256)) + "`";
}

} // namespace

asio::awaitable<Result<Repository>>
Repository::open(std::string folder, std::string home, runtime::Pool::Share pool) {
  if (::access(folder.c_str(), F_OK) != 0) {
    co_return fail(system_error(errno, in_quotes(folder)));
  }
  GitCall call;
  call.arguments = {"rev-parse", "--show-toplevel"};
  call.folder = folder;
  call.home = home;
  AWAIT(Result<GitEnd> end, run_git(std::move(call)));
  CO_TRY(end);
  std::string top = first_line(end->output);
  if (end->exit_code != 0 || !top.starts_with('/')) {
    const bool is_none = end->errors.find("not a git repository") != std::string::npos;
    std::string why = is_none || end->errors.empty() ? " is in no git repository"
                                                     : " cannot be used: git says " + end->errors;
    co_return fail(
        ErrorCode::not_found, in_quotes(folder) + why, is_none ? "`--folder` names another one" : "");
  }
  auto make = [] { return sandbox::PrivateFolder::make(); };
  AWAIT(Result<sandbox::PrivateFolder> scratch, runtime::offload(pool, std::move(make)));
  CO_TRY(scratch);
  Repository repository(std::move(top), std::move(home), pool, std::move(*scratch));
  co_return repository;
}

asio::awaitable<Result<GitEnd>> Repository::ask(std::vector<std::string> arguments,
                                                std::string index,
                                                std::optional<std::string> input) const {
  GitCall call;
  call.arguments = std::move(arguments);
  call.folder = m_folder;
  call.home = m_home;
  call.index = std::move(index);
  call.input = std::move(input);
  return run_git(std::move(call));
}

asio::awaitable<Result<std::string>> Repository::tell(std::vector<std::string> arguments,
                                                      std::string index,
                                                      std::optional<std::string> input) const {
  std::string what = "`git " + arguments.front() + "`";
  AWAIT(Result<GitEnd> end, ask(std::move(arguments), std::move(index), std::move(input)));
  CO_TRY(end);
  if (end->exit_code != 0) {
    co_return fail(ErrorCode::io, what + " failed: " + end->errors);
  }
  co_return std::move(end->output);
}

// What a clone without its history lacks may well be there.
asio::awaitable<Error> Repository::missing(Error error) const {
  std::vector<std::string> words{"rev-parse", "--is-shallow-repository"};
  AWAIT(Result<GitEnd> end, ask(std::move(words)));
  if (end && end->output.starts_with("true")) {
    error.message += ", for this clone is shallow";
    error.hint = "`fetch-depth: 0` of actions/checkout, or `git fetch --unshallow`, gets the rest";
  }
  co_return error;
}

asio::awaitable<Result<std::string>> Repository::base_of(std::string ref) const {
  CO_TRY(check_ref(ref));
  std::vector<std::string> words{
      "rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}"};
  AWAIT(Result<GitEnd> end, ask(std::move(words)));
  CO_TRY(end);
  if (end->exit_code != 0) {
    AWAIT(Error error,
          missing({ErrorCode::not_found,
                   "there is no commit " + in_quotes(ref) + " here",
                   "`git fetch` gets what others have"}));
    co_return fail(std::move(error));
  }
  CO_TRY_ASSIGN(std::string commit, read_hash(end->output));
  words = {"merge-base", commit, "HEAD"};
  AWAIT(end, ask(std::move(words)));
  CO_TRY(end);
  if (end->exit_code != 0) {
    AWAIT(Error error,
          missing({ErrorCode::not_found, in_quotes(ref) + " and HEAD have no commit in common"}));
    co_return fail(std::move(error));
  }
  co_return read_hash(end->output);
}

// `git diff` writes down what it has learnt of files that were merely touched, in an index: so it
// gets one of its own.
asio::awaitable<Result<std::string>> Repository::copy_of_index() const {
  std::vector<std::string> words{"rev-parse", "--git-path", "index"};
  AWAIT(Result<std::string> told, tell(std::move(words)));
  CO_TRY(told);
  std::string from = normalized_path(first_line(*told), m_folder);
  std::string to = join_path(m_scratch.path(), "index");
  auto copy = [&]() -> Result<void> {
    Result<std::string> bytes = read_file(from, k_largest_index);
    if (!bytes && bytes.error().code == ErrorCode::not_found) {
      return {}; // nothing was ever staged
    }
    TRY(bytes);
    return write_file_atomically(to, *bytes, 0600, Durability::process_crash);
  };
  AWAIT(Result<void> copied, runtime::offload(m_pool, std::move(copy)));
  CO_TRY(copied);
  co_return to;
}

asio::awaitable<Result<std::vector<FileChange>>>
Repository::changes_since(std::string commit) const {
  AWAIT(Result<std::string> index, copy_of_index());
  CO_TRY(index);
  std::vector<std::string> words{"diff",
                                 "--name-status",
                                 "-z",
                                 "-M",
                                 "--no-ext-diff",
                                 "--no-textconv",
                                 "--no-color",
                                 "--no-relative",
                                 "--ignore-submodules=all",
                                 "--end-of-options",
                                 std::move(commit),
                                 "--"};
  AWAIT(Result<std::string> diff, tell(std::move(words), *index));
  CO_TRY(diff);
  CO_TRY_ASSIGN(std::vector<FileChange> changes, read_name_status(*diff));
  words = {"ls-files", "-z", "--others", "--exclude-standard", "--full-name"};
  AWAIT(Result<std::string> listed, tell(std::move(words), *index));
  CO_TRY(listed);
  CO_TRY_ASSIGN(std::vector<std::string> untracked, read_paths(*listed));
  for (std::string& path : untracked) {
    changes.push_back({FileFate::added, std::move(path)});
  }
  co_return changes;
}

asio::awaitable<Result<std::vector<TreeFile>>> Repository::files_of(std::string commit) const {
  std::vector<std::string> words{
      "ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", std::move(commit)};
  AWAIT(Result<std::string> listed, tell(std::move(words)));
  CO_TRY(listed);
  co_return read_tree(*listed);
}

asio::awaitable<Result<void>>
Repository::write(std::string commit, std::vector<TreeFile> files, std::string into) const {
  std::uint64_t bytes = 0;
  std::string paths;
  for (const TreeFile& file : files) {
    bytes += file.bytes;
    if (!file.is_submodule) {
      paths.append(file.path).push_back('\0');
    }
  }
  if (files.size() > k_most_files || bytes > k_most_bytes) {
    co_return fail(ErrorCode::too_large,
                   "the skills at the base have " + std::to_string(files.size()) + " files with "
                       + std::to_string(bytes >> 20) + " MiB, more than 20,000 or 256 MiB",
                   "`--skill` names those that count");
  }
  // The whole tree, so that a `.gitattributes` above a skill counts for it.
  std::string index = join_path(m_scratch.path(), "base");
  std::vector<std::string> words{"read-tree", std::move(commit)};
  AWAIT(Result<std::string> done, tell(std::move(words), index));
  CO_TRY(done);
  words = {"checkout-index", "--quiet", "--force", "-z", "--stdin", "--prefix=" + into + "/"};
  AWAIT(done, tell(std::move(words), index, std::move(paths)));
  CO_TRY(done);
  co_return Result<void>();
}

} // namespace upskill::git
