#include "clients/cli/run.h"
#include "clients/mcp/bridge.h"

#include <string_view>

// The bridge comes first: it must answer before anything heavy is touched.
int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "mcp") {
    return upskill::mcp::run_bridge();
  }
  return upskill::cli::run({argv, static_cast<std::size_t>(argc)});
}
