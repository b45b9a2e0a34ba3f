#include "daemon/fetch/git_remote.h"

#include "daemon/await.h"
#include "daemon/fetch/git_failure.h"
#include "daemon/fetch/http_fetch.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/install/web_address.h"

#include <sys/resource.h>

#include <array>
#include <optional>
#include <utility>

namespace upskill::fetch {
namespace {

constexpr std::string_view k_service = "/info/refs?service=git-upload-pack";
constexpr std::size_t k_most_advertised = 16u << 20; // bytes; all refs, of servers before version 2
// An object of many deltas can be a million times as large as its pack, and is made in memory.
constexpr std::uint64_t k_most_memory = 2u << 30; // bytes
constexpr auto k_limit = std::chrono::minutes(10);
constexpr auto k_idle_limit = std::chrono::minutes(2);

// Of the caller's environment: proxies, and how ssh and credential helpers reach what they know.
constexpr std::array k_variables{"http_proxy",
                                 "https_proxy",
                                 "HTTPS_PROXY",
                                 "all_proxy",
                                 "ALL_PROXY",
                                 "no_proxy",
                                 "NO_PROXY",
                                 "SSH_AUTH_SOCK",
                                 "XDG_RUNTIME_DIR",
                                 "DBUS_SESSION_BUS_ADDRESS",
                                 "GNUPGHOME",
                                 "USER",
                                 "LOGNAME"};

// Nobody is asked anything, nothing that was fetched is run, and nothing is fetched beside it.
// Objects are checked; what is wrong with the lines about authors in old commits does no harm.
using Settings = std::vector<std::pair<std::string, std::string>>;

Settings guarded() {
  return {{"credential.interactive", "false"},
          {"core.askPass", ""},
          {"submodule.recurse", "false"},
          {"fetch.recurseSubmodules", "false"},
          {"gc.auto", "0"},
          {"maintenance.auto", "false"},
          {"transfer.bundleURI", "false"},  // what a server says lies elsewhere is not fetched
          {"fetch.uriProtocols", ""},       // likewise
          {"fetch.unpackLimit", "1"},       // one file, so that its bound is the bound of all
          {"core.bigFileThreshold", "16m"}, // larger ones are streamed, not held
          {"fetch.fsckObjects", "true"},
          {"fetch.fsck.hasDot", "error"},
          {"fetch.fsck.hasDotdot", "error"},
          {"fetch.fsck.hasDotgit", "error"},
          {"fetch.fsck.fullPathname", "error"},
          {"fetch.fsck.missingSpaceBeforeDate", "ignore"},
          {"fetch.fsck.missingSpaceBeforeEmail", "ignore"},
          {"fetch.fsck.missingNameBeforeEmail", "ignore"},
          {"fetch.fsck.missingEmail", "ignore"},
          {"fetch.fsck.badEmail", "ignore"},
          {"fetch.fsck.badName", "ignore"},
          {"fetch.fsck.badDate", "ignore"},
          {"fetch.fsck.badDateOverflow", "ignore"},
          {"fetch.fsck.badTimezone", "ignore"},
          {"fetch.fsck.zeroPaddedDate", "ignore"},
          {"fetch.fsck.missingTaggerEntry", "ignore"},
          {"http.followRedirects", "false"},
          {"http.lowSpeedLimit", "1"}, // bytes a second, for two minutes
          {"http.lowSpeedTime", "120"}};
}

bool is_web(const GitAddress& address) {
  return address.transport == GitTransport::http || address.transport == GitTransport::https;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// `https://user@host/path` without the user, and back: what we ask with has no place for one.
std::string without_user(const GitAddress& address) {
  std::string text = address.text;
  std::size_t at = address.user.empty() ? std::string::npos : text.find(address.user);
  return at == std::string::npos ? text : text.erase(at, address.user.size());
}

std::string with_user(std::string url, const std::string& user) {
  return url.insert(url.find("://") + 3, user);
}

std::string without_slashes(std::string text) {
  while (text.ends_with('/')) {
    text.pop_back();
  }
  return text;
}

tl::unexpected<Error> no_repository(std::string_view name, const std::string& what) {
  return fail(ErrorCode::not_found,
              "there is no git repository at " + in_backticks(name) + what,
              "its name may be another, or it may need a login");
}

} // namespace

asio::awaitable<Result<GitRemote>> GitRemote::reach(models::Http& http,
                                                    std::string address,
                                                    std::string name,
                                                    std::string folder,
                                                    FetchSetting setting) {
  GitRemote remote;
  remote.m_name = std::move(name);
  remote.m_folder = std::move(folder);
  remote.m_setting = std::move(setting);
  remote.m_settings = guarded();
  CO_TRY_ASSIGN(GitAddress named, read_git_address(address));
  AWAIT(Result<void> taken, remote.take_rewritten(std::move(named)));
  CO_TRY(taken);
  if (is_web(remote.m_address)) {
    AWAIT(taken, remote.take_redirected(http));
    CO_TRY(taken);
  } else if (remote.m_address.transport == GitTransport::ssh) {
    AWAIT(taken, remote.take_ssh_command());
    CO_TRY(taken);
  }
  // It is where it is, and no setting makes another of it once more.
  remote.m_settings.emplace_back("url." + remote.url() + ".insteadOf", remote.url());
  remote.m_environment.push_back("GIT_ALLOW_PROTOCOL="
                                 + std::string(to_string(remote.m_address.transport)));
  co_return remote;
}

std::optional<std::string> GitRemote::variable(const std::string& name) const {
  std::optional<std::string> value =
      m_setting.environment ? m_setting.environment(name) : std::nullopt;
  return value && !value->empty() ? value : process_environment()(name);
}

git::GitCall GitRemote::call(std::vector<std::string> arguments, GitPlace place) const {
  git::GitCall call;
  call.arguments = std::move(arguments);
  call.folder = m_folder;
  call.home = m_setting.home;
  call.settings = m_settings;
  call.environment = m_environment;
  for (const char* entry : {"GIT_ASKPASS=",
                            "SSH_ASKPASS=",
                            "SSH_ASKPASS_REQUIRE=never",
                            "GCM_INTERACTIVE=never",
                            "GIT_LFS_SKIP_SMUDGE=1"}) {
    call.environment.emplace_back(entry);
  }
  if (!place.repository.empty()) {
    call.environment.push_back("GIT_DIR=" + place.repository);
  }
  if (!place.work_tree.empty()) {
    call.environment.push_back("GIT_WORK_TREE=" + place.work_tree);
  }
  // What lies above is no repository of ours.
  call.environment.push_back("GIT_CEILING_DIRECTORIES=" + parent_path(m_folder));
  for (const char* name : k_variables) {
    if (std::optional<std::string> value = variable(name)) {
      call.environment.push_back(std::string(name) + "=" + *value);
    }
  }
  if (std::optional<std::string> file = variable("SSL_CERT_FILE")) {
    call.environment.push_back("GIT_SSL_CAINFO=" + *file);
  }
  call.max_errors = 1u << 20;
  call.limit = k_limit;
  if (place.work_tree.empty()) { // who writes files does it without a word
    call.idle_limit = k_idle_limit;
  }
  call.limits = {{RLIMIT_FSIZE, k_most_pack}, {RLIMIT_DATA, k_most_memory}};
  return call;
}

asio::awaitable<Result<git::GitEnd>> GitRemote::ask(std::vector<std::string> arguments,
                                                    GitPlace place) const {
  return git::run_git(call(std::move(arguments), std::move(place)));
}

Error GitRemote::failure(const git::GitEnd& end) const {
  return git_failure(end.said, m_name, m_address.host.empty() ? m_name : m_address.host);
}

asio::awaitable<Result<std::string>> GitRemote::tell(std::vector<std::string> arguments,
                                                     GitPlace place) const {
  AWAIT(Result<git::GitEnd> end, ask(std::move(arguments), std::move(place)));
  CO_TRY(end);
  if (end->exit_code != 0) {
    co_return fail(failure(*end));
  }
  co_return std::move(end->output);
}

// What git answers without asking anybody; empty where it has no answer.
asio::awaitable<Result<std::string>>
GitRemote::own_setting(std::vector<std::string> arguments) const {
  AWAIT(Result<git::GitEnd> end, ask(std::move(arguments)));
  CO_TRY(end);
  co_return end->exit_code == 0 ? first_line(end->output) : std::string();
}

asio::awaitable<Result<void>> GitRemote::take_rewritten(GitAddress named) {
  m_address = named;
  std::vector<std::string> words{"ls-remote", "--get-url", "--", named.text};
  AWAIT(Result<std::string> url, own_setting(std::move(words)));
  CO_TRY(url);
  if (!url->empty() && *url != named.text) {
    CO_TRY_ASSIGN(m_address, read_git_address(*url));
    if (m_address.host != named.host && m_address.transport != GitTransport::file) {
      m_setting.by = NamedBy::person; // another host, by a person's own settings
    }
  }
  co_return check_git_address(m_address, m_setting);
}

asio::awaitable<Result<void>> GitRemote::take_redirected(models::Http& http) {
  const std::string user = m_address.user;
  CO_TRY_ASSIGN(install::WebAddress named, install::read_web_address(without_user(m_address)));
  if (!named.query.empty()) {
    co_return no_repository(m_name, ": an address of git has no `?`");
  }
  std::string asked = without_slashes(named.text()) + std::string(k_service);
  models::Headers headers{{"git-protocol", "version=2"}, {"user-agent", "git/2 (upskill)"}};
  AWAIT(Result<FetchReply> reply,
        http_get(http, std::move(asked), std::move(headers), k_most_advertised, m_setting));
  if (!reply) {
    // git may know a way that we do not: a proxy, or a certificate of its own settings.
    const bool is_git_asked =
        reply.error().code == ErrorCode::unavailable && m_setting.by == NamedBy::person;
    co_return is_git_asked ? Result<void>() : fail(std::move(reply.error()));
  }
  CO_TRY_ASSIGN(install::WebAddress found, install::read_web_address(reply->url));
  const bool is_there = reply->url.ends_with(k_service);
  if (reply->status == 404 || reply->status == 410) {
    co_return no_repository(m_name, "");
  }
  if (reply->status != 200 && reply->status != 401) {
    co_return fail(error_of_status(reply->status, found));
  }
  const std::string_view type = models::header(reply->headers, "content-type");
  const bool is_git = type.starts_with("application/x-git-upload-pack-advertisement");
  if (!is_there || (reply->status == 200 && !is_git)) {
    co_return no_repository(m_name,
                            is_there ? "" : ", which leads to " + in_backticks(found.where()));
  }
  std::string url = reply->url.substr(0, reply->url.size() - k_service.size());
  if (found.where() == named.where()) {
    url = with_user(std::move(url), user);
  }
  CO_TRY_ASSIGN(m_address, read_git_address(url));
  const bool is_name = found.host.find(':') == std::string::npos && found.host != reply->address;
  if (is_name && !reply->address.empty()) {
    const bool is_six = reply->address.find(':') != std::string::npos;
    std::string address = is_six ? "[" + reply->address + "]" : reply->address;
    m_settings.emplace_back("http.curloptResolve", found.where() + ":" + address);
  }
  co_return Result<void>();
}

// A person's own ssh, by whichever way git knows it, which may ask nothing.
asio::awaitable<Result<void>> GitRemote::take_ssh_command() {
  const bool is_person = m_setting.by == NamedBy::person;
  std::string command = is_person ? variable("GIT_SSH_COMMAND").value_or("") : "";
  if (command.empty()) {
    std::vector<std::string> words{"config", "--get", "core.sshCommand"};
    AWAIT(Result<std::string> configured, own_setting(std::move(words)));
    CO_TRY(configured);
    command = std::move(*configured);
  }
  if (command.empty()) {
    if (std::optional<std::string> program = variable("GIT_SSH"); is_person && program) {
      m_environment.push_back("GIT_SSH=" + *program);
      co_return Result<void>();
    }
    command = "ssh";
  }
  // Another program has other options.
  if (base_name(std::string_view(command).substr(0, command.find(' '))) == "ssh") {
    command += " -o BatchMode=yes";
  }
  m_environment.push_back("GIT_SSH_COMMAND=" + command);
  co_return Result<void>();
}

} // namespace upskill::fetch
