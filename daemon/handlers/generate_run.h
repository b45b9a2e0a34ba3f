#pragma once
#include "daemon/generation/sampling_desk.h"
#include "daemon/handlers/eval_models.h"
#include "daemon/handlers/eval_outputs.h"
#include "daemon/handlers/generate.h"
#include "daemon/handlers/generate_evidence.h"
#include "daemon/handlers/generate_request.h"
#include "daemon/request_context.h"
#include "daemon/sandbox/sandbox.h"
#include "protocol/types/generate.h"
#include "skills/redact/rule_set.h"

#include <optional>

namespace upskill::daemon {

// All that one call has read before anything is asked.
struct PreparedGeneration {
  FoundConfig config = {};
  EvalOutputs outputs = {};
  EvalModelOptions teachers = {};
  EvalModelOptions students = {};
  GenerateRequest request = {};
  std::optional<redact::RuleSet> rules = {};
  GatheredEvidence evidence = {};
};

// Says in the result what is known without a model. Takes the evidence's part.
void tell_prepared(GenerateResult& result, PreparedGeneration& prepared);

// A generation and who takes part in it; all of it outlives run_generation().
struct GenerateRun {
  GenerateRoom room;
  sandbox::Sandbox& sandbox;
  const GenerateParams& params;
  const RequestContext& context;
  PreparedGeneration& prepared;
  EvalModels& teachers;
  EvalModels& students;
  models::Budget& budget; // of both
  generation::SamplingDesk& sampling;
};

// From the first question to what is saved; or what the client is to say first.
Awaitable<Asked<GenerateResult>> run_generation(GenerateRun run);

} // namespace upskill::daemon
