#pragma once
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "tests/bench/bench.h"
#include "tests/bench/files.h"
#include "tests/bench/http_connection.h"
#include "tests/bench/process.h"

#include <memory>
#include <string>
#include <vector>

namespace upskill::bench {

// A home of three agents whose skills lie in `.agents/skills`, `.claude/skills` and
// `.cursor/skills`, and the daemon that looks after it.
class Home {
public:
  Home(const Settings& settings, const std::string& parent);
  ~Home();

  // In the order above.
  std::string root(std::size_t number) const;
  static constexpr std::size_t k_roots = 3;

  // Starts the daemon; returns when it listens. `program` is a path: another daemon than
  // `upskilld`.
  void start(const std::vector<std::string>& arguments = {}, const std::string& program = {});
  // Ends it and waits for that.
  void stop();

  pid_t daemon() const { return m_daemon->pid(); }

  // Ends one that somebody else has started.
  void stop_unknown() const;

  // Every skill into every root, by `upskill sync enable`; returns when they are there.
  void enable_sync() const;

  void wait_idle() const { command({"sync", "wait"}); }

  // Waits until the daemon has given back what only its work needed: a second after that, and
  // nothing outside tells when.
  static void rest();

  // Runs `upskill WORDS`; fails unless it ends well.
  void command(const std::vector<std::string>& words) const;
  // The same, without waiting, with its stdin and stdout.
  std::unique_ptr<Process> program(const std::vector<std::string>& words) const;

  UniqueFd connect() const;
  // Where a daemon that was started with `--http` listens.
  HttpPlace http() const;

  const std::string& path() const { return m_folder.path(); }

private:
  ProcessOptions options(bool pipes) const;
  Places places() const;

  Scratch m_folder;
  std::string m_programs;
  std::unique_ptr<Process> m_daemon;
};

// A program that is built with the benches and for them.
std::string beside_bench(std::string_view name);

} // namespace upskill::bench
