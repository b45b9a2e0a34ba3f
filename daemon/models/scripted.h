#pragma once
#include "daemon/models/model.h"
#include "protocol/base/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::models {

// Which samples a rule is for: all, those listed, or those whose number leaves `rest` by `every`.
struct SampleRule {
  std::vector<std::uint32_t> listed = {};
  std::uint32_t every = 0; // 0: does not count
  std::uint32_t rest = 0;
};

// What one kind of question is answered with. Conditions that are not given hold.
struct ScriptRule {
  std::vector<std::string> model = {};  // the request's names; one of them
  std::vector<std::string> system = {}; // all of them are in the system text
  std::vector<std::string> user = {};   // all of them are in what the user said or tools returned
  SampleRule samples = {};
  std::optional<std::size_t> turn = {}; // how often the assistant has spoken before
  std::optional<double> chance = {};    // the share of (prompt, sample) pairs, always the same ones
  std::uint64_t seed = 0;

  Answer answer = {};
  std::chrono::milliseconds delay = {};
  std::optional<Error> fault = {};
};

struct Script {
  std::string name = {}; // as errors call it
  std::vector<ScriptRule> rules = {};
};

// Rules of the form that README.md shows. invalid_argument names `what` and the place in it.
Result<Script> read_script(std::string_view text, std::string_view what);

// The first rule that fits, or null. Says the same of the same request at any time.
const ScriptRule* rule_for(const Script& script, const Request& request);

// A model that answers by rules, for tests and dry runs: free, deterministic, without a network.
// Owner: whoever runs evals. Thread: the caller's. Lifetime: longer than its answers take.
class ScriptedModel : public Model {
public:
  explicit ScriptedModel(Script script);

  // not_found names the question that no rule fits; else what the rule says.
  asio::awaitable<Result<Answer>> answer(Request request) override;

private:
  Script m_script;
};

} // namespace upskill::models
