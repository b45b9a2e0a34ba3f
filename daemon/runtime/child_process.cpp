#include "daemon/runtime/child_process.h"

#include "daemon/await.h"
#include "daemon/runtime/condition.h"
#include "protocol/base/utf8.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>

namespace upskill::runtime {
namespace {

constexpr int k_pidfd = 3; // P_PIDFD, which Debian 12's <sys/wait.h> has and older ones do not
constexpr std::size_t k_piece = 16u << 10;    // bytes read at once
constexpr int k_pieces = 16;                  // in a row, then it is the others' turn
constexpr std::size_t k_left_over = 2u << 20; // more than a pipe holds
constexpr auto k_killed_limit = std::chrono::seconds(10);

using Descriptor = asio::posix::stream_descriptor;

// Cuts what comes in pieces into lines.
class Lines {
public:
  Lines(std::function<void(std::string_view)> tell, std::size_t most)
      : m_tell(std::move(tell))
      , m_most(most) {}

  void add(std::string_view piece) {
    while (m_tell && !piece.empty()) {
      std::size_t end = piece.find('\n');
      std::string_view part = piece.substr(0, end);
      m_line += part.substr(0, m_most - std::min(m_most, m_line.size()));
      m_is_open = true;
      if (end == std::string_view::npos) {
        return;
      }
      piece.remove_prefix(end + 1);
      finish();
    }
  }

  // A last line may lack its newline.
  void finish() {
    if (m_is_open && m_tell) {
      std::string line = std::exchange(m_line, {});
      m_is_open = false;
      m_tell(line);
    }
  }

private:
  std::function<void(std::string_view)> m_tell;
  std::size_t m_most;
  std::string m_line = {};
  bool m_is_open = false;
};

// One program while it runs. Owner: run_child, and the handlers that wait for its descriptors, so
// that it is there when they are told of their end. Thread: that of the executor only.
class Running : public std::enable_shared_from_this<Running> {
public:
  Running(const asio::any_io_executor& executor, ChildProgram program)
      : changed(executor)
      , m_program(std::move(program))
      , m_process(executor)
      , m_output(executor)
      , m_errors(executor)
      , m_lines(std::move(m_program.on_line), m_program.max_line)
      , m_alarm(executor, [this] { ring(); }) {}

  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // The loop ended before the program did.
  ~Running() {
    if (m_pid > 0) {
      ::kill(-m_pid, SIGKILL);
      ::waitpid(m_pid, nullptr, 0);
    }
  }

  Result<void> start() {
    TRY_ASSIGN(StartedChild child,
               start_child(m_program.argv,
                           m_program.environment,
                           m_program.folder,
                           m_program.input,
                           m_program.limits,
                           m_program.descriptors));
    m_pid = child.pid;
    m_program.input.reset();
    m_started = Clock::now();
    m_last_byte = m_started;
    m_process.assign(child.process.release());
    m_output.assign(child.output.release());
    m_errors.assign(child.errors.release());
    auto self = shared_from_this();
    m_process.async_wait(Descriptor::wait_read, [self](boost::system::error_code failure) {
      if (!failure) {
        self->reap();
      }
    });
    wait(m_output);
    wait(m_errors);
    set_alarm();
    return {};
  }

  // Asks it to end, and sees to it that it does.
  void end() {
    if (m_stage == Stage::runs && m_pid > 0) {
      m_stage = Stage::asked;
      m_next = Clock::now() + m_program.grace;
      ::kill(-m_pid, SIGTERM);
      ::kill(-m_pid, SIGCONT); // who is stopped hears nothing else
      set_alarm();
    }
  }

  bool is_over() const { return m_pid <= 0 || m_failure; }

  Result<ChildEnd> result() {
    if (m_failure) {
      return fail(*m_failure);
    }
    return std::move(m_end);
  }

  Condition changed; // also when it is over

private:
  enum class Stage { runs, asked, killed };

  void wait(Descriptor& from) {
    auto self = shared_from_this();
    from.async_wait(Descriptor::wait_read, [self, &from](boost::system::error_code failure) {
      if (!failure && from.is_open()) {
        self->read_some(from);
      }
    });
  }

  void read_some(Descriptor& from) {
    for (int i = 0; i < k_pieces; ++i) {
      if (!read_piece(from)) {
        break;
      }
    }
    if (from.is_open()) {
      wait(from);
    }
    set_alarm();
  }

  // True when there may be more at once. Closes what has ended.
  bool read_piece(Descriptor& from) {
    std::array<char, k_piece> buffer;
    ssize_t count = ::read(from.native_handle(), buffer.data(), buffer.size());
    if (count < 0) {
      if (errno == EAGAIN || errno == EINTR) {
        return errno == EINTR;
      }
      count = 0;
    }
    if (count == 0) {
      close(from);
      return false;
    }
    m_last_byte = Clock::now();
    keep(&from == &m_output, {buffer.data(), static_cast<std::size_t>(count)});
    return true;
  }

  void keep(bool is_output, std::string_view piece) {
    std::string& kept = is_output ? m_end.output : m_end.errors;
    std::size_t most = is_output ? m_program.max_output : m_program.max_errors;
    std::size_t room = most - std::min(most, kept.size());
    kept += piece.substr(0, room);
    if (piece.size() > room) {
      (is_output ? m_end.output_truncated : m_end.errors_truncated) = true;
      if (m_program.excess == Excess::kill && m_stage == Stage::runs) {
        m_end.was_excess = m_pid > 0;
        end();
      }
    }
    if (is_output) {
      m_lines.add(piece);
    }
  }

  void close(Descriptor& descriptor) {
    boost::system::error_code ignored; // nothing was written to it
    descriptor.close(ignored);
  }

  // It has ended. Its group goes before it is reaped: then the number may be another's.
  void reap() {
    ::kill(-m_pid, SIGKILL);
    siginfo_t info{};
    int done = 0;
    do {
      done = ::waitid(static_cast<idtype_t>(k_pidfd),
                      static_cast<id_t>(m_process.native_handle()),
                      &info,
                      WEXITED);
    } while (done != 0 && errno == EINTR);
    if (done != 0) {
      m_failure = system_error(errno, "how " + in_backticks(m_program.argv.front()) + " ended");
    } else if (info.si_code == CLD_EXITED) {
      m_end.exit_code = info.si_status;
    } else {
      m_end.signal = info.si_status;
    }
    m_pid = -1;
    m_end.took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - m_started);
    for (Descriptor* left : {&m_output, &m_errors}) {
      for (std::size_t bytes = 0; left->is_open() && bytes < k_left_over; bytes += k_piece) {
        if (!read_piece(*left)) {
          break;
        }
      }
    }
    m_lines.finish();
    leave();
  }

  // Nothing waits any more.
  void leave() {
    close(m_process);
    close(m_output);
    close(m_errors);
    m_alarm.clear();
    changed.notify_all();
  }

  void set_alarm() {
    if (is_over()) {
      return;
    }
    if (m_stage == Stage::runs) {
      m_next = m_started + m_program.limit;
      if (m_program.idle_limit) {
        m_next = std::min(m_next, m_last_byte + *m_program.idle_limit);
      }
    }
    m_alarm.set(m_next);
  }

  void ring() {
    if (is_over()) {
      return;
    }
    if (m_stage == Stage::runs) {
      m_end.timed_out = true;
      m_end.is_idle = Clock::now() < m_started + m_program.limit;
      end();
    } else if (m_stage == Stage::asked) {
      m_stage = Stage::killed;
      ::kill(-m_pid, SIGKILL);
      m_next = Clock::now() + k_killed_limit;
      set_alarm();
    } else {
      // Within the kernel, waiting for a disk. init reaps it once we have gone.
      m_failure = Error{ErrorCode::unavailable,
                        in_backticks(m_program.argv.front()) + " could not be ended"};
      m_pid = -1;
      leave();
    }
  }

  ChildProgram m_program;
  Descriptor m_process;
  Descriptor m_output;
  Descriptor m_errors;
  Lines m_lines;
  pid_t m_pid = -1; // while it is ours to end
  Stage m_stage = Stage::runs;
  Clock::time_point m_started = {};
  Clock::time_point m_last_byte = {};
  Clock::time_point m_next = {};
  ChildEnd m_end = {};
  std::optional<Error> m_failure = {};
  Alarm m_alarm;
};

} // namespace

asio::awaitable<Result<ChildEnd>> run_child(ChildProgram program) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
  bool throws = co_await asio::this_coro::throw_if_cancelled();
  // Of a caller that cleans up after a cancellation, only a further one counts.
  const asio::cancellation_type before = state.cancelled();
  bool cancelled = throws && before != asio::cancellation_type::none;
  if (!cancelled) {
    auto running = std::make_shared<Running>(executor, std::move(program));
    CO_TRY(running->start());
    // A cancellation ends the program first, and then this.
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!running->is_over()) {
      co_await running->changed.wait();
      if (state.cancelled() != before) {
        cancelled = true;
        running->end();
      }
    }
    co_await asio::this_coro::throw_if_cancelled(throws);
    if (!cancelled) {
      co_return running->result();
    }
  }
  throw boost::system::system_error(asio::error::operation_aborted);
}

} // namespace upskill::runtime
