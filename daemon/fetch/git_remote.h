#pragma once
#include "daemon/fetch/fetch_setting.h"
#include "daemon/fetch/git_address.h"
#include "daemon/git/git_program.h"
#include "daemon/models/curl.h"
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upskill::fetch {

inline constexpr std::uint64_t k_most_pack = 1u << 30; // bytes that a server may send

// Where a run of git works: a bare repository, and where its files go; either may be empty.
struct GitPlace {
  std::string repository = {};
  std::string work_tree = {};
};

// A repository somewhere else, reached: where it really is, and how git is to be started so that it
// goes there and nowhere else, and runs nothing. Owner: a call. Thread: that of its executor.
class GitRemote {
public:
  // Applies what the person's settings of git put in place of an address, and over http follows
  // redirects under the address rule. `folder`: absolute, ours, where git runs; `name` is what
  // errors call it. Errors: those of read_git_address, check_git_address and http_get; not_found
  // where no git server answers.
  static asio::awaitable<Result<GitRemote>> reach(models::Http& http,
                                                  std::string address,
                                                  std::string name,
                                                  std::string folder,
                                                  FetchSetting setting);

  const std::string& url() const { return m_address.text; }

  // Runs git, which may speak to it. Anything but 0 is an error, that of git_failure().
  asio::awaitable<Result<std::string>> tell(std::vector<std::string> arguments,
                                            GitPlace place = {}) const;
  // The same, where it is the caller who reads how it ended.
  asio::awaitable<Result<git::GitEnd>> ask(std::vector<std::string> arguments,
                                           GitPlace place = {}) const;

  Error failure(const git::GitEnd& end) const;

private:
  GitRemote() = default;

  git::GitCall call(std::vector<std::string> arguments, GitPlace place) const;
  asio::awaitable<Result<std::string>> own_setting(std::vector<std::string> arguments) const;
  asio::awaitable<Result<void>> take_rewritten(GitAddress named);
  asio::awaitable<Result<void>> take_redirected(models::Http& http);
  asio::awaitable<Result<void>> take_ssh_command();
  std::optional<std::string> variable(const std::string& name) const;

  GitAddress m_address = {};
  std::string m_name = {};
  std::string m_folder = {};
  FetchSetting m_setting = {};
  std::vector<std::pair<std::string, std::string>> m_settings = {};
  std::vector<std::string> m_environment = {};
};

} // namespace upskill::fetch
