#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/measure.h"

#include <fmt/format.h>

namespace upskill::bench {
namespace {

constexpr std::size_t k_calls = 500; // of one round
constexpr std::size_t k_rounds = 10; // for each run
constexpr std::size_t k_in_flight = 64;
constexpr double k_most_us = 1e6 / 60'000; // the issue wants 60,000 calls a second
constexpr std::size_t k_file = 32u << 10;  // its text stands in the answer twice: 64 KB

// Plain text in lines, as a reference file of a skill is.
std::string large_text() {
  std::string text;
  while (text.size() < k_file) {
    text += "What follows is read by a model, line by line, until there is none left to be read.\n";
  }
  text.resize(k_file);
  return text;
}

// The size of the answer with its newline; fails for one that tells of an error.
std::size_t answer_size(Lines& lines, const std::string& request) {
  std::string_view answer = lines.call(request);
  require(answer.find("\"structuredContent\"") != std::string_view::npos,
          "a call is not answered: " + std::string(answer.substr(0, 300)));
  return answer.size() + 1;
}

Process echo(const char* mode, std::size_t bytes) {
  return Process({beside_bench("upskill_bench_echo"), mode, std::to_string(bytes)},
                 {.pipes = true});
}

} // namespace

// The call is `status`, the one tool that agents are shown and that is answered on the spot: what
// is measured is the way in and out, and not the disk. The floor parses the same bytes and answers
// with as many. That is fair to both: ours checks the arguments and fills in a structure, and puts
// it into the answer twice, as the protocol asks; the floor writes one long string.
void mcp_call(const Settings& settings, const Report& report) {
  OneCore pinned;
  Home home(settings, settings.folder);
  make_skills(home.root(0), 10);
  write_text(home.root(0) + "/" + skill_name(0) + "/large.txt", large_text());
  home.start();
  home.wait_idle();
  auto bridge = home.program({"mcp"});
  Lines ours(bridge->input(), bridge->output());
  std::string request = status_call();
  Process echo_process = echo("stdio", answer_size(ours, request));
  Lines floor(echo_process.input(), echo_process.output());

  std::vector<std::vector<double>> taken =
      pool(settings.runs * k_rounds,
           {
               [&] { return round_trips(ours, request, k_calls); },
               [&] { return round_trips(floor, request, k_calls); },
           });
  report({"mcp_call.stdio",
          "us",
          median(taken[0]),
          median(taken[1]),
          Judged::ratio,
          1.3,
          false,
          "`status` through `upskill mcp`, p50; floor: Asio and nlohmann, answers of that size"});
  report({"mcp_call.stdio_p99",
          "us",
          percentile(taken[0], 0.99),
          percentile(taken[1], 0.99),
          Judged::nothing,
          0,
          false,
          "the same, p99"});

  std::vector<std::string> requests;
  for (std::size_t i = 0; i < k_in_flight; ++i) {
    requests.push_back(tool_call("status", {.id = 100 + i})); // no id twice in flight
  }
  std::vector<double> each =
      interleave(settings.runs,
                 {[&] { return 1e6 / throughput(ours, requests, k_in_flight, 40 * k_calls); },
                  [&] { return 1e6 / throughput(floor, requests, k_in_flight, 40 * k_calls); }});
  report({"mcp_call.pipelined",
          "us",
          each[0],
          each[1],
          Judged::value,
          k_most_us,
          false,
          fmt::format("a call with 64 in flight: {:.0f} a second; floor: the same echo, {:.0f}",
                      1e6 / each[0],
                      1e6 / each[1])});

  std::string read = tool_call(
      "skill_read",
      {.arguments = R"({"skill":")" + skill_name(0) + R"(","file":"large.txt","limit":1000000})"});
  std::size_t large = answer_size(ours, read);
  Process bare = echo("bytes", large);
  Lines bare_lines(bare.input(), bare.output());
  taken = pool(settings.runs,
               {[&] { return round_trips(ours, read, k_calls); },
                [&] { return round_trips(bare_lines, read, k_calls); }});
  report({"mcp_call.answer_64k",
          "us",
          median(taken[0]),
          median(taken[1]),
          Judged::ratio,
          1.4,
          true,
          fmt::format("`skill_read`, answers of {} KB, p50; floor: a process that writes as many "
                      "bytes and knows nothing (G1)",
                      large >> 10)});
  bridge->close_input();
  home.stop();
}

} // namespace upskill::bench
