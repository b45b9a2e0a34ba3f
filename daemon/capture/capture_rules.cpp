#include "daemon/capture/capture_rules.h"

#include "protocol/base/paths.h"

#include <algorithm>

namespace upskill::capture {
namespace {

bool is_of(const store::CaptureRule& rule, std::string_view agent) {
  return rule.agent.empty() || rule.agent == agent;
}

bool is_stronger(const store::CaptureRule& a, const store::CaptureRule& b) {
  if (a.folder.size() != b.folder.size()) {
    return a.folder.size() > b.folder.size();
  }
  return !a.agent.empty() && b.agent.empty();
}

} // namespace

bool is_captured(std::span<const store::CaptureRule> rules,
                 std::string_view agent,
                 std::string_view folder) {
  const store::CaptureRule* decides = nullptr;
  for (const store::CaptureRule& rule : rules) {
    bool holds = is_of(rule, agent)
                 && (rule.folder.empty() || (!folder.empty() && is_inside(folder, rule.folder)));
    if (holds && (decides == nullptr || is_stronger(rule, *decides))) {
      decides = &rule;
    }
  }
  return decides != nullptr && decides->capture == store::Capture::on;
}

bool may_be_captured(std::span<const store::CaptureRule> rules, std::string_view agent) {
  return std::ranges::any_of(rules, [&](const store::CaptureRule& rule) {
    return rule.capture == store::Capture::on && is_of(rule, agent);
  });
}

} // namespace upskill::capture
