#include "skills/distill/distiller.h"

#include "protocol/base/utf8.h"
#include "skills/distill/commands.h"
#include "skills/distill/quoting.h"
#include "skills/distill/rendering.h"
#include "skills/trace/excerpt.h"
#include "skills/trace/tool_input.h"

#include <algorithm>
#include <utility>

namespace upskill::distill {
namespace {

using trace::Cut;
using trace::Event;
using trace::EventForm;
using trace::EventKind;

// What is kept of each text (facts: traces.md, section 4, prototype).
constexpr Cut k_prompt_cut{2600, 900};
constexpr Cut k_text_cut{1200, 600};
constexpr Cut k_call_cut{240, 0};
constexpr Cut k_error_cut{400, 400};
constexpr Cut k_success_cut{60, 120};
constexpr Cut k_beginning_cut{120, 0};
constexpr std::size_t k_pending = 256;
// Lines of text that nobody's are put together up to so many bytes.
constexpr std::size_t k_plain_run = 1600;

bool failed(const Event& event) {
  return event.is_error.value_or(false) || event.exit_code.value_or(0) != 0;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

LeftOut reason(EventForm form) {
  switch (form) {
  case EventForm::thinking:
    return LeftOut::thinking;
  case EventForm::instructions:
    return LeftOut::instructions;
  case EventForm::skill:
    return LeftOut::skill;
  case EventForm::injected:
    return LeftOut::injected;
  case EventForm::summary:
    return LeftOut::summary;
  case EventForm::command:
    return LeftOut::command;
  case EventForm::unknown:
    return LeftOut::unknown;
  case EventForm::unreadable:
    return LeftOut::unreadable;
  default:
    return LeftOut::state;
  }
}

} // namespace

Distiller::Distiller(trace::Format format, trace::TextFilter* filter, std::size_t memory)
    : m_heading(format)
    , m_filter(filter)
    , m_evidence(memory) {}

void Distiller::take(const Event& event) {
  const trace::Envelope& envelope = *event.envelope;
  m_here = {m_after.event, m_after.said, envelope.offset};
  m_after = {
      m_here.event + 1, m_here.said + event.text.raw_size(), envelope.offset + envelope.length};
  trace::Novelty novelty = m_novelties.of(event);
  if (novelty != trace::Novelty::fresh || event.form == EventForm::copy) {
    m_after.said = m_here.said; // it was said where the other one stands
    return leave_out(novelty == trace::Novelty::replayed ? LeftOut::replayed : LeftOut::copy);
  }
  if (!m_is_decided && event.kind != EventKind::meta) {
    m_is_decided = true;
    m_heading.is_helper = envelope.is_sidechain;
  }
  m_heading.take(envelope);
  m_heading.take_model(event.model);
  if (envelope.is_sidechain && !m_heading.is_helper && event.kind != EventKind::meta) {
    return take_aside(event);
  }
  bool is_plain = event.kind == EventKind::meta && event.form == EventForm::text;
  if (m_run && !(is_plain && m_run->kind == Run::Kind::plain)) {
    end_run();
  }
  switch (event.kind) {
  case EventKind::user:
    take_user(event);
    break;
  case EventKind::assistant:
    take_assistant(event);
    break;
  case EventKind::tool_call:
    take_call(event);
    break;
  case EventKind::tool_result:
    take_result(event);
    break;
  case EventKind::meta:
    is_plain ? take_plain(event) : take_meta(event);
    break;
  }
  m_beats.extend(envelope);
}

void Distiller::take_user(const Event& event) {
  switch (event.form) {
  case EventForm::prompt:
    return take_prompt(event);
  case EventForm::interrupt:
    m_beats.interrupt();
    return add(Tier::human, item("the person stopped the agent", {}));
  case EventForm::command:
    return take_command(event);
  default:
    return leave_out(reason(event.form));
  }
}

void Distiller::take_prompt(const Event& event) {
  std::string text = excerpt(event.text, k_prompt_cut, m_filter);
  if (text.empty() && event.images == 0) {
    return leave_out(LeftOut::empty);
  }
  if (m_prompt != event.envelope->offset) {
    m_prompt = event.envelope->offset;
    end_text(Tier::answer);
    m_beats.begin(*event.envelope);
  }
  if (!text.empty()) {
    // About nothing that was done, it is no remark.
    trace::Remark remark = m_beats.may_remark() && !m_heading.is_helper
                               ? trace::remark_of(text.substr(0, trace::k_remark_head))
                               : trace::Remark::none;
    m_beats.say(one_line(trace::excerpt(text, k_beginning_cut, nullptr)), remark);
  }
  if (event.images > 0) {
    text += text.empty() ? "[image]" : "\n[image]";
  }
  add(Tier::human, item(m_heading.is_helper ? "task" : "person", std::move(text)));
}

void Distiller::take_command(const Event& event) {
  std::string words = words_of_command(event.text.decoded(k_prompt_cut.head));
  std::string text = trace::excerpt(std::move(words), k_call_cut, m_filter);
  if (text.empty()) {
    return leave_out(LeftOut::command);
  }
  add(Tier::human, item("command of the person", std::move(text)));
}

void Distiller::take_assistant(const Event& event) {
  if (event.form == EventForm::thinking) {
    return leave_out(LeftOut::thinking);
  }
  std::string text = excerpt(event.text, k_text_cut, m_filter);
  if (text.empty()) {
    return leave_out(LeftOut::empty);
  }
  end_text(Tier::text);
  m_beats.answer();
  m_last_text = Unit{event.form == EventForm::answer ? Tier::answer : Tier::text,
                     {item("agent", std::move(text))}};
}

void Distiller::take_call(const Event& event) {
  m_beats.act();
  std::string name = safe_name(event.name);
  Pending pending;
  pending.is_shell = trace::is_shell_tool(name);
  pending.reads_instructions = trace::reads_instructions(name, event.text);
  std::string argument = trace::key_argument(event.text, k_call_cut.head + 2 * trace::k_cut_margin);
  if (pending.is_shell) {
    pending.attempt.signature = command_signature(argument);
    pending.attempt.is_test = is_test_command(argument);
  }
  argument = trace::excerpt(std::move(argument), k_call_cut, m_filter);
  pending.item = item("call " + name, argument);
  if (event.call.empty()) {
    return add(Tier::call, std::move(pending.item));
  }
  pending.call = trace::stable_hash(event.call);
  pending.attempt.tool = name;
  pending.attempt.argument = std::move(argument);
  pending.name = std::move(name);
  if (m_pending.size() == k_pending) {
    add(Tier::call, std::move(m_pending.front().item));
    m_pending.pop_front();
  }
  m_pending.push_back(std::move(pending));
}

void Distiller::take_result(const Event& event) {
  std::optional<Pending> pending = claim(event.call);
  if (pending) {
    pending->attempt.beat = m_beats.number();
  }
  if (failed(event)) {
    m_beats.fail();
    take_failure(event, std::move(pending));
  } else {
    m_beats.succeed();
    take_success(event, std::move(pending));
  }
}

void Distiller::take_failure(const Event& event, std::optional<Pending> pending) {
  std::string name = pending ? pending->name : safe_name(event.name);
  std::string head = "failed " + name;
  if (event.exit_code.value_or(0) != 0) {
    head += ", exit code " + std::to_string(*event.exit_code);
  }
  bool is_shown = !pending || !pending->reads_instructions;
  std::string text =
      is_shown ? excerpt(output_of_command(event.text), k_error_cut, m_filter) : std::string{};
  Unit unit{Tier::failure, {}};
  Attempt attempt;
  if (pending) {
    unit.items.push_back(std::move(pending->item));
    attempt = std::move(pending->attempt);
  }
  unit.items.push_back(item(std::move(head), std::move(text)));
  if (attempt.tool.empty()) {
    return m_evidence.add(std::move(unit));
  }
  std::uint64_t repeated = 0;
  if (std::optional<Unit> oldest = m_failures.fail(std::move(attempt), std::move(unit), repeated)) {
    m_evidence.add(std::move(*oldest));
  }
  leave_out(LeftOut::repeated, repeated);
}

void Distiller::take_success(const Event& event, std::optional<Pending> pending) {
  if (!pending) {
    return leave_out(LeftOut::output);
  }
  if (pending->attempt.is_test) {
    m_beats.label(Label::tests_passed);
  }
  bool is_shown = pending->is_shell && !pending->reads_instructions;
  std::string text = is_shown
                         ? one_line(excerpt(output_of_command(event.text), k_success_cut, m_filter))
                         : std::string{};
  if (std::optional<Unit> failure = m_failures.recover(pending->attempt)) {
    m_beats.label(Label::recovered);
    failure->items.push_back(std::move(pending->item));
    failure->items.push_back(item("then went well: " + pending->name, std::move(text)));
    return m_evidence.add(std::move(*failure));
  }
  if (!is_shown) {
    tell_size(pending->item);
    leave_out(LeftOut::output);
  }
  std::vector<Item> items;
  items.push_back(std::move(pending->item));
  if (is_shown && text.empty()) {
    leave_out(LeftOut::empty);
  } else if (is_shown) {
    items.push_back(item("gave " + pending->name, std::move(text)));
  }
  if (m_failures.follow(pending->attempt.beat, items)) {
    return;
  }
  add(Tier::call, std::move(items.front()));
  if (items.size() > 1) {
    add(Tier::success, std::move(items.back()));
  }
}

// The call says what is left out of its result, so that most need no mark of their own.
void Distiller::tell_size(Item& call) const {
  std::uint64_t said = m_after.said - m_here.said;
  if (said > 0) {
    call.head += ", gave " + trace::grouped((said + 3) / 4) + " tokens";
  }
  if (call.end.event == m_here.event) {
    call.end = m_after;
  }
}

void Distiller::take_meta(const Event& event) {
  if (event.form == EventForm::title) {
    m_heading.take_title(event.text, m_filter);
  } else if (event.form == EventForm::rewind) {
    m_beats.label(Label::taken_back);
    return add(Tier::human, item("the person went back to before this", {}));
  }
  leave_out(reason(event.form));
}

void Distiller::take_aside(const Event& event) {
  if (m_run && m_run->kind != Run::Kind::helper) {
    end_run();
  }
  if (!m_run) {
    m_run = Run{Run::Kind::helper, item({}, {}), safe_name(event.envelope->agent)};
    m_run->item.events = 0;
  }
  ++m_run->events;
  m_run->calls += event.kind == EventKind::tool_call ? 1 : 0;
  m_run->errors += event.kind == EventKind::tool_result && failed(event) ? 1 : 0;
  m_run->item.end = m_after;
  if (event.kind == EventKind::assistant && event.form != EventForm::thinking) {
    std::string text = excerpt(event.text, k_call_cut, m_filter);
    if (!text.empty()) {
      m_run->item.text = std::move(text);
    }
  }
  leave_out(LeftOut::helper);
}

// Nobody can tell whose words these are: they are evidence as an agent's are.
void Distiller::take_plain(const Event& event) {
  std::string text = excerpt(event.text, k_text_cut, m_filter);
  if (text.empty()) {
    return leave_out(LeftOut::empty);
  }
  if (m_run && m_run->item.text.size() + text.size() > k_plain_run) {
    end_run();
  }
  if (!m_run) {
    m_run = Run{Run::Kind::plain, item("text", std::move(text)), {}};
    return;
  }
  m_run->item.text += '\n';
  m_run->item.text += text;
  m_run->item.end = m_after;
  ++m_run->item.events;
}

Item Distiller::item(std::string head, std::string text) const {
  return {m_here, m_after, 1, m_beats.number(), std::move(head), std::move(text)};
}

void Distiller::add(Tier tier, Item item) {
  Unit unit{tier, {}};
  unit.items.push_back(std::move(item));
  m_evidence.add(std::move(unit));
}

void Distiller::leave_out(LeftOut why, std::uint64_t events) {
  m_left_out[static_cast<std::size_t>(why)] += events;
}

// `tier`: what the last text turns out to have been, unless its format told.
void Distiller::end_text(Tier tier) {
  if (m_last_text) {
    m_last_text->tier = std::min(m_last_text->tier, tier);
    m_evidence.add(std::move(*m_last_text));
    m_last_text.reset();
  }
}

void Distiller::end_run() {
  m_evidence.add(unit_of(*m_run));
  m_run.reset();
}

Unit Distiller::unit_of(const Run& run) {
  Unit unit{Tier::text, {run.item}};
  if (run.kind == Run::Kind::helper) {
    unit.tier = Tier::call;
    unit.items[0].head = "helper " + run.agent + ": " + counted_word(run.events, "event") + ", "
                         + counted_word(run.calls, "call") + ", " + trace::grouped(run.errors)
                         + " failed";
  }
  return unit;
}

std::optional<Distiller::Pending> Distiller::claim(std::string_view call) {
  if (call.empty()) {
    return std::nullopt;
  }
  std::uint64_t hash = trace::stable_hash(call);
  auto found = std::find_if(m_pending.begin(), m_pending.end(), [&](const Pending& pending) {
    return pending.call == hash;
  });
  if (found == m_pending.end()) {
    return std::nullopt;
  }
  Pending pending = std::move(*found);
  m_pending.erase(found);
  return pending;
}

} // namespace upskill::distill
