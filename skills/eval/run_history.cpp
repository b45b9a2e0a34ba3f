#include "skills/eval/run_history.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

namespace upskill::eval {
namespace {

constexpr std::string_view k_minute = "0000_00_00_00_00";

bool is_minute(std::string_view text) {
  return text.size() == k_minute.size()
         && std::equal(text.begin(), text.end(), k_minute.begin(), [](char c, char pattern) {
              return pattern == '_' ? c == '_' : c >= '0' && c <= '9';
            });
}

// Means over the runs of one arm.
struct Arm {
  std::int64_t runs = 0;
  std::int64_t rated = 0;
  double rates = 0;
  std::int64_t counted = 0;
  double tokens = 0;
  std::int64_t incomplete = 0;

  void add(const RunResult& run) {
    ++runs;
    incomplete += run.error_message.empty() ? 0 : 1;
    if (run.assertions_total > 0) {
      ++rated;
      rates +=
          static_cast<double>(run.assertions_passed) / static_cast<double>(run.assertions_total);
    }
    if (run.stats.total_tokens.value_or(0) > 0) {
      ++counted;
      tokens += static_cast<double>(*run.stats.total_tokens);
    }
  }

  std::optional<RunsArm> told() const {
    if (runs == 0) {
      return std::nullopt;
    }
    RunsArm arm;
    arm.runs = runs;
    arm.incomplete = incomplete;
    if (rated > 0) {
      arm.rate = rates / static_cast<double>(rated);
    }
    if (counted > 0) {
      arm.tokens = tokens / static_cast<double>(counted);
    }
    return arm;
  }
};

RunsRow row_of(const std::vector<const LoggedRun*>& runs) {
  RunsRow row;
  Arm with_skill;
  Arm baseline;
  Arm unknown;
  for (const LoggedRun* logged : runs) {
    const RunResult& run = logged->run;
    row.batch = logged->batch;
    row.time = std::max(row.time, run.metadata.timestamp);
    row.against = row.against.empty() ? run.against : row.against;
    Arm& arm = !run.arm ? unknown : *run.arm == EvalArm::with_skill ? with_skill : baseline;
    arm.add(run);
  }
  row.with_skill = with_skill.told();
  row.baseline = baseline.told();
  row.unknown = unknown.told();
  if (row.with_skill && row.baseline && row.with_skill->rate && row.baseline->rate) {
    row.lift = *row.with_skill->rate - *row.baseline->rate;
  }
  return row;
}

} // namespace

BatchOrder batch_order(std::string_view folder) {
  BatchOrder order;
  order.name = folder;
  std::string_view minute = folder.substr(0, k_minute.size());
  if (!is_minute(minute)) {
    return order;
  }
  std::string_view rest = folder.substr(k_minute.size());
  if (!rest.empty()) {
    const char* end = rest.data() + rest.size();
    auto read = std::from_chars(rest.data() + 1, end, order.number);
    if (rest.front() != '_' || read.ec != std::errc{} || read.ptr != end || order.number < 2) {
      order.number = 1;
      return order;
    }
  }
  order.minute = minute;
  return order;
}

std::vector<RunsRow> latest_runs(const std::vector<LoggedRun>& runs) {
  using Batches = std::map<BatchOrder, std::vector<const LoggedRun*>>;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Batches> all;
  for (const LoggedRun& logged : runs) {
    const RunResult& run = logged.run;
    all[{run.skill_name, run.metadata.model, run.student}][batch_order(logged.batch)].push_back(
        &logged);
  }
  std::vector<RunsRow> rows;
  for (const auto& [names, batches] : all) {
    RunsRow& row = rows.emplace_back(row_of(batches.rbegin()->second));
    std::tie(row.skill, row.model, row.student) = names;
    row.batches = static_cast<std::int64_t>(batches.size());
  }
  return rows;
}

} // namespace upskill::eval
