#include "daemon/sandbox/sandbox.h"

#include "daemon/await.h"
#include "daemon/sandbox/enclose.h"
#include "daemon/sandbox/private_folder.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

namespace upskill::sandbox {
namespace {

constexpr std::size_t k_max_report = 4096; // bytes of bubblewrap's own account
constexpr std::string_view k_hint =
    "`apt install bubblewrap`; the kernel must let users make namespaces "
    "(`sysctl kernel.unprivileged_userns_clone`, `kernel.apparmor_restrict_unprivileged_userns`)";

Result<UniqueFd> memory_file(std::string_view bytes) {
  UniqueFd fd(::memfd_create("sandbox", MFD_CLOEXEC));
  if (!fd) {
    return fail(system_error(errno, "a file in memory"));
  }
  while (!bytes.empty()) {
    ssize_t count = ::write(fd.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return fail(system_error(errno, "a file in memory"));
    }
    bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

// Whether bubblewrap says how the program ended; it does not where it could not run it at all.
bool is_accounted(int report) {
  std::string text(k_max_report, '\0');
  ssize_t size = ::pread(report, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return text.find("\"exit-code\"") != std::string::npos;
}

std::string first_line(std::string_view text) {
  return to_valid_utf8(utf8_prefix(text.substr(0, text.find('\n')), 300));
}

tl::unexpected<Error> not_here(const std::string& why) {
  return fail(
      ErrorCode::unavailable, "the sandbox does not work here: " + why, std::string(k_hint));
}

// More would take each other's time: a check that passes alone would end too late beside others.
std::size_t most_at_a_time() {
  return std::max<std::size_t>(2, std::thread::hardware_concurrency());
}

} // namespace

// One of those that run. Owner: the frame of run(). Lifetime: within the sandbox's.
class Sandbox::Place {
public:
  explicit Place(Sandbox& sandbox)
      : m_sandbox(sandbox) {
    ++m_sandbox.m_running;
  }

  ~Place() {
    --m_sandbox.m_running;
    m_sandbox.m_freed->notify_all();
  }

  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

private:
  Sandbox& m_sandbox;
};

Sandbox::Sandbox(std::string program)
    : m_program(std::move(program)) {}

asio::awaitable<Result<void>> Sandbox::check() {
  if (m_works) {
    co_return Result<void>();
  }
  CO_TRY_ASSIGN(PrivateFolder folder, PrivateFolder::make());
  Enclosed nothing;
  nothing.program.argv = {"true"};
  nothing.program.limit = std::chrono::seconds(10);
  nothing.workspace = folder.path();
  AWAIT(Result<runtime::ChildEnd> end, run_inside(std::move(nothing)));
  Result<void> works;
  if (!end) {
    works = fail(end.error());
  } else if (!end->is_success()) {
    works = not_here(end->timed_out ? "`true` did not end in time" : first_line(end->errors));
  }
  m_works = works.has_value();
  co_return works;
}

asio::awaitable<Result<runtime::ChildEnd>> Sandbox::run(Enclosed enclosed) {
  AWAIT(Result<void> works, check());
  CO_TRY(works);
  auto executor = co_await asio::this_coro::executor;
  if (!m_freed) {
    m_freed.emplace(executor);
  }
  while (m_running >= most_at_a_time()) {
    co_await m_freed->wait();
  }
  Place place(*this);
  AWAIT(Result<runtime::ChildEnd> end, run_inside(std::move(enclosed)));
  co_return end;
}

asio::awaitable<Result<runtime::ChildEnd>> Sandbox::run_inside(Enclosed enclosed) {
  if (enclosed.program.argv.empty()) {
    co_return fail(ErrorCode::invalid_argument, "there is no program to run");
  }
  CO_TRY_ASSIGN(std::vector<std::string> arguments, enclosing_arguments(enclosed));
  // By a file, not as arguments: everybody on the machine may read those, and keys may be among
  // the variables.
  std::string packed;
  for (const std::string& argument : arguments) {
    if (argument.find('\0') != std::string::npos) {
      co_return fail(ErrorCode::invalid_argument, "a program's arguments must not have zero bytes");
    }
    packed += argument;
    packed += '\0';
  }
  CO_TRY_ASSIGN(UniqueFd report, memory_file(""));
  CO_TRY_ASSIGN(UniqueFd given, memory_file(packed));
  std::vector<std::string> inner = inner_arguments(enclosed);
  runtime::ChildProgram program = std::move(enclosed.program);
  program.argv = {m_program, "--json-status-fd", "3", "--args", "4", "--"};
  program.argv.insert(program.argv.end(), inner.begin(), inner.end());
  program.environment.clear();
  program.folder = "/";
  program.descriptors = {report.get(), given.get()};
  program.limits = {{RLIMIT_CORE, 0},
                    {RLIMIT_DATA, enclosed.bounds.memory},
                    {RLIMIT_FSIZE, enclosed.bounds.file},
                    {RLIMIT_NOFILE, enclosed.bounds.descriptors}};
  AWAIT(Result<runtime::ChildEnd> end, runtime::run_child(std::move(program)));
  if (!end && end.error().code == ErrorCode::not_found) {
    co_return not_here(end.error().message);
  }
  CO_TRY(end);
  if (!end->timed_out && !end->was_excess && !is_accounted(report.get())) {
    std::string why = first_line(end->errors);
    co_return not_here(why.empty() ? "bubblewrap was ended from outside" : why);
  }
  co_return end;
}

} // namespace upskill::sandbox
