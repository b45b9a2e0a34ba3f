#include "tests/bench/model_server.h"

#include "tests/bench/bench.h"
#include "tests/bench/home.h"

#include <unistd.h>

namespace upskill::bench {
namespace {

std::vector<std::string> words(const std::vector<std::string>& options) {
  std::vector<std::string> all{beside_bench("model_server")};
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

} // namespace

ModelServer::ModelServer(const std::vector<std::string>& options)
    : m_process(words(options), {.pipes = true}) {
  char text[16];
  ssize_t got = ::read(m_process.output(), text, sizeof text);
  require(got > 1, "a server of models does not start");
  m_port.assign(text, static_cast<std::size_t>(got - 1));
}

} // namespace upskill::bench
