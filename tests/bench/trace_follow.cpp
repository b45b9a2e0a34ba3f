#include "tests/bench/bench.h"
#include "tests/bench/claude_session.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/measure.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <thread>

namespace upskill::bench {
namespace {

constexpr std::size_t k_lines = 50; // a run
constexpr std::size_t k_before = 1u << 20;
constexpr double k_bound = 300; // ms
constexpr double k_aim = 0.2;   // ms (G10)
constexpr auto k_pause = std::chrono::milliseconds(2);
constexpr double k_patience = 10; // s
constexpr std::string_view k_session = "5d0c7a52-0000-4000-8000-000000000001";

// A session of Claude Code that goes on, and those who want to read it.
class LiveSession {
public:
  explicit LiveSession(const Home& home)
      : m_socket(home.connect())
      , m_lines(m_socket.get(), m_socket.get()) {
    std::string folder = home.path() + "/.claude/projects/-home-ada-kernels";
    make_folders(folder);
    m_file.reset(::open((folder + "/" + std::string(k_session) + ".jsonl").c_str(),
                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                        0600));
    require(m_file.get() >= 0, "no session");
    std::string text;
    ClaudeSession(1, std::string(k_session)).append(text, k_before);
    write(text);
  }

  // One more prompt; the word in it that no other has.
  std::string grow() {
    std::string word = fmt::format("marker{:06}", ++m_prompts);
    write(fmt::format(
        R"({{"parentUuid":null,"isSidechain":false,"userType":"external",)"
        R"("cwd":"/home/ada/kernels","sessionId":"{}","version":"2.1.218","type":"user",)"
        R"("message":{{"role":"user","content":"now look at {}"}},"origin":{{"kind":"human"}},)"
        R"("uuid":"ffffffff-0000-4000-8000-{:012x}","timestamp":"2026-07-02T10:00:00.000Z"}})"
        "\n",
        k_session,
        word,
        m_prompts));
    return word;
  }

  // Milliseconds from now until an answer to `request` holds `word`.
  double wait_for(const std::string& request, const std::string& word) {
    std::int64_t begin = now_ns();
    while (m_lines.call(request).find(word) == std::string_view::npos) {
      require(static_cast<double>(now_ns() - begin) / 1e9 < k_patience, "it is never seen");
    }
    return static_cast<double>(now_ns() - begin) / 1e6;
  }

  double call(const std::string& request) {
    return seconds_of([&] { m_lines.call(request); }) * 1e3;
  }

private:
  void write(const std::string& bytes) const {
    require(::write(m_file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "the session cannot be written");
  }

  UniqueFd m_socket;
  Lines m_lines;
  UniqueFd m_file = {};
  std::size_t m_prompts = 0;
};

} // namespace

// From the end of the write to the end of the answer that shows it: `trace_read`, which looks at
// the session's file itself, and `trace_search`, which only finds what capture has read by itself.
void trace_follow(const Settings& settings, const Report& report) {
  Home home(settings, settings.folder);
  home.start();
  LiveSession session(home);
  home.command({"trace", "capture", "on", "--agent", "claude-code"});
  std::string read =
      tool_call("trace_read", {.arguments = fmt::format(R"({{"id":"{}"}})", k_session)});
  auto search = [](const std::string& word) {
    return tool_call("trace_search", {.arguments = R"({"query":")" + word + R"("})"});
  };
  std::string first = session.grow();
  session.wait_for(search(first), "snippet");
  std::vector<double> shown;
  std::vector<double> found;
  std::vector<double> quiet;
  for (std::size_t i = 0; i < settings.runs * k_lines; ++i) {
    shown.push_back(session.wait_for(read, session.grow()));
    std::this_thread::sleep_for(k_pause); // an agent does not write without end either
    quiet.push_back(session.call(read));
    found.push_back(session.wait_for(search(session.grow()), "snippet"));
    std::this_thread::sleep_for(k_pause);
  }
  auto tell = [&](const char* name,
                  double ours,
                  double floor,
                  double bound,
                  bool aim,
                  const char* what) {
    report(
        {std::string("trace_follow.") + name, "ms", ours, floor, Judged::value, bound, aim, what});
  };
  double floor = percentile(quiet, 0.5);
  tell("read_p99",
       percentile(shown, 0.99),
       floor,
       k_bound,
       false,
       "a line of a session of 1 MB until `trace_read` shows it; floor: the call, nothing written");
  tell("read_p50", percentile(shown, 0.5), floor, k_bound, false, "the same, p50");
  tell("found_p99",
       percentile(found, 0.99),
       floor,
       k_bound,
       false,
       "until `trace_search` finds it, which capture has read by itself");
  tell("found_p50", percentile(found, 0.5), floor, k_bound, false, "the same, p50");
  tell("g10",
       percentile(shown, 0.99) - floor,
       floor,
       k_aim,
       true,
       "`trace_read` beyond what the call takes anyway, p99 (G10)");
  home.stop();
}

} // namespace upskill::bench
