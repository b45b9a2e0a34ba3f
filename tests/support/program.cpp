#include "tests/support/program.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

namespace upskill::tests {
namespace {

// Null-terminated, as the system wants it.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// The end that is read, the end that is written.
std::array<UniqueFd, 2> make_pipe() {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

} // namespace

Program::Program(const std::string& home, std::vector<std::string> words) {
  auto [their_input, input] = make_pipe();
  auto [output, their_output] = make_pipe();
  words.insert(words.begin(), UPSKILL_TEST_CLIENT);
  std::vector<std::string> environment = environment_in(home);
  std::string errors = home + "/client-stderr";
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, their_input.get(), 0);
  ::posix_spawn_file_actions_adddup2(&actions, their_output.get(), 1);
  ::posix_spawn_file_actions_addopen(
      &actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  int failure = ::posix_spawn(&m_pid,
                              words.front().c_str(),
                              &actions,
                              nullptr,
                              pointers_to(words).data(),
                              pointers_to(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  REQUIRE(failure == 0);
  m_input = std::move(input);
  m_output = std::move(output);
  m_reader = LineReader(m_output.get());
}

Program::~Program() {
  if (m_pid > 0) {
    ::kill(m_pid, SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
  }
}

void Program::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(m_input.get(), bytes.data(), bytes.size());
    REQUIRE(written > 0);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

int Program::wait_end() {
  int code = wait_end_of(m_pid);
  m_pid = -1;
  return code;
}

} // namespace upskill::tests
