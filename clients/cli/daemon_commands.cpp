#include "clients/cli/daemon_commands.h"

#include "clients/cli/call_method.h"
#include "clients/cli/complain.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/json_output.h"
#include "clients/cli/log_follower.h"
#include "clients/cli/render.h"
#include "clients/cli/text.h"
#include "clients/cli/unit_text.h"
#include "clients/connect/call.h"
#include "clients/connect/interrupt.h"
#include "clients/connect/process.h"
#include "clients/connect/socket.h"
#include "clients/connect/start.h"
#include "protocol/codec/codec.h"
#include "protocol/methods.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace upskill::cli {
namespace {

constexpr std::size_t k_usual_lines = 100;

int end_with(const Error& error, const Invocation& invocation) {
  complain(error, invocation.no_color);
  return exit_code_of(error);
}

// True when a daemon listens; an error of another kind (a foreign run folder) comes back.
Result<bool> is_running(const Places& places) {
  Result<UniqueFd> socket = connect::connect_to_daemon(places);
  if (!socket && socket.error().code != ErrorCode::unavailable) {
    return fail(std::move(socket).error());
  }
  return socket.has_value();
}

// Where the running daemon logs.
Result<std::string> log_of_daemon(const Places& places) {
  TRY_ASSIGN(UniqueFd socket, connect::connect_to_daemon(places));
  connect::LineStream stream(std::move(socket));
  connect::CallRequest request;
  request.method = k_daemon_logs.name;
  request.arguments = "{\"lines\":0}";
  request.version = UPSKILL_VERSION;
  TRY_ASSIGN(connect::CallReply reply, connect::call(stream, request, {}));
  TRY_ASSIGN(connect::TextReader reader, connect::TextReader::open(reply.result, "the answer"));
  TRY_ASSIGN(DaemonLogsResult result, decode<DaemonLogsResult>(reader, "result"));
  if (result.path.empty()) {
    return fail(ErrorCode::unsupported,
                "the daemon logs to the terminal it was started on",
                "start it with `upskill daemon start`, then it logs to a file");
  }
  return std::move(result.path);
}

} // namespace

int run_daemon(const Invocation& invocation, const Environment& environment) {
  // upskilld itself would leave without a word, as one of two that were started at once must.
  Result<Places> places = find_places(environment);
  Result<bool> running = places ? is_running(*places) : Result<bool>(false);
  bool only_asks = std::ranges::find(invocation.rest, "--version") != invocation.rest.end();
  if (running && *running && !only_asks) {
    return end_with({ErrorCode::busy,
                     "a daemon is running already",
                     "`upskill daemon stop` ends it; `upskill daemon logs -f` shows its log"},
                    invocation);
  }
  Result<std::string> program = connect::find_daemon_program(environment);
  if (!program) {
    return end_with(program.error(), invocation);
  }
  std::vector<char*> words{program->data()};
  std::vector<std::string> rest = invocation.rest;
  for (std::string& word : rest) {
    words.push_back(word.data());
  }
  words.push_back(nullptr);
  if (invocation.json && !only_asks) {
    // It becomes the daemon, so this is its process; what follows is the log, on stderr.
    print_json("{\"pid\":" + std::to_string(::getpid()) + "}");
  }
  ::execv(words.front(), words.data());
  return end_with(system_error(errno, "`" + *program + "`"), invocation);
}

int start_daemon(const Invocation& invocation, const Environment& environment) {
  connect::catch_interrupts();
  Result<Places> places = find_places(environment);
  if (!places) {
    return end_with(places.error(), invocation);
  }
  Result<UniqueFd> socket = connect::connect_to_daemon(*places);
  bool started = !socket && socket.error().code == ErrorCode::unavailable;
  std::optional<std::string> http = invocation.value("http");
  if (started) {
    std::vector<std::string> options;
    if (http) {
      options = {"--http", *http};
    }
    socket = connect::connect_or_start(*places, environment, std::move(options));
  } else if (http && socket) {
    return end_with({ErrorCode::busy,
                     "a daemon is running already, so `--http` cannot be given to it",
                     "`upskill daemon stop` ends it; then start it again"},
                    invocation);
  }
  if (!socket) {
    return end_with(socket.error(), invocation);
  }
  if (invocation.json) {
    print_json("{\"pid\":" + std::to_string(connect::peer_of(socket->get()))
               + ",\"started\":" + (started ? "true" : "false") + "}");
  } else {
    write_all(1, started ? "The daemon is running.\n" : "The daemon is running already.\n");
  }
  return k_done;
}

std::string unit_text(std::string_view program) {
  std::string text = k_unit_text;
  // systemd.service(5): `%` and, within quotes, `"` and `\` are special.
  std::string quoted;
  for (char c : program) {
    quoted += c == '%' ? "%%" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  constexpr std::string_view k_place = "@UPSKILLD@";
  text.replace(text.find(k_place), k_place.size(), quoted);
  return text;
}

int print_unit(const Invocation& invocation, const Environment& environment) {
  Result<std::string> program = connect::find_daemon_program(environment);
  if (!program) {
    return end_with(program.error(), invocation);
  }
  print_text(invocation, "unit", unit_text(*program));
  return k_done;
}

int stop_daemon(const Invocation& invocation,
                const Screen& screen,
                const Environment& environment) {
  Result<Places> places = find_places(environment);
  Result<bool> running = places ? is_running(*places) : Result<bool>(fail(places.error()));
  if (!running) {
    return end_with(running.error(), invocation);
  }
  if (!*running) {
    if (invocation.json) {
      print_json("{\"pid\":0}");
    } else {
      write_all(1, "The daemon is not running.\n");
    }
    return k_done;
  }
  return call_method(invocation, screen, environment);
}

std::string_view last_lines(std::string_view text, std::size_t lines) {
  text = text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
  std::size_t at = text.size();
  for (std::size_t i = 0; i < lines && at != std::string_view::npos; ++i) {
    at = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  }
  return lines == 0                     ? std::string_view()
         : at == std::string_view::npos ? text
                                        : text.substr(at + 1);
}

int show_logs(const Invocation& invocation, const Screen& screen, const Environment& environment) {
  Result<Places> places = find_places(environment);
  Result<bool> running = places ? is_running(*places) : Result<bool>(fail(places.error()));
  if (!running) {
    return end_with(running.error(), invocation);
  }
  bool follow = invocation.flag("follow");
  if (*running && !follow) {
    return call_method(invocation, screen, environment);
  }
  std::size_t lines = k_usual_lines;
  if (std::optional<std::string> wanted = invocation.value("lines")) {
    std::from_chars(wanted->data(), wanted->data() + wanted->size(), lines);
  }
  std::string path = places->state + "/upskilld.log";
  if (follow) {
    connect::catch_interrupts();
    if (*running) {
      Result<std::string> told = log_of_daemon(*places);
      if (!told) {
        return end_with(told.error(), invocation);
      }
      path = std::move(*told);
    }
    return follow_log(path, lines, invocation.json);
  }
  Result<DaemonLogsResult> log = read_log(path, lines);
  if (!log) {
    return end_with(log.error(), invocation);
  }
  if (invocation.json) {
    print_json(encode(*log));
    return k_done;
  }
  Page page(screen);
  show(page, invocation, *log);
  page.print();
  return k_done;
}

} // namespace upskill::cli
