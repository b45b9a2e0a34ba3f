// A server of models on a loopback address, for tests and benches. It prints its port, and ends
// with whoever started it.
#include "tests/model_server/hostile.h"
#include "tests/model_server/http_loop.h"
#include "tests/model_server/said.h"
#include "tests/model_server/student.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <string>

namespace {

using namespace upskill::model_server;

constexpr const char* k_usage =
    "model_server [--port N] [--delay-ms N] [--base RATE] [--skill RATE] [--seed N]\n"
    "             [--marker TEXT] [--misbehaves-at TEXT]\n";

struct Options {
  Rates rates = {};
  std::uint16_t port = 0;
  Clock::duration delay = {};
  std::string misbehaves_at = "poison"; // a request without it is answered, whatever the path says
};

bool read_options(int count, char** words, Options& options) {
  for (int i = 1; i + 1 < count; i += 2) {
    std::string name = words[i];
    const char* value = words[i + 1];
    if (name == "--port") {
      options.port = static_cast<std::uint16_t>(std::strtoul(value, nullptr, 10));
    } else if (name == "--delay-ms") {
      options.delay = std::chrono::milliseconds(std::strtol(value, nullptr, 10));
    } else if (name == "--base") {
      options.rates.base = std::strtod(value, nullptr);
    } else if (name == "--skill") {
      options.rates.skill = std::strtod(value, nullptr);
    } else if (name == "--seed") {
      options.rates.seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--marker") {
      options.rates.marker = value;
    } else if (name == "--misbehaves-at") {
      options.misbehaves_at = value;
    } else {
      return false;
    }
  }
  return count % 2 == 1;
}

// `html` of `/html/v1/chat/completions`; `v1` is no name of a misbehaviour.
std::string_view first_of(std::string_view path) {
  path.remove_prefix(path.starts_with('/') ? 1 : 0);
  return path.substr(0, path.find('/'));
}

int serve(const Options& options) {
  Student student(options.rates);
  const std::map<std::string_view, std::string> answers{{"pass", completion("pass")},
                                                        {"fail", completion("fail")}};
  HttpLoop loop(options.port, [&](const Request& request) {
    if (request.body.find(options.misbehaves_at) != std::string_view::npos) {
      if (auto reply = hostile(first_of(request.path), request)) {
        return std::move(*reply);
      }
    }
    return Reply{.bytes = answers.at(student.answer(request.body)), .after = options.delay};
  });
  std::printf("%u\n", loop.port());
  std::fflush(stdout);
  loop.run();
}

} // namespace

int main(int count, char** words) {
  Options options;
  if (!read_options(count, words, options)) {
    std::fputs(k_usage, stderr);
    return 2;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
    descriptors.rlim_cur = descriptors.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &descriptors);
  }
  try {
    return serve(options);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "model_server: %s\n", problem.what());
    return 1;
  }
}
