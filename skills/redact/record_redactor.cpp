#include "skills/redact/record_redactor.h"

#include "protocol/base/json_escape.h"
#include "skills/redact/escapes.h"

#include <algorithm>

namespace upskill::redact {
namespace {

// Texts at either end of a record that may go on: what a tool printed stands in some records twice.
constexpr std::size_t k_edges = 3;
constexpr std::size_t k_raw_edge = 4 * k_max_overlap; // bytes of it, as it stands in the record

bool is_definite(const RuleSet& rules, const Finding& finding) {
  return rules.rules()[finding.rule].confidence == Confidence::definite;
}

// What `text` says before `end`.
void append_said(std::string& out,
                 std::string_view record,
                 const RecordText& text,
                 std::size_t end) {
  std::string_view raw = record.substr(text.begin, end - text.begin);
  if (text.is_escaped) {
    append_json_unescaped(out, raw);
  } else {
    out += raw;
  }
}

} // namespace

RecordRedactor::RecordRedactor(RuleSet rules)
    : m_redactor(rules)
    , m_guard(rules)
    , m_settler(std::move(rules)) {}

// The end of a text, as much of it as may matter.
RecordRedactor::Edge RecordRedactor::end_of(const Held& record, RecordText text) const {
  std::string_view bytes = record.bytes;
  const Finding* last = nullptr;
  for (const Finding& one : record.findings) {
    bool is_last = one.begin >= text.begin && (one.end == text.end || one.is_open);
    if (is_last && one.end <= text.end && is_definite(m_redactor.rules(), one)) {
      last = &one;
    }
  }
  std::size_t from = text.end - std::min(text.end - text.begin, k_raw_edge);
  from = last == nullptr ? from : std::min(from, last->begin);
  // Only behind a blank is it certain that no escape is cut.
  std::size_t blank = from == text.begin ? std::string_view::npos : bytes.rfind(' ', from);
  text.begin = std::max(text.begin, blank == std::string_view::npos ? text.begin : blank);
  Edge edge{text, {}};
  append_said(edge.text, bytes, text, text.end);
  if (last != nullptr) {
    std::string before;
    append_said(before, bytes, text, last->begin);
    edge.last = {last->rule, before.size(), edge.text.size(), last->is_open};
  }
  return edge;
}

// The start of a text; all of it where a private key may go on in it.
RecordRedactor::Edge RecordRedactor::start_of(const Held& record, RecordText text) const {
  std::string_view bytes = record.bytes;
  bool goes_on =
      std::ranges::any_of(m_held->ends, [](const Edge& end) { return end.last.has_value(); });
  std::size_t to = text.begin + k_raw_edge;
  if (!goes_on && to < text.end) {
    text.end = std::min(text.end, bytes.find(' ', to));
  }
  Edge edge{text, {}};
  append_said(edge.text, bytes, text, text.end);
  return edge;
}

// The parts are places in what the text says.
void RecordRedactor::add_parts(Held& record, const Edge& edge, std::vector<Finding> parts) {
  const RecordText& place = edge.place;
  if (place.is_escaped) {
    std::string_view bytes = record.bytes;
    map_to_source(bytes.substr(place.begin, place.end - place.begin), parts);
  }
  for (Finding& part : parts) {
    part.begin += place.begin;
    part.end += place.begin;
    record.findings.push_back(part);
  }
}

// Whether a part of the earlier record is found to be a secret.
bool RecordRedactor::look_over_border(Held& later, std::vector<Edge>& starts) {
  bool goes_over = false;
  for (const Edge& end : m_held->ends) {
    for (const Edge& start : starts) {
      const Split& split = m_guard.between(end.text, start.text, end.last);
      if (split.empty()) {
        continue;
      }
      goes_over = goes_over || !split.earlier.empty();
      add_parts(*m_held, end, split.earlier);
      add_parts(later, start, split.later);
      for (Edge& same : later.ends) {
        bool goes_on = !split.later.empty() && split.later.back().end == start.text.size();
        if (same.place.end == start.place.end && goes_on) {
          same.last = {split.later.back().rule, 0, same.text.size(), split.later.back().is_open};
        }
      }
    }
  }
  return goes_over;
}

void RecordRedactor::prime(std::string record) {
  take(std::move(record));
  m_is_primed = true;
  m_goes_on_from_primed = false;
}

std::optional<RedactedRecord> RecordRedactor::take(std::string record) {
  Held next{std::move(record), {}, {}};
  std::vector<RecordText> texts;
  m_redactor.scan(next.bytes, next.findings, texts);
  std::size_t count = std::min(texts.size(), k_edges);
  for (std::size_t i = texts.size() - count; i < texts.size(); ++i) {
    next.ends.push_back(end_of(next, texts[i]));
  }
  std::optional<RedactedRecord> done;
  if (m_held) {
    std::vector<Edge> starts;
    for (std::size_t i = 0; i < count; ++i) {
      starts.push_back(start_of(next, texts[i]));
    }
    bool goes_over = look_over_border(next, starts);
    if (m_is_primed) {
      m_goes_on_from_primed = goes_over;
    } else {
      done = release(std::move(*m_held));
    }
  }
  m_is_primed = false;
  m_held = std::move(next);
  return done;
}

std::optional<RedactedRecord> RecordRedactor::finish() {
  if (!m_held || m_is_primed) {
    return std::nullopt;
  }
  RedactedRecord done = release(std::move(*m_held));
  m_held.reset();
  return done;
}

RedactedRecord RecordRedactor::release(Held record) {
  RedactedRecord done{std::move(record.bytes)};
  const RuleSet& rules = m_redactor.rules();
  auto is_candidate = [&](const Finding& one) { return !is_definite(rules, one); };
  m_settler.settle(record.findings);
  bool is_clean = std::ranges::all_of(record.findings, is_candidate);
  if (!is_clean) {
    std::erase_if(record.findings, is_candidate);
  }
  for (const Finding& one : record.findings) {
    done.counts.add(one.rule, rules.rules()[one.rule].confidence);
  }
  if (!is_clean) {
    put_marks(done.bytes, record.findings, m_redactor.rules());
    done.counts += m_redactor.redact(done.bytes);
  }
  return done;
}

} // namespace upskill::redact
