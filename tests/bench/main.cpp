#include "tests/bench/bench.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>

namespace upskill::bench {
namespace {

struct Options {
  Settings settings;
  std::vector<std::string_view> names = {};
  bool json = false;
};

std::string text(double value) {
  return value >= 100   ? fmt::format("{:.0f}", value)
         : value >= 10  ? fmt::format("{:.1f}", value)
         : value >= 0.1 ? fmt::format("{:.2f}", value)
                        : fmt::format("{:.4f}", value);
}

std::string_view verdict(const Line& line) {
  return line.judged == Judged::nothing ? "" : line.met() ? "met" : "NOT MET";
}

std::string command(const Line& line, const Settings& settings) {
  return fmt::format("upskill_bench {} --runs {} --folder {}",
                     line.name.substr(0, line.name.find('.')),
                     settings.runs,
                     settings.folder);
}

void print(const Line& line, const Settings& settings) {
  std::string floor = line.floor > 0 ? text(line.floor) + " " + line.unit : "-";
  std::string ratio = line.floor > 0 ? text(line.ratio()) + " x" : "-";
  std::string bound =
      line.judged == Judged::nothing
          ? "-"
          : text(line.bound) + " " + (line.judged == Judged::ratio ? "x" : line.unit);
  fmt::print("{:<30} {:>12} {:>12} {:>8} {:>10} {:<5} {:<8} {}\n{:<30} {}\n",
             line.name,
             text(line.ours) + " " + line.unit,
             floor,
             ratio,
             bound,
             line.judged == Judged::nothing ? ""
             : line.aim                     ? "aim"
                                            : "bound",
             verdict(line),
             command(line, settings),
             "",
             line.what);
  std::fflush(stdout);
}

void print_json(const Line& line, const Settings& settings) {
  fmt::print(R"({{"name":"{}","unit":"{}","ours":{},"floor":{},"ratio":{},"judged":"{}",)"
             R"("bound":{},"aim":{},"met":{},"command":"{}"}})"
             "\n",
             line.name,
             line.unit,
             line.ours,
             line.floor,
             line.ratio(),
             line.judged == Judged::ratio   ? "ratio"
             : line.judged == Judged::value ? "value"
                                            : "nothing",
             line.bound,
             line.aim,
             line.met(),
             command(line, settings));
  std::fflush(stdout);
}

void show_help() {
  fmt::print("upskill_bench [NAME...] [--runs N] [--folder DIR] [--programs DIR] [--json]\n\n");
  for (const Bench& bench : benches()) {
    fmt::print("  {:<18}{}\n", bench.name, bench.what);
  }
}

bool parse(int count, char** arguments, Options& options) {
  options.settings.programs = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (int i = 1; i < count; ++i) {
    std::string_view word(arguments[i]);
    std::string_view value = i + 1 < count ? arguments[i + 1] : "";
    if (word == "--json") {
      options.json = true;
    } else if (word == "--runs" && ++i < count) {
      std::from_chars(value.data(), value.data() + value.size(), options.settings.runs);
    } else if (word == "--folder" && ++i < count) {
      options.settings.folder = value;
    } else if (word == "--programs" && ++i < count) {
      options.settings.programs = value;
    } else if (std::ranges::find(benches(), word, &Bench::name) != benches().end()) {
      options.names.push_back(word);
    } else {
      return false;
    }
  }
  return options.settings.runs > 0;
}

int run(int count, char** arguments) {
  Options options;
  if (!parse(count, arguments, options)) {
    show_help();
    return 2;
  }
  ::signal(SIGPIPE, SIG_IGN);
  int code = 0;
  for (const Bench& bench : benches()) {
    bool wanted = options.names.empty()
                  || std::ranges::find(options.names, bench.name) != options.names.end();
    if (!wanted) {
      continue;
    }
    try {
      bench.run(options.settings, [&](const Line& line) {
        (options.json ? print_json : print)(line, options.settings);
        code = line.met() || line.aim ? code : 1;
      });
    } catch (const std::exception& problem) {
      fmt::print(stderr, "{}: not measured: {}\n", bench.name, problem.what());
      code = 3;
    }
  }
  return code;
}

} // namespace
} // namespace upskill::bench

int main(int count, char** arguments) {
  return upskill::bench::run(count, arguments);
}
