#pragma once
#include "daemon/models/budget.h"
#include "daemon/models/cached.h"
#include "daemon/models/record.h"

#include <memory>
#include <optional>

namespace upskill::models {

// What stands between who asks and a model, from the inside out: a budget, giving up, kept answers,
// a record. So what was kept costs nothing, and a record is complete.
struct ChainOptions {
  Identify identify = {};         // needed for answers and a record
  Price price = {};               // needed for a budget
  Budget* budget = nullptr;       // outlives the chain
  bool gives_up = true;           // false for scripted models
  AnswerStore* answers = nullptr; // outlives the chain
  bool fresh = false;             // kept answers are replaced
  std::optional<Cassette> record = {};
  std::optional<runtime::Pool::Share> pool = {}; // needed for a record
};

std::unique_ptr<Model>
chained(asio::any_io_executor executor, std::unique_ptr<Model> innermost, ChainOptions options);

} // namespace upskill::models
