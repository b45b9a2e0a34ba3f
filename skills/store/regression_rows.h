#pragma once
#include "protocol/base/hash.h"

#include <cstdint>
#include <optional>
#include <string>

// What RegressionStore keeps. Times are Unix time in milliseconds. A skill is named by its key,
// which is the caller's; records belong to the caller, who alone reads them.
namespace upskill::store {

// A version that a person accepted.
struct AcceptedRow {
  std::string skill = {};
  Digest version = {};                   // of the skill's content
  std::optional<Digest> watch_file = {}; // of its `evals/watch.yaml`; none: it had none
  std::int64_t accepted_ms = 0;
  std::string record = {}; // JSON

  friend bool operator==(const AcceptedRow&, const AcceptedRow&) = default;
};

// A version that was looked at, whether it was tested or not.
struct VersionRow {
  std::string skill = {};
  Digest version = {};
  std::int64_t first_ms = 0; // when it was first seen
  std::string record = {};   // JSON

  friend bool operator==(const VersionRow&, const VersionRow&) = default;
};

// What makes two tests one.
struct VerdictKey {
  std::string skill = {};
  Digest accepted = {}; // the version that it was held against
  Digest version = {};
  Digest cases = {};
  std::string model = {};
  std::string student = {};
  std::string measure = {};

  friend bool operator==(const VerdictKey&, const VerdictKey&) = default;
};

struct VerdictRow {
  VerdictKey key = {};
  std::string verdict = {};
  std::int64_t started_ms = 0;
  std::int64_t finished_ms = 0;
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::optional<double> cost = {}; // US dollars; none: not known
  std::string record = {};         // JSON

  friend bool operator==(const VerdictRow&, const VerdictRow&) = default;
};

// What was spent on a skill in one minute, or in all.
struct SpendingRow {
  std::int64_t time_ms = 0; // the minute's first
  std::string skill = {};
  double usd = 0;
  std::int64_t tokens = 0;
  std::int64_t runs = 0;

  friend bool operator==(const SpendingRow&, const SpendingRow&) = default;
};

// A test that has not ended, and goes on after a restart.
struct TestRow {
  std::string skill = {};
  Digest version = {};
  std::string subject = {}; // the caller's words for model, student, measure
  std::int64_t started_ms = 0;
  std::int64_t updated_ms = 0;
  std::string outcomes = {}; // JSON

  friend bool operator==(const TestRow&, const TestRow&) = default;
};

} // namespace upskill::store
