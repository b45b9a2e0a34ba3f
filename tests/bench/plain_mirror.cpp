#include "tests/bench/plain_mirror.h"

#include "protocol/base/unique_fd.h"
#include "tests/bench/bench.h"
#include "tests/bench/floors.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

namespace upskill::bench {
namespace {

using Names = std::map<int, std::string>; // inotify watch -> skill

void swap_in(const std::string& from, const std::string& root, const std::string& skill) {
  std::string staged = root + ".stage-" + skill;
  copy_folder(from + "/" + skill, staged);
  std::string target = root + "/" + skill;
  ::syscall(SYS_renameat2, AT_FDCWD, staged.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE);
  // Real ones keep it for a minute; here it goes after the swap that is waited for.
  std::filesystem::remove_all(staged);
}

[[noreturn]] void mirror(const std::vector<std::string>& roots, int ready) {
  UniqueFd inotify(::inotify_init1(IN_CLOEXEC));
  Names names;
  for (const auto& entry : std::filesystem::directory_iterator(roots.front())) {
    int watch = ::inotify_add_watch(
        inotify.get(), entry.path().c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE);
    names.emplace(watch, entry.path().filename());
  }
  (void)::write(ready, "1", 1);
  std::vector<char> buffer(65536);
  for (;;) {
    ssize_t got = ::read(inotify.get(), buffer.data(), buffer.size());
    std::set<std::string> changed;
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      if (std::string_view(buffer.data() + at + sizeof event).ends_with(".md")) {
        changed.insert(names[event.wd]);
      }
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
    for (const std::string& skill : changed) {
      for (std::size_t i = 1; i < roots.size(); ++i) {
        swap_in(roots.front(), roots[i], skill);
      }
    }
  }
}

} // namespace

PlainMirror::PlainMirror(const std::vector<std::string>& roots) {
  std::array<int, 2> ready{};
  require(::pipe2(ready.data(), O_CLOEXEC) == 0, "cannot make a pipe");
  UniqueFd reader(ready[0]);
  UniqueFd writer(ready[1]);
  m_child = ::fork();
  if (m_child == 0) {
    try {
      mirror(roots, writer.get());
    } catch (const std::exception&) {
      ::_exit(1);
    }
  }
  writer.reset();
  char byte = 0;
  require(m_child > 0 && ::read(reader.get(), &byte, 1) == 1, "the plain mirror does not start");
}

PlainMirror::~PlainMirror() {
  ::kill(m_child, SIGKILL);
  ::waitpid(m_child, nullptr, 0);
}

} // namespace upskill::bench
