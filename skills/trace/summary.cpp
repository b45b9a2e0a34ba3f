#include "skills/trace/summary.h"

#include "protocol/base/utf8.h"
#include "skills/trace/excerpt.h"
#include "skills/trace/harness.h"
#include "skills/trace/recent_ids.h"
#include "skills/trace/tool_input.h"

#include <algorithm>
#include <utility>

namespace upskill::trace {
namespace {

// Bytes of one string of an envelope, and of what goes into the index at once.
constexpr std::size_t k_short = 1024;
constexpr std::size_t k_name = 200;
constexpr Cut k_prompt_cut{4096, 1024};
constexpr Cut k_answer_cut{1536, 512};
constexpr Cut k_call_cut{240, 0};
constexpr Cut k_error_cut{240, 160};

void keep_first(std::string& kept, std::string_view value) {
  if (kept.empty() && !value.empty()) {
    kept = utf8_prefix(value, k_short);
  }
}

// One that repeats another with more output takes its place.
void count_usage(Usage& sum, const Usage& usage, const Usage& counted) {
  auto add = [](auto& total, const auto& now, const auto& before) {
    if (now || before) {
      total = total.value_or(0) + now.value_or(0) - before.value_or(0);
    }
  };
  add(sum.input, usage.input, counted.input);
  add(sum.output, usage.output, counted.output);
  add(sum.cache_read, usage.cache_read, counted.cache_read);
  add(sum.cache_write, usage.cache_write, counted.cache_write);
  add(sum.cost, usage.cost, counted.cost);
}

} // namespace

Summary::Summary(Format format, TextFilter* filter, std::size_t slots)
    : m_format(format)
    , m_filter(filter)
    , m_novelties(slots) {}

void Summary::take(const Event& event) {
  m_novelty = m_novelties.of(event);
  if (m_novelty == Novelty::replayed) {
    return take_replayed(event);
  }
  take_envelope(event);
  // What tells of the whole says it for all; else whoever speaks first.
  bool is_told = event.form == EventForm::session && event.envelope->is_sidechain;
  if (is_told || (!m_is_decided && event.kind != EventKind::meta)) {
    m_is_decided = true;
    m_seen.is_helper = event.envelope->is_sidechain;
  }
  if (event.usage) {
    take_usage(event); // what is written again has its tokens at last
  }
  if (m_novelty == Novelty::repeated) {
    return;
  }
  if (!event.model.empty() && m_seen.models.size() < k_models
      && std::find(m_seen.models.begin(), m_seen.models.end(), event.model)
             == m_seen.models.end()) {
    m_seen.models.emplace_back(utf8_prefix(event.model, k_name));
  }
  switch (event.kind) {
  case EventKind::user:
    return take_user(event);
  case EventKind::assistant:
    return take_assistant(event);
  case EventKind::tool_call:
    return take_call(event);
  case EventKind::tool_result:
    return take_result(event);
  case EventKind::meta:
    return take_meta(event);
  }
}

void Summary::take_envelope(const Event& event) {
  const Envelope& envelope = *event.envelope;
  if (m_record == envelope.offset) {
    return;
  }
  m_record = envelope.offset;
  ++m_seen.counts.records;
  keep_first(m_seen.harness, envelope.harness);
  keep_first(m_seen.session, envelope.session);
  keep_first(m_seen.forked_from, envelope.forked_from);
  keep_first(m_seen.first_record, envelope.id);
  keep_first(m_seen.cwd, envelope.cwd);
  keep_first(m_seen.branch, envelope.branch);
  if (!envelope.version.empty()) {
    m_seen.version = utf8_prefix(envelope.version, k_name);
  }
  if (!envelope.agent.empty() && envelope.is_sidechain) {
    keep_first(m_seen.agent, envelope.agent);
  }
  if (envelope.time_ms) {
    m_seen.first_ms = std::min(m_seen.first_ms.value_or(*envelope.time_ms), *envelope.time_ms);
    m_seen.last_ms = std::max(m_seen.last_ms.value_or(*envelope.time_ms), *envelope.time_ms);
  }
}

// It says whose session this is, and nothing of what was done in it.
void Summary::take_replayed(const Event& event) {
  const Envelope& envelope = *event.envelope;
  ++m_seen.counts.replayed;
  keep_first(m_seen.harness, envelope.harness);
  keep_first(m_seen.session, envelope.session);
  keep_first(m_seen.forked_from, envelope.forked_from);
  keep_first(m_seen.first_record, envelope.id);
  if (event.usage && event.usage->is_total) {
    m_inherited = event.usage;
  }
}

// A helper's doings in the middle of the conversation.
bool Summary::is_aside(const Event& event) const {
  return event.envelope->is_sidechain && !m_seen.is_helper;
}

void Summary::take_user(const Event& event) {
  if (is_aside(event)) {
    return;
  }
  if (event.form == EventForm::prompt) {
    take_prompt(event);
  } else if (event.form == EventForm::interrupt) {
    ++m_seen.counts.interrupts;
    m_course.is_interrupted = true;
  } else if (event.form == EventForm::skill) {
    see_skill(event.skill);
  }
}

void Summary::take_prompt(const Event& event) {
  if (m_prompt != event.envelope->offset) {
    m_prompt = event.envelope->offset;
    ++m_seen.counts.prompts;
    m_is_remarked = false;
    m_before = std::exchange(m_course, Course{});
    m_remark = Remark::none;
  }
  if (event.text.empty()) {
    return; // an image
  }
  if (m_beginning.empty()) {
    std::string text = excerpt(event.text, {k_first_prompt + 240, 0}, m_filter);
    std::replace(text.begin(), text.end(), '\n', ' ');
    m_beginning = utf8_prefix(text, k_first_prompt);
  }
  if (!m_is_remarked && m_before.has_acted) {
    m_remark = remark_of(event.text.decoded(k_remark_head));
    m_seen.counts.corrections += m_remark == Remark::correction ? 1 : 0;
    m_seen.counts.approvals += m_remark == Remark::approval ? 1 : 0;
  }
  m_is_remarked = true;
  m_prompts.add(excerpt(event.text, k_prompt_cut, m_filter));
}

void Summary::take_assistant(const Event& event) {
  see_skill(event.skill);
  if (is_aside(event) || event.form == EventForm::thinking || event.text.empty()) {
    return;
  }
  ++m_seen.counts.answers;
  m_course = {true, true, false, false};
  m_answers.add(excerpt(event.text, k_answer_cut, m_filter));
}

void Summary::take_call(const Event& event) {
  ++m_seen.counts.calls;
  if (ToolCount* count = tool(event.name)) {
    ++count->calls;
  }
  see_skill(event.skill);
  if (!is_aside(event)) {
    m_course = {true, false, false, false};
  }
  if (!event.call.empty()) {
    if (m_pending.size() == k_pending) {
      m_pending.erase(m_pending.begin());
    }
    std::string_view skill = skill_read_by(event.name, event.text);
    m_pending.push_back({stable_hash(event.call),
                         std::string(utf8_prefix(event.name, k_name)),
                         std::string(is_utf8(skill) ? skill : std::string_view{})});
  }
  std::string key = key_argument(event.text, k_call_cut.head + k_cut_margin);
  m_work.add(excerpt(std::move(key), k_call_cut, m_filter));
}

void Summary::take_result(const Event& event) {
  bool is_failure = event.is_error.value_or(false) || event.exit_code.value_or(0) != 0;
  auto pending = m_pending.end();
  if (!event.call.empty()) {
    std::uint64_t call = stable_hash(event.call);
    pending = std::find_if(
        m_pending.begin(), m_pending.end(), [&](const Pending& one) { return one.call == call; });
  }
  if (is_failure) {
    ++m_seen.counts.errors;
    if (ToolCount* count = tool(pending != m_pending.end() ? pending->tool : event.name)) {
      ++count->errors;
    }
    m_work.add(excerpt(event.text, k_error_cut, m_filter));
  } else if (pending != m_pending.end()) {
    see_skill(pending->skill);
  }
  if (pending != m_pending.end()) {
    m_pending.erase(pending);
  }
  if (!is_aside(event)) {
    m_course.has_acted = true;
    m_course.is_answered = false;
    m_course.is_failing = is_failure;
  }
}

void Summary::take_meta(const Event& event) {
  switch (event.form) {
  case EventForm::title:
    if (!event.text.empty()) {
      m_title = utf8_prefix(excerpt(event.text, {k_title, 0}, m_filter), k_title);
    }
    break;
  case EventForm::unreadable:
    ++m_seen.counts.unreadable;
    break;
  case EventForm::unknown: {
    ++m_seen.counts.unknown;
    std::string name(utf8_prefix(event.name, k_name));
    if (m_seen.unknown.size() < k_unknown || m_seen.unknown.contains(name)) {
      ++m_seen.unknown[name];
    }
    break;
  }
  default:
    break;
  }
}

void Summary::take_usage(const Event& event) {
  if (event.usage->is_total) {
    Usage total = *event.usage;
    total.is_total = false;
    // A fork goes on from the other's total.
    bool goes_on = m_inherited && total.input.value_or(0) >= m_inherited->input.value_or(0)
                   && total.output.value_or(0) >= m_inherited->output.value_or(0);
    m_seen.tokens = {};
    count_usage(m_seen.tokens, total, goes_on ? *m_inherited : Usage{});
    return;
  }
  if (event.message.empty()) {
    return count(event.model, *event.usage, {});
  }
  std::uint64_t message = stable_hash(event.message);
  auto found = std::find_if(m_counted.begin(), m_counted.end(), [&](const Counted& one) {
    return one.message == message;
  });
  if (found == m_counted.end()) {
    if (m_counted.size() == k_messages) {
      m_counted.erase(m_counted.begin());
    }
    m_counted.push_back({message, *event.usage});
    count(event.model, *event.usage, {});
  } else if (event.usage->output.value_or(0) > found->usage.output.value_or(0)) {
    count(event.model, *event.usage, found->usage);
    found->usage = *event.usage;
  }
}

void Summary::count(std::string_view model, const Usage& usage, const Usage& counted) {
  count_usage(m_seen.tokens, usage, counted);
  std::string name(utf8_prefix(model, k_name));
  if (!name.empty() && (m_seen.by_model.size() < k_models || m_seen.by_model.contains(name))) {
    count_usage(m_seen.by_model[name], usage, counted);
  }
}

void Summary::see_skill(std::string_view name) {
  std::string skill(utf8_prefix(name, k_name));
  if (!skill.empty() && (m_seen.skills.size() < k_skills || m_seen.skills.contains(skill))) {
    ++m_seen.skills[skill];
  }
}

ToolCount* Summary::tool(std::string_view name) {
  std::string key(utf8_prefix(name, k_name));
  if (key.empty() || (m_seen.tools.size() >= k_tools && !m_seen.tools.contains(key))) {
    return nullptr;
  }
  return &m_seen.tools[key];
}

SessionSummary Summary::summary() const {
  SessionSummary all = m_seen;
  if (m_is_decided && !all.is_helper) {
    all.agent.clear(); // of one whose doings are told within the session
  }
  if (all.harness.empty()) {
    all.harness = harness_of(m_format);
  }
  all.title = m_title.empty() ? m_beginning : m_title;
  all.index = {all.title, m_prompts.text(), m_answers.text(), m_work.text()};
  // What went wrong since the person's last words says more than those.
  Outcome last = outcome_of(m_course, Remark::none);
  bool is_bad = last == Outcome::interrupted || last == Outcome::failed;
  all.outcome = is_bad ? last : outcome_of(m_course, m_remark);
  return all;
}

} // namespace upskill::trace
