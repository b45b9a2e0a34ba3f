#include "tests/bench/echo_answers.h"

#include <nlohmann/json.hpp>

namespace upskill::bench::echo {

Answers::Answers(std::size_t bytes) {
  std::size_t bare = to(R"({"id":1,"params":{"name":""}})").size();
  m_text = bytes > bare ? bytes - bare : 0;
}

std::string Answers::to(std::string_view request) const {
  nlohmann::json call = nlohmann::json::parse(request);
  auto text = call.at("params").at("name").get<std::string>();
  text.resize(m_text, 'a');
  nlohmann::json part;
  part["type"] = "text";
  part["text"] = std::move(text);
  nlohmann::json answer;
  answer["jsonrpc"] = "2.0";
  answer["id"] = std::move(call["id"]);
  nlohmann::json& result = answer["result"];
  result["resultType"] = "complete";
  result["content"].push_back(std::move(part));
  return answer.dump();
}

} // namespace upskill::bench::echo
