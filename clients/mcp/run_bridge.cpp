#include "clients/connect/interrupt.h"
#include "clients/connect/start.h"
#include "clients/mcp/bridge.h"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>

namespace upskill::mcp {
namespace {

void say(std::string_view text) {
  (void)!::write(2, text.data(), text.size());
}

void complain(const Error& error) {
  std::string text = "upskill mcp: " + error.message + "\n";
  if (!error.hint.empty()) {
    text += "hint: " + error.hint + "\n";
  }
  say(text);
}

// Moves a standard descriptor to a number that no stray print or child knows.
UniqueFd take_over(int standard, const char* instead) {
  UniqueFd own(::fcntl(standard, F_DUPFD_CLOEXEC, 10));
  if (instead != nullptr) {
    UniqueFd other(::open(instead, O_RDWR | O_CLOEXEC));
    ::dup2(other.get(), standard);
  } else {
    ::dup2(2, standard);
  }
  return own;
}

} // namespace

int run_bridge() {
  if (::fcntl(2, F_GETFD) < 0) {
    // Whatever is opened next would take the number and receive our messages.
    UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    ::dup2(null.get(), 2);
  }
  connect::catch_interrupts();
  if (::isatty(0) != 0) {
    say("upskill mcp is what a coding agent starts: it speaks MCP (JSON, a message a line) on "
        "stdin "
        "and stdout.\nEnd with Ctrl-D; `upskill help mcp` shows how to tell an agent about it.\n");
  }
  BridgeWorld world;
  world.input = take_over(0, "/dev/null");
  world.output = take_over(1, nullptr);
  world.complain = &complain;
  if (!world.input || !world.output) {
    complain(
        {ErrorCode::io, "stdin or stdout is closed", "start it with both open, as an agent does"});
    return 3;
  }
  Environment environment = process_environment();
  Result<Places> places = find_places(environment);
  if (!places) {
    complain(places.error());
    return 3;
  }
  world.connect = [&] { return connect::connect_or_start(*places, environment); };
  return serve_agent(std::move(world));
}

} // namespace upskill::mcp
