#pragma once
#include "daemon/handlers/watch_exam.h"
#include "protocol/types/eval_reports.h"

#include <cstdint>
#include <string>
#include <vector>

namespace upskill::daemon {

// How one sample of a test ended.
struct KnownOutcome {
  std::string case_id;
  std::int64_t run = 1;
  SampleOutcome outcome = SampleOutcome::failed;

  static void describe(auto& f) {
    f.required(&KnownOutcome::case_id, "case", "");
    f.required(&KnownOutcome::run, "run", "");
    f.required(&KnownOutcome::outcome, "outcome", "");
  }
};

struct KnownOutcomes {
  std::vector<KnownOutcome> outcomes = {};

  static void describe(auto& f) { f.optional(&KnownOutcomes::outcomes, "outcomes", ""); }
};

// Outcomes of a test under way, for students whose answers are not kept: coding agents. So a test
// that was cut off, by a restart or by another version, goes on where it was and pays nothing
// twice. Owner: the test. Thread: the daemon's.
class TestOutcomes {
public:
  // `subject`: what makes it this test, of those of the version.
  TestOutcomes(WatchRoom room, const WatchExam& exam, std::string subject);

  // Those of an earlier time; none where nothing can be read.
  asio::awaitable<std::vector<KnownOutcome>> read();
  // One more; an error of a sample is none.
  asio::awaitable<void> add(const EvalSample& sample);
  // The test has its verdict.
  asio::awaitable<void> forget();

private:
  WatchRoom m_room;
  std::string m_skill; // its key
  Digest m_version;
  std::string m_subject;
  KnownOutcomes m_known = {};
};

} // namespace upskill::daemon
