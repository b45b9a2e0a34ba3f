#include "skills/agent_events/recorder.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <utility>

namespace upskill::agent_events {
namespace {

constexpr std::size_t k_max_waiting = 1000; // calls without a result
constexpr std::int64_t k_most = std::int64_t(1) << 60;

std::string name_of(std::string_view text) {
  return std::string(utf8_prefix(text, k_max_name));
}

void add(std::vector<std::string>& names, std::string_view text) {
  std::string name = name_of(text);
  if (!name.empty() && names.size() < k_max_names
      && std::ranges::find(names, name) == names.end()) {
    names.push_back(std::move(name));
  }
}

} // namespace

void Recorder::say(std::string_view text) {
  if (!text.empty()) {
    run.answer = utf8_prefix(text, k_max_answer);
    m_is_new_text = true;
  }
}

void Recorder::say_more(std::string_view text) {
  if (text.empty()) {
    return;
  }
  if (std::exchange(m_is_new_text, false)) {
    run.answer.clear();
  }
  run.answer += utf8_prefix(text, k_max_answer - std::min(k_max_answer, run.answer.size()));
}

void Recorder::call(std::string_view id, std::string_view tool, std::set<std::string> skills) {
  m_is_new_text = true;
  std::string key(id.substr(0, k_max_name));
  if (!key.empty() && m_waiting.contains(key)) {
    return;
  }
  ++run.tool_calls;
  if (run.tools.size() < k_max_names) {
    run.tools.push_back(name_of(tool));
  }
  if (!key.empty() && m_waiting.size() < k_max_waiting) {
    m_waiting.emplace(std::move(key), std::move(skills));
    return;
  }
  for (const std::string& skill : skills) {
    used_skill(skill);
  }
}

void Recorder::result(std::string_view id, bool has_succeeded) {
  auto found = m_waiting.find(id.substr(0, k_max_name));
  if (found == m_waiting.end()) {
    return;
  }
  for (const std::string& skill : found->second) {
    if (has_succeeded) {
      used_skill(skill);
    }
  }
  m_waiting.erase(found);
}

void Recorder::used_skill(std::string_view name) {
  if (name == "*") {
    run.skills.insert(m_placed.begin(), m_placed.end());
  } else if (!name.empty() && run.skills.size() < k_max_names) {
    run.skills.insert(name_of(name));
  }
}

void Recorder::offered(std::string_view skill) {
  add(run.offered, skill);
}

void Recorder::model(std::string_view name) {
  if (!name.starts_with('<')) { // `<synthetic>`: what Claude Code says itself
    add(run.models, name);
  }
}

void Recorder::fail(std::string_view message) {
  trouble(message);
  run.ending = Ending::failed;
}

void Recorder::done() {
  if (run.ending != Ending::failed) {
    run.ending = Ending::done;
  }
}

void Recorder::trouble(std::string_view message) {
  if (!message.empty()) {
    run.failure = utf8_prefix(message, k_max_failure);
  }
}

void Recorder::status(std::optional<std::int64_t> code) {
  if (code && *code >= 100 && *code <= 599) {
    run.status = static_cast<int>(*code);
  }
}

void Recorder::finish() {
  // Whose result was not told: it was asked for, and nothing says that it was refused.
  for (const auto& [id, skills] : std::exchange(m_waiting, {})) {
    for (const std::string& skill : skills) {
      used_skill(skill);
    }
  }
}

std::optional<std::int64_t> sum(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (!a || !b) {
    return a ? a : b;
  }
  return std::min(k_most, std::min(*a, k_most) + std::min(*b, k_most));
}

std::optional<std::int64_t> less(std::optional<std::int64_t> of, std::optional<std::int64_t> part) {
  if (!of) {
    return std::nullopt;
  }
  return std::max<std::int64_t>(0, *of - part.value_or(0));
}

} // namespace upskill::agent_events
