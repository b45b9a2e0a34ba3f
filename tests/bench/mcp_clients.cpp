#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/measure.h"

namespace upskill::bench {
namespace {

constexpr std::size_t k_clients = 100;

double resident(const Home& home) {
  return proc_number(home.daemon(), "status", "VmRSS") / 1024;
}

} // namespace

void mcp_clients(const Settings& settings, const Report& report) {
  std::vector<double> alone;
  std::vector<double> connected;
  for (std::size_t run = 0; run < settings.runs; ++run) {
    Home home(settings, settings.folder);
    make_skills(home.root(0), 10);
    home.start();
    home.enable_sync();
    Home::rest();
    alone.push_back(resident(home));
    std::vector<UniqueFd> clients;
    for (std::size_t i = 0; i < k_clients; ++i) {
      clients.push_back(home.connect());
      Lines lines(clients.back().get(), clients.back().get());
      lines.call(session_hello());
      require(lines.call(session_call("status")).find("\"structuredContent\"")
                  != std::string_view::npos,
              "a client is not answered");
    }
    Home::rest();
    connected.push_back(resident(home));
    clients.clear();
    home.stop();
  }
  report(
      {"mcp_clients.memory",
       "MB",
       median(connected),
       0,
       Judged::value,
       10,
       false,
       "of the daemon, resident, with 100 clients connected that have made a call and are idle"});
  report({"mcp_clients.alone",
          "MB",
          median(alone),
          0,
          Judged::nothing,
          0,
          false,
          "the same before the first of them came"});
}

} // namespace upskill::bench
