#include "clients/cli/watch_terminal.h"

#include "clients/cli/page.h"

#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace upskill::cli {
namespace {

// xterm's control sequences, which all others have taken over: alternate screen, cursor, wrapping
// at the right edge.
constexpr std::string_view k_enter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
constexpr std::string_view k_leave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
// Terminals that know it show a frame whole; the others take no notice.
constexpr std::string_view k_begin_frame = "\x1b[?2026h";
constexpr std::string_view k_end_frame = "\x1b[?2026l";

sigset_t window_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGWINCH, SIGTSTP, SIGCONT}) {
    sigaddset(&set, signal);
  }
  return set;
}

} // namespace

Result<WatchTerminal> WatchTerminal::open() {
  termios usual{};
  if (::tcgetattr(0, &usual) != 0) {
    return fail(system_error(errno, "the terminal"));
  }
  sigset_t set = window_signals();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  UniqueFd signals(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals) {
    return fail(system_error(errno, "a descriptor for signals"));
  }
  return WatchTerminal(std::move(signals), usual);
}

WatchTerminal::WatchTerminal(UniqueFd signals, const termios& usual)
    : m_signals(std::move(signals))
    , m_usual(usual) {}

WatchTerminal::~WatchTerminal() {
  if (m_signals) { // it was not moved from
    leave();
  }
}

void WatchTerminal::enter() {
  termios raw = m_usual;
  // ISIG stays: Ctrl-C and Ctrl-Z are signals. Ctrl-\ would end it without a word, Ctrl-S stop it.
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL);
  raw.c_cc[VQUIT] = _POSIX_VDISABLE;
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(0, TCSANOW, &raw);
  write_all(1, k_enter);
  m_is_entered = true;
  m_is_stale = true;
}

void WatchTerminal::leave() {
  if (std::exchange(m_is_entered, false)) {
    ::tcflush(0, TCIFLUSH); // keys that were meant for the picture are not for the shell
    ::tcsetattr(0, TCSANOW, &m_usual);
    write_all(1, k_leave); // last: who sees the shell again may type
  }
}

void WatchTerminal::take_signals() {
  signalfd_siginfo info{};
  bool is_to_stop = false;
  while (::read(m_signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    is_to_stop = is_to_stop || info.ssi_signo == SIGTSTP;
    m_is_stale = true;
    if (info.ssi_signo == SIGCONT && m_is_entered) {
      enter(); // the shell may have set the terminal up for itself
    }
  }
  if (is_to_stop) {
    leave();
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    ::raise(SIGTSTP);
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr); // stops here, until SIGCONT
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    enter();
  }
}

Result<std::string> WatchTerminal::read_keys() const {
  std::array<char, 512> buffer;
  ssize_t got = ::read(0, buffer.data(), buffer.size());
  if (got > 0) {
    return std::string(buffer.data(), static_cast<std::size_t>(got));
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return std::string();
  }
  return fail(ErrorCode::unavailable, "the terminal has gone");
}

WindowSize WatchTerminal::size() const {
  winsize size{};
  if (::ioctl(1, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

void WatchTerminal::show(const std::vector<std::string>& lines) {
  if (!m_is_entered) {
    enter();
  }
  std::string frame;
  if (m_is_stale) {
    frame += "\x1b[2J";
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    bool is_same = !m_is_stale && i < m_shown.size() && m_shown[i] == lines[i];
    if (!is_same) {
      frame += "\x1b[" + std::to_string(i + 1) + ";1H" + lines[i] + "\x1b[0m\x1b[K";
    }
  }
  if (!frame.empty()) {
    write_all(1, std::string(k_begin_frame) + frame + std::string(k_end_frame));
  }
  m_shown = lines;
  m_is_stale = false;
}

} // namespace upskill::cli
