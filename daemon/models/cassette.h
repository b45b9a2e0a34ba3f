#pragma once
#include "daemon/models/question.h"
#include "protocol/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace upskill::models {

inline constexpr std::size_t k_max_cassette_file = 16u << 20; // bytes
inline constexpr std::size_t k_max_cassette_samples = 10'000; // of one question

// A folder of questions and their answers, a file for each question, for people to read and to keep
// in their repository (README.md: Records). The files may be anybody's, and are not followed where
// they are links. Its functions block: call them on the pool. Holds no state but the path.
class Cassette {
public:
  // To write to; makes the folder.
  static Result<Cassette> record_to(const std::string& folder);
  // To read from. not_found: there is no such folder.
  static Result<Cassette> replay_from(const std::string& folder);

  const std::string& folder() const { return m_folder; }

  // Adds an answer, or puts it in place of the one of that sample. `readable` is what
  // Questions::readable() makes of the key's question. One at a time for a folder. corrupt: there
  // is a file of that name that is no record; too_large: it would be longer than
  // k_max_cassette_file.
  Result<void>
  add(const AnswerKey& key, const nlohmann::json& readable, const Answer& answer) const;

  // not_found names the file that was looked for; corrupt its path, and the field.
  Result<Answer> find(const AnswerKey& key) const;

  // `<64 hexadecimal digits>.json`
  static std::string file_name(const AnswerKey& key);

private:
  explicit Cassette(std::string folder)
      : m_folder(std::move(folder)) {}

  std::string path_of(const AnswerKey& key) const;

  std::string m_folder;
};

} // namespace upskill::models
