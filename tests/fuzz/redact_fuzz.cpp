#include "protocol/base/utf8.h"
#include "skills/redact/mark.h"
#include "skills/redact/record_redactor.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace upskill;
using namespace upskill::redact;

namespace {

// A broken promise must stop the fuzzer.
void promise(bool kept) {
  if (!kept) {
    std::abort();
  }
}

const RuleSet& rules() {
  static const Result<RuleSet> k_rules = RuleSet::built_in();
  return *k_rules;
}

void check_findings(std::string_view text, const std::vector<Finding>& findings) {
  std::size_t end = 0;
  for (const Finding& one : findings) {
    promise(one.rule < rules().rules().size());
    promise(one.begin >= end && one.begin < one.end && one.end <= text.size());
    end = one.end;
  }
}

// Whether `after` is `before` with parts of it replaced by marks: what stands between marks is
// there, in order.
bool only_marked(std::string_view before, std::string_view after) {
  std::size_t at = 0;
  while (!after.empty()) {
    std::size_t mark = std::min(after.find(k_mark_begin), after.size());
    std::string_view plain = after.substr(0, mark);
    at = before.find(plain, at);
    if (at == std::string_view::npos) {
      return false;
    }
    at += plain.size();
    after.remove_prefix(mark);
    after.remove_prefix(after.empty() ? 0 : std::min(after.find(']'), after.size() - 1) + 1);
  }
  return true;
}

// A number by itself is a text to us, and behind a NUL that library looks at nothing.
bool is_json(std::string_view text) {
  std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text.find('\0') == std::string_view::npos
         && std::string_view("{[\"").find(text[first]) != std::string_view::npos
         && nlohmann::json::accept(text);
}

void check_text(std::string_view bytes) {
  static Redactor redactor(rules());
  std::vector<Finding> findings;
  redactor.scan(bytes, findings);
  check_findings(bytes, findings);
  std::string text(bytes);
  Counts counts = redactor.redact(text);
  promise(counts.definite > 0 || text == bytes);
  promise(!is_utf8(bytes) || is_utf8(text));
  promise(bytes.find(k_mark_begin) != std::string_view::npos || only_marked(bytes, text));
  std::string twice = text;
  redactor.redact(twice);
  promise(twice == text);
}

void check_record(std::string_view bytes) {
  static JsonRedactor redactor(rules());
  std::vector<Finding> findings;
  std::vector<RecordText> texts;
  redactor.scan(bytes, findings, texts);
  check_findings(bytes, findings);
  for (const RecordText& text : texts) {
    promise(text.begin <= text.end && text.end <= bytes.size());
  }
  std::string record(bytes);
  Counts counts = redactor.redact(record);
  promise(counts.definite > 0 || record == bytes);
  promise(!is_json(bytes) || is_json(record));
  promise(bytes.find(k_mark_begin) != std::string_view::npos || only_marked(bytes, record));
  std::string twice = record;
  redactor.redact(twice);
  promise(twice == record);
}

// Two records, which a NUL parts.
void check_border(std::string_view bytes) {
  std::size_t cut = bytes.find('\0');
  if (cut == std::string_view::npos) {
    return;
  }
  std::string_view parts[] = {bytes.substr(0, cut), bytes.substr(cut + 1)};
  RecordRedactor redactor(rules());
  promise(!redactor.take(std::string(parts[0])));
  std::optional<RedactedRecord> done[] = {redactor.take(std::string(parts[1])), redactor.finish()};
  for (int i = 0; i < 2; ++i) {
    promise(done[i].has_value());
    promise(!is_json(parts[i]) || is_json(done[i]->bytes));
    promise(done[i]->counts.definite > 0 || done[i]->bytes == parts[i]);
  }
}

} // namespace

// As a text, as a record, and as two records.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_text(bytes);
  check_record(bytes);
  check_border(bytes);
  return 0;
}
