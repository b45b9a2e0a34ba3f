#include "skills/archive/intake.h"

#include <algorithm>
#include <optional>

namespace upskill::archive {
namespace {

std::int64_t count(std::uint64_t number) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(number, INT64_MAX));
}

// Unknown as soon as one model's is.
std::optional<double> cost_of(const trace::SessionSummary& summary, const PriceOf& price) {
  if (summary.by_model.empty()) { // only totals are told
    return summary.models.size() == 1 ? price(summary.models.front(), summary.tokens)
                                      : std::nullopt;
  }
  double sum = 0;
  for (const auto& [model, usage] : summary.by_model) {
    std::optional<double> cost = price(model, usage);
    if (!cost) {
      return std::nullopt;
    }
    sum += *cost;
  }
  return sum;
}

template <class T> std::string name_of(T value) {
  return std::string(enum_name(value));
}

} // namespace

void describe(store::SessionRow& row, const trace::SessionSummary& summary, const PriceOf& price) {
  row.harness = summary.harness;
  row.session = summary.session;
  row.agent = summary.agent;
  row.forked_from = summary.forked_from;
  row.project = summary.cwd;
  row.branch = summary.branch;
  row.title = summary.title;
  row.version = summary.version;
  row.models = summary.models;
  row.started_ms = summary.first_ms;
  row.ended_ms = summary.last_ms;
  const trace::SessionCounts& counts = summary.counts;
  row.counts = {count(counts.records),
                count(counts.prompts),
                count(counts.answers),
                count(counts.calls),
                count(counts.errors),
                count(counts.interrupts),
                count(counts.corrections),
                count(counts.unknown),
                count(counts.unreadable)};
  row.tokens = {summary.tokens.input,
                summary.tokens.output,
                summary.tokens.cache_read,
                summary.tokens.cache_write,
                summary.tokens.cost};
  if (!row.tokens.cost && price) {
    row.tokens.cost = cost_of(summary, price);
  }
  row.outcome = name_of(summary.outcome);
  row.first_id = summary.first_record;
  row.skills.clear();
  for (const auto& [skill, uses] : summary.skills) {
    row.skills.push_back({skill, count(uses)});
  }
  row.tools.clear();
  for (const auto& [tool, uses] : summary.tools) {
    row.tools.push_back({tool, count(uses.calls), count(uses.errors)});
  }
}

std::vector<store::FindingRow> add_findings(std::vector<store::FindingRow> before,
                                            const redact::Counts& counts,
                                            const redact::RuleSet& rules) {
  for (const redact::Counts::OfRule& of : counts.by_rule) {
    const redact::Rule& rule = rules.rules()[of.rule];
    if (rule.confidence == redact::Confidence::definite) {
      continue;
    }
    auto found = std::ranges::find(before, rule.id, &store::FindingRow::rule);
    if (found == before.end()) {
      found = before.insert(before.end(), store::FindingRow{rule.id, 0});
    }
    found->count += of.count;
  }
  return before;
}

} // namespace upskill::archive
