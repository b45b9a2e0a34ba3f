#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/measure.h"
#include "tests/bench/model_server.h"

#include <fmt/format.h>

namespace upskill::bench {
namespace {

// What each of some hundred samples costs us, 0.2 ms, is bench eval_calls: here it is what waits
// for what. At 50 ms the two lines are 1.19 x and 1.13 x.
constexpr std::size_t k_delay_ms = 100;
constexpr std::size_t k_in_flight = 128;       // 20 cases, 3 runs, 2 arms: all at once
constexpr const char* k_name = "drawn-lesson"; // the teacher's

struct Course {
  std::string name;
  std::string draft; // the teacher's way
  std::size_t drafts;
  std::size_t delays; // one after the other, by hand
};

// Seconds of each run. Each has a task of its own, and none is known from before.
std::vector<double> measure(const Settings& settings, const Course& course) {
  // Without the skill no case is passed, with it all are: each course has one way to go.
  ModelServer server({"--teacher",
                      "--draft",
                      course.draft,
                      "--base",
                      "0",
                      "--skill",
                      "1",
                      "--delay-ms",
                      std::to_string(k_delay_ms)});
  Home home(settings, settings.folder);
  home.start();
  UniqueFd socket = home.connect();
  Lines lines(socket.get(), socket.get());
  std::vector<double> seconds;
  for (std::size_t i = 0; i < settings.runs; ++i) {
    std::string folder = fmt::format("{}/lessons/{}", home.path(), i);
    make_folders(folder);
    std::string request =
        tool_call("skill_generate",
                  {.arguments = fmt::format(R"({{"task":"Answer the questions of lesson {0}",)"
                                            R"("model":"generic.m","base_url":"{1}",)"
                                            R"("eval_base_url":"{1}","jobs":{2},)"
                                            R"("output":"{3}/{4}","fresh":true,"log_runs":false}})",
                                            i,
                                            server.url(),
                                            k_in_flight,
                                            folder,
                                            k_name)});
    seconds.push_back(seconds_of([&] {
      std::string_view answer = lines.call(request);
      auto has = [&](const std::string& text) {
        require(answer.find(text) != std::string_view::npos,
                "the course is not taken, no " + text + ": " + std::string(answer.substr(0, 600)));
      };
      has(R"("outcome":"saved")");
      has(fmt::format(R"("attempt":{},)", course.drafts));
      require(answer.find(fmt::format(R"("attempt":{},)", course.drafts + 1))
                  == std::string_view::npos,
              "there are more drafts than it takes");
    }));
  }
  home.stop();
  return seconds;
}

} // namespace

// A generation against a model that answers after 100 ms, teacher and student, with room for all
// samples at once: what remains is calls that need what others said.
//
// straight: the draft and the test cases; the train cases without it and with it; the held-out
// cases without it and with it. Three delays.
//
// refined: the draft, which teaches nothing, and the test cases; the train cases; the second draft,
// which needs what failed; the train cases with it; the held-out cases. Five delays: a draft that
// gains nothing on the cases it was made by cannot be proven on others.
void generate(const Settings& settings, const Report& report) {
  for (const Course& course :
       {Course{"straight", "plain", 1, 3}, Course{"refined", "useless-first", 2, 5}}) {
    report({"generate." + course.name,
            "s",
            median(measure(settings, course)),
            static_cast<double>(course.delays * k_delay_ms) / 1000,
            Judged::ratio,
            1.15,
            false,
            fmt::format("{} draft{}, 20 cases, 3 runs; floor: {} answers of {} ms, one after the "
                        "other",
                        course.drafts,
                        course.drafts == 1 ? "" : "s",
                        course.delays,
                        k_delay_ms)});
  }
}

} // namespace upskill::bench
