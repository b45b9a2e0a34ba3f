// A server of models on a loopback address, for tests and benches. It prints its port, and ends
// with whoever started it.
#include "protocol/base/unique_fd.h"
#include "tests/model_server/hostile.h"
#include "tests/model_server/http_loop.h"
#include "tests/model_server/said.h"
#include "tests/model_server/student.h"
#include "tests/model_server/teacher.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <string_view>

namespace {

using namespace upskill::model_server;

constexpr const char* k_usage =
    "model_server [--port N] [--delay-ms N] [--base RATE] [--skill RATE] [--seed N]\n"
    "             [--picks RATE] [--strays RATE]\n"
    "             [--marker TEXT] [--misbehaves-at TEXT] [--requests FILE]\n"
    "             [--teacher] [--name TEXT] [--mends] [--cases plain|anything|echoed]\n"
    "             [--draft plain|prose|talk|fenced|broken-yaml|empty|long|no-skill|useless-first|\n"
    "                      script|failing-script]\n"
    "             [--counters plain|talk|anything] [--description better|overfit|greedy|talk]\n";

struct Options {
  Rates rates = {};
  std::uint16_t port = 0;
  Clock::duration delay = {};
  std::string misbehaves_at = "poison"; // a request without it is answered, whatever the path says
  std::string requests = {};            // takes the body of each request, one a line
  bool teaches = false;
  Lesson lesson = {};
};

// Whether it is one that has no value.
bool read_flag(std::string_view name, Options& options) {
  if (name == "--teacher") {
    return options.teaches = true;
  }
  return name == "--mends" && (options.lesson.mends = true);
}

bool read_option(std::string_view name, const char* value, Options& options) {
  if (name == "--port") {
    options.port = static_cast<std::uint16_t>(std::strtoul(value, nullptr, 10));
  } else if (name == "--delay-ms") {
    options.delay = std::chrono::milliseconds(std::strtol(value, nullptr, 10));
  } else if (name == "--base") {
    options.rates.base = std::strtod(value, nullptr);
  } else if (name == "--skill") {
    options.rates.skill = std::strtod(value, nullptr);
  } else if (name == "--picks") {
    options.rates.picks = std::strtod(value, nullptr);
  } else if (name == "--strays") {
    options.rates.strays = std::strtod(value, nullptr);
  } else if (name == "--seed") {
    options.rates.seed = options.lesson.seed = std::strtoull(value, nullptr, 10);
  } else if (name == "--marker") {
    options.rates.marker = options.lesson.marker = value;
  } else if (name == "--misbehaves-at") {
    options.misbehaves_at = value;
  } else if (name == "--requests") {
    options.requests = value;
  } else if (name == "--name") {
    options.lesson.name = value;
  } else if (name == "--draft" && is_draft(value)) {
    options.lesson.draft = value;
  } else if (name == "--cases" && is_cases(value)) {
    options.lesson.cases = value;
  } else if (name == "--counters" && is_counters(value)) {
    options.lesson.counters = value;
  } else if (name == "--description" && is_description(value)) {
    options.lesson.description = value;
  } else {
    return false;
  }
  return true;
}

bool read_options(int count, char** words, Options& options) {
  for (int i = 1; i < count; ++i) {
    if (!read_flag(words[i], options)
        && (++i == count || !read_option(words[i - 1], words[i], options))) {
      return false;
    }
  }
  return true;
}

// One write for each, so that who reads along never sees half of one that is followed by another.
void note(int file, std::string_view body) {
  std::string line(body);
  line += '\n';
  (void)!::write(file, line.data(), line.size());
}

// `html` of `/html/v1/chat/completions`; `v1` is no name of a misbehaviour.
std::string_view first_of(std::string_view path) {
  path.remove_prefix(path.starts_with('/') ? 1 : 0);
  return path.substr(0, path.find('/'));
}

int serve(const Options& options) {
  Student student(options.rates);
  Teacher teacher(options.lesson);
  upskill::UniqueFd requests;
  if (!options.requests.empty()) {
    requests.reset(::open(
        options.requests.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  }
  const std::map<std::string_view, std::string> answers{{"pass", completion("pass")},
                                                        {"fail", completion("fail")}};
  HttpLoop loop(options.port, [&](const Request& request) {
    if (requests) {
      note(requests.get(), request.body);
    }
    if (request.body.find(options.misbehaves_at) != std::string_view::npos) {
      if (auto reply = hostile(first_of(request.path), request)) {
        return std::move(*reply);
      }
    }
    if (options.teaches) {
      if (auto text = teacher.answer(request.body)) {
        return Reply{.bytes = completion(escaped(*text)), .after = options.delay};
      }
    }
    if (std::string path(student.picked(request.body)); !path.empty()) {
      std::string arguments = R"({"path":")" + path + R"("})";
      return Reply{.bytes = tool_call("read_file", escaped(arguments)), .after = options.delay};
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
