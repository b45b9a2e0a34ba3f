#include "clients/mcp/bridge.h"

#include "clients/connect/interrupt.h"
#include "clients/connect/line_stream.h"
#include "clients/mcp/handover.h"
#include "clients/mcp/relay.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>

namespace upskill::mcp {
namespace {

constexpr int k_could_not = 3;
constexpr long k_accept_limit_ms = 5000;
constexpr long k_first_pause_ms = 50;
constexpr long k_longest_pause_ms = 2000;
constexpr long k_steady_service_ms = 2000; // a daemon that lived this long is not in a crash loop
constexpr long k_drain_limit_ms = 2000;

// What starting and connecting used of the stack lies below us, and would stay resident for as long
// as the agent does. Of the main thread only: nothing else is mapped that near below its stack.
[[gnu::noinline]] void give_back_stack() {
  constexpr std::uintptr_t k_below = 64 * 1024;
  constexpr std::uintptr_t k_own_frames = 1024;
  if (::gettid() != ::getpid()) {
    return;
  }
  auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  std::uintptr_t end = (here - k_own_frames) & ~static_cast<std::uintptr_t>(::getpagesize() - 1);
  ::madvise(reinterpret_cast<void*>(end - k_below), k_below, MADV_DONTNEED);
}

// One agent's session, seen from outside. Owner: serve_agent; single-threaded.
class Bridge {
public:
  explicit Bridge(BridgeWorld world)
      : m_world(std::move(world)) {}

  int run() {
    if (Result<void> made = prepare(); !made) {
      return give_up(made.error());
    }
    for (;;) {
      Result<Word> word = serve_once();
      if (connect::interrupted_by() != 0) {
        return 128 + connect::interrupted_by();
      }
      if (!word) {
        if (is_final(word.error().code) || !pause(word.error())) {
          return connect::interrupted_by() != 0 ? 128 + connect::interrupted_by()
                                                : give_up(word.error());
        }
      } else if (*word == Word::ended) {
        finish_output();
        return 0;
      } else if (*word == Word::stopping) {
        if (!wait_for_input()) {
          finish_output();
          return connect::interrupted_by() != 0 ? 128 + connect::interrupted_by() : 0;
        }
      }
    }
  }

private:
  // Decides what is handed over: the agent's own descriptors, or pipes that we relay.
  Result<void> prepare() {
    TRY_ASSIGN(int memory, make_session_memory());
    m_memory.reset(memory);
    m_input = m_world.input.get();
    m_output = m_world.output.get();
    if (!can_be_handed_over(m_input, false)) {
      TRY(make_pipe());
      m_to_daemon = std::make_unique<Relay>(m_input, std::move(m_pipe_writer));
      m_input_pipe = std::move(m_pipe_reader);
      m_input = m_input_pipe.get();
    }
    if (!can_be_handed_over(m_output, true)) {
      TRY(make_pipe());
      m_output_pipe = std::move(m_pipe_writer);
      m_from_daemon_pipe = std::move(m_pipe_reader);
      m_from_daemon = std::make_unique<Relay>(m_from_daemon_pipe.get(), std::move(m_world.output));
      m_output = m_output_pipe.get();
    }
    return {};
  }

  Result<void> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      return fail(system_error(errno, "a pipe for the session"));
    }
    m_pipe_reader.reset(ends[0]);
    m_pipe_writer.reset(ends[1]);
    return {};
  }

  // From connecting to the word that ended it; `closed` when the daemon died in service.
  Result<Word> serve_once() {
    TRY_ASSIGN(UniqueFd socket, m_world.connect());
    connect::LineStream stream(std::move(socket));
    TRY(send_handover(stream.descriptor(), {m_input, m_output, m_memory.get()}));
    TRY_ASSIGN(std::string_view line, stream.receive(k_accept_limit_ms));
    Notice first = read_notice(line);
    if (first.word == Word::refused) {
      return fail(ErrorCode::refused, std::move(first.message), std::move(first.hint));
    }
    if (first.word == Word::stopping) {
      return fail(ErrorCode::unavailable, "the daemon is stopping");
    }
    if (first.word != Word::accepted) {
      return fail(ErrorCode::unsupported,
                  "what listens on the daemon's socket does not speak its language",
                  "restart the daemon: `upskill daemon stop`");
    }
    m_was_served = true;
    give_back_stack();
    long since = connect::steady_ms();
    Word word = follow(stream);
    if (word == Word::closed) {
      if (connect::steady_ms() - since < k_steady_service_ms) {
        return fail(ErrorCode::unavailable, "the daemon keeps ending", "see `upskill daemon logs`");
      }
    }
    m_failing_since.reset();
    m_pause_ms = 0;
    return word;
  }

  // Relays where that is needed and waits for the daemon's word.
  Word follow(connect::LineStream& stream) {
    for (;;) {
      // First what has been read already: two words may come in one piece.
      Result<std::string_view> line = stream.receive(0);
      if (line) {
        Word word = read_notice(*line).word;
        if (word == Word::ended || word == Word::stopping) {
          return word;
        }
        continue;
      }
      if (line.error().code != ErrorCode::timed_out) {
        return Word::closed;
      }
      std::array<pollfd, 3> entries = interests(stream.descriptor());
      if (connect::wait(entries, -1) < 0) {
        return Word::closed;
      }
      relay(entries[1].revents, entries[2].revents);
      if (nobody_listens()) {
        return Word::ended;
      }
    }
  }

  // What we relay to has gone: the agent's end of its output is closed.
  bool nobody_listens() const { return m_from_daemon && m_from_daemon->finished(); }

  std::array<pollfd, 3> interests(int first) const {
    return {pollfd{first, POLLIN, 0},
            m_to_daemon ? m_to_daemon->interest() : pollfd{-1, 0, 0},
            m_from_daemon ? m_from_daemon->interest() : pollfd{-1, 0, 0}};
  }

  void relay(short to_daemon, short from_daemon) {
    if (m_to_daemon) {
      m_to_daemon->act(to_daemon);
    }
    if (m_from_daemon) {
      m_from_daemon->act(from_daemon);
    }
  }

  // After a stop on purpose: the daemon comes back when the agent speaks again. False when it never
  // will (its input has ended with nothing left in it), or after a signal.
  bool wait_for_input() {
    for (;;) {
      std::array<pollfd, 3> entries = interests(m_input);
      if (connect::wait(entries, -1) < 0) {
        return false;
      }
      relay(entries[1].revents, entries[2].revents);
      if (nobody_listens()) {
        return false;
      }
      if (entries[0].revents != 0) {
        int waiting = 0;
        return ::ioctl(m_input, FIONREAD, &waiting) != 0 || waiting > 0;
      }
    }
  }

  // Before the next try: none after the first failure, then 50 ms, doubled up to 2 s. False when it
  // has gone on for too long, or after a signal.
  bool pause(const Error&) {
    long now = connect::steady_ms();
    if (!m_failing_since) {
      m_failing_since = now;
    }
    long limit = m_was_served ? m_world.give_up_ms : m_world.give_up_at_first_ms;
    if (now - *m_failing_since + m_pause_ms > limit) {
      return false;
    }
    if (m_pause_ms > 0 && connect::wait({}, m_pause_ms) < 0) {
      return false;
    }
    m_pause_ms = std::clamp(2 * m_pause_ms, k_first_pause_ms, k_longest_pause_ms);
    return true;
  }

  // Trying again would not help.
  static bool is_final(ErrorCode code) {
    return code == ErrorCode::refused || code == ErrorCode::not_found
           || code == ErrorCode::unsupported || code == ErrorCode::invalid_argument
           || code == ErrorCode::permission || code == ErrorCode::too_large;
  }

  void finish_output() {
    if (m_from_daemon) {
      m_from_daemon->drain(k_drain_limit_ms);
    }
  }

  int give_up(const Error& error) {
    m_world.complain(error);
    return k_could_not;
  }

  BridgeWorld m_world;
  UniqueFd m_memory = {};
  int m_input = -1;  // what is handed over
  int m_output = -1; // likewise
  UniqueFd m_pipe_reader = {};
  UniqueFd m_pipe_writer = {};
  // Kept open, so that the same pipes can be handed to the next daemon.
  UniqueFd m_input_pipe = {};
  UniqueFd m_output_pipe = {};
  UniqueFd m_from_daemon_pipe = {};
  // Rare, and their buffers are no load for the stack of those that need none.
  std::unique_ptr<Relay> m_to_daemon = {};
  std::unique_ptr<Relay> m_from_daemon = {};
  std::optional<long> m_failing_since = {};
  long m_pause_ms = 0;
  bool m_was_served = false;
};

} // namespace

int serve_agent(BridgeWorld world) {
  return Bridge(std::move(world)).run();
}

} // namespace upskill::mcp
