#include "daemon/options.h"

#include <array>
#include <charconv>

namespace upskill::daemon {
namespace {

Result<void> set_descriptor(int& target, std::string_view name, std::string_view value) {
  int number = -1;
  auto end = std::from_chars(value.data(), value.data() + value.size(), number).ptr;
  if (value.empty() || end != value.data() + value.size() || number < 0) {
    return fail(ErrorCode::invalid_argument,
                "`" + std::string(name) + "` takes the number of an open descriptor, not `"
                    + std::string(value) + "`");
  }
  target = number;
  return {};
}

Result<void> set_level(Options& options, std::string_view value) {
  auto level = telemetry::log_level(value);
  if (!level) {
    return fail(ErrorCode::invalid_argument,
                "`--log` does not know the level `" + std::string(value) + "`",
                "give `error`, `warning`, `info` or `verbose`");
  }
  options.log.level = *level;
  return {};
}

Result<void> set_path(std::string& target, std::string_view name, std::string_view value) {
  if (value.empty()) {
    return fail(ErrorCode::invalid_argument, "`" + std::string(name) + "` takes a path");
  }
  target = value;
  return {};
}

struct Row {
  std::string_view name;
  Result<void> (*set)(Options&, std::string_view name, std::string_view value);
  std::string_view without_value = {}; // what the option alone means; empty: it takes a value
};

constexpr std::array k_rows{
    Row{"--ready-fd",
        [](Options& o, std::string_view n, std::string_view v) {
          return set_descriptor(o.ready_fd, n, v);
        }},
    Row{"--private",
        [](Options& o, std::string_view n, std::string_view v) {
          return set_descriptor(o.private_fd, n, v);
        }},
    Row{"--log", [](Options& o, std::string_view, std::string_view v) { return set_level(o, v); }},
    Row{"--log-file",
        [](Options& o, std::string_view n, std::string_view v) {
          return set_path(o.log.path, n, v);
        }},
    Row{"--http",
        [](Options& o, std::string_view n, std::string_view v) { return set_path(o.http, n, v); },
        k_default_http},
    Row{"--mirror",
        [](Options& o, std::string_view n, std::string_view v) {
          return set_path(o.mirror, n, v);
        }},
    Row{"--trace",
        [](Options& o, std::string_view n, std::string_view v) { return set_path(o.trace, n, v); }},
};

const Row* find_row(std::string_view name) {
  for (const Row& row : k_rows) {
    if (row.name == name) {
      return &row;
    }
  }
  return nullptr;
}

} // namespace

Result<Options> parse_options(std::span<const char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    std::size_t equals = argument.find('=');
    std::string_view name = argument.substr(0, equals);
    if (argument == "--version" || argument == "--help" || argument == "-h") {
      (argument == "--version" ? options.version : options.help) = true;
      continue;
    }
    const Row* row = find_row(name);
    if (row == nullptr) {
      return fail(ErrorCode::invalid_argument,
                  "`" + std::string(argument) + "` is not an option of upskilld",
                  "`upskilld --help` lists them");
    }
    bool has_next = i + 1 < arguments.size();
    if (equals == std::string_view::npos && !row->without_value.empty()
        && (!has_next || std::string_view(arguments[i + 1]).starts_with("--"))) {
      TRY(row->set(options, name, row->without_value));
      continue;
    }
    if (equals == std::string_view::npos && !has_next) {
      return fail(ErrorCode::invalid_argument, "`" + std::string(name) + "` takes a value");
    }
    std::string_view value =
        equals == std::string_view::npos ? arguments[++i] : argument.substr(equals + 1);
    TRY(row->set(options, name, value));
  }
  return options;
}

std::string_view help_text() {
  return "usage: upskilld [OPTION]...\n"
         "The daemon that keeps agent skills in sync and answers coding agents. It runs in the\n"
         "foreground; `upskill` starts it by itself.\n\n"
         "  --log LEVEL      error, warning, info (the default) or verbose\n"
         "  --log-file PATH  log there instead of to standard error; SIGHUP opens it anew\n"
         "  --http [ADDR:PORT]  also serve MCP over HTTP there, on this machine only "
         "(127.0.0.1:4147\n"
         "                   unless told); URL and token: http.json in the state's run folder\n"
         "  --mirror FILE    write every message in both directions to FILE, as JSON lines\n"
         "  --trace FILE     write what takes how long to FILE, in Chrome's trace format\n"
         "  --ready-fd N     write one byte to descriptor N when listening\n"
         "  --private N      serve only the client connected to descriptor N, then end; with a\n"
         "                   state that ends too, unless XDG_STATE_HOME names one\n"
         "  --version        print the version and end\n"
         "  --help           print this and end\n";
}

} // namespace upskill::daemon
