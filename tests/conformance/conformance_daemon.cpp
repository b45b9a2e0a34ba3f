// `upskilld` for the conformance suite, which sends no token: never installed.
//
//   conformance_daemon --engine=fixtures|product OPTION_OF_UPSKILLD...
#include "daemon/handlers/skills_engine.h"
#include "daemon/program.h"
#include "tests/conformance/fixtures.h"

#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

namespace {

using namespace upskill;

std::unique_ptr<daemon::Engine> make_fixtures(daemon::EngineContext context) {
  return std::make_unique<conformance::FixturesEngine>(std::move(context));
}

} // namespace

int main(int count, char** arguments) {
  std::vector<char*> passed_on;
  daemon::MakeEngine make_engine;
  for (char* argument : std::span(arguments, static_cast<std::size_t>(count))) {
    if (std::string_view(argument) == "--engine=fixtures") {
      make_engine = make_fixtures;
    } else if (std::string_view(argument) == "--engine=product") {
      make_engine = daemon::make_skills_engine;
    } else {
      passed_on.push_back(argument);
    }
  }
  if (!make_engine) {
    std::fputs("usage: conformance_daemon --engine=fixtures|product OPTION...\n", stderr);
    return 2;
  }
  passed_on.push_back(nullptr);
  return daemon::run_program(static_cast<int>(passed_on.size()) - 1,
                             passed_on.data(),
                             make_engine,
                             [](daemon::Options& options) { options.http_is_open = true; });
}
