#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace upskill::proxy {

// What a model's server answered to an agent.
struct RecordedAnswer {
  int status = 200;
  std::string content_type = {};
  std::string body = {}; // unpacked

  friend bool operator==(const RecordedAnswer&, const RecordedAnswer&) = default;
};

// A folder of what agents asked and were answered, a file for each request, in the form of
// models::Cassette (`format`, `request`, `samples`) and beside its files: `request.kind` is
// `agent`, and an answer is what the server sent. Its functions block. Holds no state but the path.
class AgentCassette {
public:
  explicit AgentCassette(std::string folder)
      : m_folder(std::move(folder)) {}

  // Adds an answer, or puts it in place of the one of that sample. corrupt: there is a file of that
  // name that is no such record; too_large: it would be longer than models::k_max_cassette_file.
  Result<void>
  add(const nlohmann::json& request, std::uint32_t sample, const RecordedAnswer& answer) const;

  // not_found names the file that was looked for; corrupt its path, and the field.
  Result<RecordedAnswer> find(const nlohmann::json& request, std::uint32_t sample) const;

private:
  std::string m_folder;
};

} // namespace upskill::proxy
