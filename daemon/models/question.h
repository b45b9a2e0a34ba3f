#pragma once
#include "daemon/models/model.h"
#include "daemon/models/model_name.h"
#include "protocol/base/hash.h"
#include "protocol/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::models {

// Who answers, as far as it decides what is answered. Holds no key and no password.
struct Respondent {
  std::string provider = {};
  std::string wire = {};   // `anthropic`, `chat`, `responses`, `scripted`
  std::string server = {}; // host, port and path of the base URL
  std::string model = {};  // as the server knows it; of a script, the hash of its file
  std::string effort = {};

  friend bool operator==(const Respondent&, const Respondent&) = default;
};

// Who is behind a request's name of a model. Errors as of resolve_model.
using Identify = std::function<Result<Respondent>(const std::string& model)>;

Respondent respondent_of(const ResolvedModel& model);
// For models behind HTTP.
Identify identify_by(std::string base_url, Environment environment);
// For one scripted model, by whatever name: an edited script is another model.
Identify identify_script(std::string_view script);

// One question's one repetition, under which its answer is kept.
struct AnswerKey {
  Digest question = {};
  std::uint32_t sample = 0;

  friend auto operator<=>(const AnswerKey&, const AnswerKey&) = default;
};

// Names questions. Neither the skill nor the arm is part of a question: a baseline is asked the
// same after the skill was edited, and what is kept of it counts.
// Owner: a decorator of a model. Thread: the owner's. Lifetime: the owner's.
class Questions {
public:
  explicit Questions(Identify identify)
      : m_identify(std::move(identify)) {}

  Result<AnswerKey> key(const Request& request);
  // All that the key depends on but the sample, for people to read (README.md: Records).
  Result<nlohmann::json> readable(const Request& request);

private:
  Result<const Respondent*> respondent(const std::string& model);
  const std::string& digest_of(const std::string& system);

  Identify m_identify;
  std::map<std::string, Respondent> m_respondents;
  // Of the last system texts, which are long and few: each arm has one.
  std::vector<std::pair<std::string, std::string>> m_digests;
  std::size_t m_next_digest = 0;
};

// The key's question, of what readable() makes.
Digest question_digest(nlohmann::json readable);

} // namespace upskill::models
