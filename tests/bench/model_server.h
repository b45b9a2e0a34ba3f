#pragma once
#include "tests/bench/process.h"

#include <string>
#include <vector>

namespace upskill::bench {

// A server of models (tests/model_server) as a process of its own, so that its work is not the
// daemon's.
class ModelServer {
public:
  explicit ModelServer(const std::vector<std::string>& options);

  // For `base_url`.
  std::string url() const { return "http://127.0.0.1:" + m_port + "/v1"; }

private:
  Process m_process;
  std::string m_port;
};

} // namespace upskill::bench
