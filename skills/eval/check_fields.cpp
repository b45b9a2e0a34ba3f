#include "skills/eval/cases.h"
#include "skills/eval/check_reader.h"
#include "skills/eval/json_schema.h"
#include "skills/eval/pattern.h"

#include <nlohmann/json.hpp>

#include <algorithm>

// What each kind of check needs.
namespace upskill::eval {
namespace {

using nlohmann::json;

constexpr double k_largest_limit = 1e12;

} // namespace

void CheckReader::read_kind(std::size_t depth) {
  switch (m_check.kind) {
  case CheckKind::is_json:
    if (m_fields.find(m_value) != nullptr && !m_fields.flag(m_value).value_or(true)) {
      m_fields.refuse(m_value, "must be true", "write `not_is_json` for the contrary");
    }
    return;
  case CheckKind::json_schema:
    return read_schema();
  case CheckKind::file_exists:
    return read_path(m_value);
  case CheckKind::file_contains:
    return read_file_contains();
  case CheckKind::command:
    return read_command();
  case CheckKind::tokens_under:
  case CheckKind::cost_under:
  case CheckKind::latency_under:
    return read_limit();
  case CheckKind::all_of:
  case CheckKind::any_of:
    return read_parts(depth);
  case CheckKind::judge:
    m_check.rubric = m_fields.text(either("rubric", m_value));
    return demand(m_fields, !m_check.rubric.empty(), "rubric", "must say what a judge is asked");
  case CheckKind::at_least_as_good:
    return read_reference();
  default:
    return read_values(m_fields);
  }
}

void CheckReader::want(bool good,
                       std::string_view name,
                       std::string_view otherwise,
                       std::string hint) {
  if (!good) {
    m_fields.refuse(name, otherwise, std::move(hint));
  }
}

void CheckReader::demand(Fields& fields,
                         bool given,
                         std::string_view name,
                         std::string_view otherwise) {
  if (!given) {
    fields.refuse_others();
    fields.refuse(name, otherwise);
  }
}

std::string CheckReader::either(const std::string& first, const std::string& second) {
  bool has_first = m_fields.find(first) != nullptr;
  bool has_second = first != second && m_fields.find(second) != nullptr;
  want(!has_first || !has_second, first, "is given twice, the other time as `" + second + "`");
  return has_first ? first : second;
}

void CheckReader::read_values(Fields& fields) {
  std::string name = &fields == &m_fields ? m_value : "values";
  std::vector<std::string> values;
  for (const std::string& one : {name, std::string("values"), std::string("text")}) {
    if (values.empty()) {
      values = fields.texts(one);
    } else {
      want(one == name || fields.find(one) == nullptr || m_form == CheckForm::verifier,
           one,
           "is one way too many to say what is looked for");
    }
  }
  demand(fields, !values.empty(), name, "must say what is looked for");
  bool single = m_check.kind == CheckKind::equals || m_check.kind == CheckKind::starts_with;
  want(values.size() <= 1 || !single, name, "must be one text", "write `any_of` with one each");
  // Read as "none of them" by people and as "not all of them" by programs. None of any is clear.
  bool any = m_check.kind == CheckKind::contains_any || m_check.kind == CheckKind::icontains_any;
  bool in_answer = m_check.kind == CheckKind::contains || m_check.kind == CheckKind::icontains;
  want(values.size() <= 1 || !m_check.negated || any,
       name,
       "has more than one text behind a `not_`",
       in_answer ? "write `not_contains_any` where none may be there"
                 : "write one check for each that must be absent");
  for (const std::string& value : values) {
    if (m_check.kind == CheckKind::regex) {
      if (Result<Pattern> pattern = Pattern::compile(value); !pattern) {
        m_fields.refuse(name, pattern.error().message, pattern.error().hint);
      }
    }
  }
  m_check.values = std::move(values);
}

void CheckReader::read_path(const std::string& other) {
  std::string name = either("path", other);
  demand(m_fields, m_fields.find(name) != nullptr, "path", "must name a file of the workspace");
  m_check.path = m_fields.path(name);
}

void CheckReader::read_file_contains() {
  const json* value = m_fields.find(m_value);
  if (value == nullptr || !value->is_object()) {
    m_fields.find("path");
    read_values(m_fields);
    return read_path("path");
  }
  Fields inner(*value, m_fields.where(), "a check", m_findings);
  m_check.path = inner.path("path");
  read_values(inner);
  demand(inner, !m_check.path.empty(), "path", "must name a file of the workspace");
  inner.refuse_others();
}

void CheckReader::read_schema() {
  const json* schema = m_fields.find(either("schema", m_value));
  if (schema == nullptr) {
    return demand(m_fields, false, "schema", "must be a JSON Schema");
  }
  m_check.schema = schema->dump();
  if (Result<void> good = check_schema(m_check.schema); !good) {
    m_fields.refuse("schema", good.error().message, good.error().hint);
  }
}

void CheckReader::read_command() {
  const json* value = m_fields.find(m_value);
  if (value != nullptr && value->is_object()) {
    Fields inner(*value, m_fields.where(), "a check", m_findings);
    read_seconds(inner, "timeout_seconds");
    read_words(inner, "argv", "cmd");
    return inner.refuse_others();
  }
  if (const json* config = m_fields.find("config"); config != nullptr) {
    Fields inner(*config, m_fields.where(), "`config`", m_findings);
    read_seconds(inner, "timeout_seconds");
    if (m_form == CheckForm::check) {
      inner.refuse_others();
    }
  } else {
    read_seconds(m_fields, "timeout_seconds");
  }
  read_words(m_fields, m_value == "cmd" ? m_value : either("argv", m_value), "cmd");
}

// A list of words is run as it is, a text by the shell.
void CheckReader::read_words(Fields& fields, const std::string& name, const std::string& shell) {
  const json* words = fields.find(name);
  const json* line = name == shell ? nullptr : fields.find(shell);
  demand(fields, (words == nullptr) != (line == nullptr), shell, "must be given, or `argv`");
  if (words != nullptr && words->is_array()) {
    m_check.argv = fields.texts(name);
    want(!m_check.argv.empty(), name, "must name a program");
  } else {
    std::string text = fields.text(words != nullptr ? name : shell);
    want(!text.empty(), shell, "must not be empty");
    m_check.argv = {"/bin/sh", "-c", text};
  }
}

void CheckReader::read_seconds(Fields& fields, const std::string& name) {
  m_check.limit =
      fields.number(name, 0.1, k_longest_command_limit).value_or(k_default_command_limit);
}

void CheckReader::read_limit() {
  std::string name = either("limit", m_value);
  demand(m_fields, m_fields.find(name) != nullptr, name, "must be a number");
  m_check.limit = m_fields.number(name, 0, k_largest_limit).value_or(0);
  want(m_check.limit > 0, name, "must be above 0");
}

// `true` is the case's `expected_output`; that it has one is for whoever reads the case.
void CheckReader::read_reference() {
  m_check.rubric = m_fields.text("rubric");
  std::string name = either("reference", m_value);
  const json* value = m_fields.find(name);
  if (value != nullptr && value->is_boolean()) {
    return want(value->get<bool>(), name, "must be true, or the answer to compare with");
  }
  m_check.reference = m_fields.text(name);
  demand(m_fields,
         !m_check.reference.empty(),
         "reference",
         "must be the answer to compare with, or true for the case's `expected_output`");
}

void CheckReader::read_parts(std::size_t depth) {
  std::string name = either("checks", m_value);
  m_check.threshold = m_fields.number("threshold", 0, 1);
  want(m_check.threshold != 0.0, "threshold", "must be above 0", "every answer reaches that");
  const json* parts = m_fields.find(name);
  if (parts == nullptr || !parts->is_array() || parts->empty() || parts->size() > k_max_checks) {
    return want(false, name, "must be a list of 1 to " + std::to_string(k_max_checks) + " checks");
  }
  if (depth >= k_max_check_depth) {
    return want(false, name, "nests deeper than " + std::to_string(k_max_check_depth));
  }
  double weight = 0;
  for (std::size_t i = 0; i < parts->size() && !m_findings.problem; ++i) {
    std::string where = m_fields.where() + "." + std::to_string(i + 1);
    CheckReader reader((*parts)[i], CheckForm::check, where, m_findings);
    m_check.parts.push_back(reader.read(depth + 1));
    weight += m_check.parts.back().weight;
  }
  want(weight > 0, name, "has no check with a weight");
}

} // namespace upskill::eval
