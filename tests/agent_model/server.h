#pragma once
#include "protocol/base/unique_fd.h"
#include "tests/agent_model/script.h"
#include "tests/model_server/http_loop.h"

#include <string>

namespace upskill::agent_model {

// What is said to each request of an agent, and what is kept of it.
// Owner: main. Thread: its only one. Lifetime: the program's.
class Server {
public:
  // `key`: requests without it are refused; empty: none is. `log`: a line for each request.
  Server(Script script, std::string key, UniqueFd log);

  model_server::Reply answer(const model_server::Request& request);

private:
  model_server::Reply speak(const Wire& wire, const Json& body, std::string_view path, Json& line);
  bool is_allowed(const model_server::Request& request) const;

  Script m_script;
  std::string m_key;
  UniqueFd m_log;
  int m_number = 0;
};

} // namespace upskill::agent_model
