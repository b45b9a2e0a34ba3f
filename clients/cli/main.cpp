#include "clients/cli/run.h"
#include "clients/hook/run_hook.h"
#include "clients/mcp/bridge.h"

#include <string_view>

// What agents wait for comes first: it must answer before anything heavy is touched.
int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "mcp") {
    return upskill::mcp::run_bridge();
  }
  if (argc >= 2 && std::string_view(argv[1]) == "hook") {
    if (auto code = upskill::hook::run_hook({argv + 2, static_cast<std::size_t>(argc - 2)})) {
      return *code;
    }
  }
  return upskill::cli::run({argv, static_cast<std::size_t>(argc)});
}
