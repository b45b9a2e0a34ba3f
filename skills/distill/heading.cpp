#include "skills/distill/heading.h"

#include "protocol/base/utf8.h"
#include "skills/trace/excerpt.h"
#include "skills/trace/harness.h"

#include <algorithm>

namespace upskill::distill {
namespace {

constexpr std::size_t k_models = 4;
constexpr std::size_t k_name = 80;
constexpr std::size_t k_path = 200;
constexpr trace::Cut k_title{160, 0};

void keep_first(std::string& kept, std::string_view value, std::size_t limit) {
  if (kept.empty() && !value.empty()) {
    kept = utf8_prefix(value, limit);
  }
}

} // namespace

Heading::Heading(trace::Format format)
    : harness(trace::harness_of(format)) {}

void Heading::take(const trace::Envelope& envelope) {
  if (!envelope.harness.empty()) {
    harness = utf8_prefix(envelope.harness, k_name);
  }
  keep_first(session, envelope.session, k_name);
  keep_first(cwd, envelope.cwd, k_path);
  keep_first(branch, envelope.branch, k_name);
  keep_first(version, envelope.version, k_name);
  if (envelope.is_sidechain && is_helper) {
    keep_first(agent, envelope.agent, k_name);
  }
  if (envelope.time_ms) {
    first_ms = std::min(first_ms.value_or(*envelope.time_ms), *envelope.time_ms);
    last_ms = std::max(last_ms.value_or(*envelope.time_ms), *envelope.time_ms);
  }
}

void Heading::take_model(std::string_view model) {
  std::string_view name = utf8_prefix(model, k_name);
  if (!name.empty() && models.size() < k_models
      && std::find(models.begin(), models.end(), name) == models.end()) {
    models.emplace_back(name);
  }
}

void Heading::take_title(const trace::Text& text, trace::TextFilter* filter) {
  if (!text.empty()) {
    title = excerpt(text, k_title, filter);
  }
}

} // namespace upskill::distill
