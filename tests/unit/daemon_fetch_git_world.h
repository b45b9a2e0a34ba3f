#pragma once
#include "daemon/await.h"
#include "daemon/fetch/fetcher.h"
#include "daemon/fetch/git_fetch.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/pool.h"
#include "tests/support/daemon_process.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Real repositories, real servers, and somebody who fetches from them.
namespace fetch_git_test {

using namespace upskill;
using namespace upskill::fetch;

// tests/file_server on the folders of a test. It ends with this.
class FileServer {
public:
  explicit FileServer(const std::string& folder) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    UniqueFd out(ends[0]);
    UniqueFd in(ends[1]);
    const std::string git = folder + "/repositories";
    const std::string files = folder + "/files";
    const std::string requests = folder + "/asked";
    m_pid = ::fork();
    REQUIRE(m_pid >= 0);
    if (m_pid == 0) {
      ::dup2(in.get(), 1);
      ::execl(UPSKILL_FILE_SERVER,
              UPSKILL_FILE_SERVER,
              "--git",
              git.c_str(),
              "--files",
              files.c_str(),
              "--requests",
              requests.c_str(),
              "--daemon",
              "yes",
              nullptr);
      ::_exit(127);
    }
    in.reset();
    tests::LineReader lines(out.get());
    port = lines.line().value_or("");
    git_port = lines.line().value_or("");
    REQUIRE_FALSE(git_port.empty());
  }

  ~FileServer() {
    ::kill(m_pid, SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
  }

  FileServer(FileServer&&) = delete;

  std::string url(const std::string& path) const { return "http://127.0.0.1:" + port + path; }

  std::string git_url(const std::string& path) const {
    return "git://127.0.0.1:" + git_port + path;
  }

  std::string port = {};
  std::string git_port = {};

private:
  pid_t m_pid = -1;
};

struct World {
  World() {
    for (const char* name : {"home", "repositories", "files", "scratch"}) {
      std::filesystem::create_directories(folder / name);
    }
  }

  // Runs a script of bash in `repositories`, with this home and nothing else of ours.
  void shell(const std::string& script) {
    tests::put_file(folder / "script",
                    "set -e\ncd " + folder.path() + "/repositories\n"
                        + "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a "
                          "GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_GLOBAL=/dev/null\n"
                          "skill() { mkdir -p $1; printf -- '---\\nname: %s\\ndescription: What %s "
                          "does.\\n---\\nDo it.\\n' $2 $2 >$1/SKILL.md; }\n"
                        + script);
    const std::string command = "env -i HOME=" + folder.path() + "/home PATH=/usr/bin:/bin bash "
                                + folder.path() + "/script >" + folder.path() + "/said 2>&1";
    const int status = std::system(command.c_str());
    REQUIRE_MESSAGE(status == 0, tests::file_text(folder / "said"));
  }

  // What a script prints, without its last newline.
  std::string told(const std::string& script) {
    shell("{\n" + script + "\n} >" + folder.path() + "/told");
    std::string text = tests::file_text(folder / "told");
    while (text.ends_with('\n')) {
      text.pop_back();
    }
    return text;
  }

  // A repository with two skills, on `main`.
  void two_skills(const std::string& name = "two.git") {
    shell("git init -q -b main " + name + "; cd " + name
          + "; skill skills/pdf pdf; skill skills/xlsx xlsx; echo data >skills/pdf/data\n"
            "git add -A; git commit -qm first");
  }

  std::string file_url(const std::string& name) const {
    return "file://" + folder.path() + "/repositories/" + name;
  }

  // Until it has ended, whatever else waits on the loop; what it throws is thrown on.
  void run(asio::awaitable<void> body) {
    std::exception_ptr failure;
    bool has_ended = false;
    asio::co_spawn(io, std::move(body), [&](std::exception_ptr thrown) {
      failure = std::move(thrown);
      has_ended = true;
    });
    io.restart();
    while (!has_ended) {
      io.run_one();
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
    CHECK(http.running() == 0);
  }

  asio::awaitable<void> looked(install::Source source, Result<Offer>* into) {
    Result<Offer> offer = fail(ErrorCode::internal, "not asked");
    asio::awaitable<Result<Offer>> look =
        look_at_git(http, folder.path() + "/scratch", std::move(source), setting(), pool.of(1));
    offer = co_await std::move(look);
    *into = std::move(offer);
  }

  Result<Offer>
  look(const std::string& address, const std::string& ref = {}, const std::string& within = {}) {
    install::Source source;
    source.kind = install::SourceKind::git;
    source.name = "the-source";
    source.address = address;
    source.ref = ref;
    source.folder = within;
    Result<Offer> offer = fail(ErrorCode::internal, "not asked");
    run(looked(std::move(source), &offer));
    return offer;
  }

  FetchSetting setting() const {
    FetchSetting said = asked_with;
    said.home = folder.path() + "/home";
    said.environment = [variables = environment](const std::string& name) {
      for (const auto& [known, value] : variables) {
        if (known == name) {
          return std::optional(value);
        }
      }
      return std::optional<std::string>();
    };
    return said;
  }

  // The daemon's own work is done in its order.
  asio::awaitable<void> tidied() {
    auto nothing = [] {};
    AWAIT_DONE(runtime::offload(pool.of(0), std::move(nothing)));
  }

  // Nothing may stay of what failed.
  bool is_clean() {
    run(tidied());
    return std::filesystem::is_empty(std::filesystem::path(folder.path()) / "scratch");
  }

  tests::TemporaryFolder folder;
  FetchSetting asked_with = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  asio::io_context io;
  models::Http http{io.get_executor()};
  runtime::Pool pool{2};
};

inline std::string message_of(const Result<Offer>& offer) {
  return offer ? "no error" : offer.error().message;
}

inline std::vector<std::string> names_of(const Offer& offer) {
  std::vector<std::string> names;
  for (const Offered& skill : offer.skills) {
    names.push_back(skill.name);
  }
  return names;
}

} // namespace fetch_git_test
