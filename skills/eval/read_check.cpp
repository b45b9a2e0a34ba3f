#include "skills/eval/cases.h"
#include "skills/eval/check_kinds.h"
#include "skills/eval/json_schema.h"
#include "skills/eval/pattern.h"
#include "skills/eval/read_case.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace upskill::eval {
namespace {

using nlohmann::json;

constexpr double k_largest_weight = 1e6;
constexpr double k_largest_limit = 1e12;

// Reads one check: what kind it is, then what the kind needs. The kind's own value stands behind
// its name (`{"contains": ["x"]}`), in `value`, or in a field of its own; `file_contains` and
// `command` may have an object there.
class CheckReader {
public:
  CheckReader(const json& object, CheckForm form, const std::string& where, Findings& findings)
      : m_object(object)
      , m_form(form)
      , m_fields(object, where, "a check", findings)
      , m_findings(findings) {}

  Check read(std::size_t depth) {
    find_name();
    if (m_findings.problem) {
      return {};
    }
    m_check.name = m_fields.text("name", k_max_case_name);
    if (m_form == CheckForm::verifier) {
      for (const char* field : {"values", "text", "path", "cmd", "config"}) {
        m_fields.find(field);
      }
    } else {
      m_check.weight = m_fields.number("weight", 0, k_largest_weight).value_or(1);
    }
    read_kind(depth);
    m_fields.refuse_others();
    return std::move(m_check);
  }

private:
  void find_name() {
    std::string written;
    if (m_fields.find("type") != nullptr) {
      written = m_fields.text("type", k_max_case_name);
      m_value = "value";
    } else if (m_object.is_object()) {
      for (const auto& [key, value] : m_object.items()) {
        if (find_kind(key) && !written.empty()) {
          m_fields.refuse(key, "and `" + written + "` are two checks", "write one object for each");
        }
        written = find_kind(key) ? key : written;
      }
      if (written.empty()) {
        return refuse_kind(first_unknown());
      }
      m_value = written;
    }
    if (m_findings.problem) {
      return;
    }
    if (m_form == CheckForm::verifier && written == "validator") {
      m_fields.refuse("validator",
                      "is a function of a Python program, which we do not have",
                      "write a `command` check that runs it");
      return;
    }
    auto kind = find_kind(written);
    if (!kind) {
      return refuse_kind(written);
    }
    m_check.kind = kind->kind;
    m_check.negated = kind->negated;
    if (m_form == CheckForm::verifier) {
      find_verifier_field(written);
    }
  }

  void find_verifier_field(const std::string& written) {
    static const std::map<std::string, std::string, std::less<>> fields = {
        {"contains", "values"},
        {"file_contains", "values"},
        {"file_exists", "path"},
        {"command", "cmd"}};
    auto at = fields.find(written);
    if (at == fields.end()) {
      m_fields.refuse(written, "is not a type of verifier", "`checks` may have it");
    } else {
      m_value = at->second;
    }
  }

  std::string first_unknown() const {
    for (const auto& [key, value] : m_object.items()) {
      if (key != "name" && key != "weight" && key != "threshold") {
        return key;
      }
    }
    return "";
  }

  void refuse_kind(const std::string& written) {
    std::vector<std::string> names = kind_names();
    std::string hint = meant(written.starts_with("not") ? written.substr(4) : written, names);
    hint = hint.empty() ? known(names) : hint;
    m_fields.refuse(written, "is not a kind of check", hint);
  }

  void read_kind(std::size_t depth) {
    switch (m_check.kind) {
    case CheckKind::is_json:
      if (m_fields.find(m_value) != nullptr && !m_fields.flag(m_value).value_or(true)) {
        m_fields.refuse(m_value, "must be true", "write `not_is_json` for the contrary");
      }
      return;
    case CheckKind::json_schema:
      return read_schema();
    case CheckKind::file_exists:
      return read_path({"path", m_value});
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
    default:
      return read_values(m_fields);
    }
  }

  void want(bool good, std::string_view name, std::string_view otherwise, std::string hint = {}) {
    if (!good) {
      m_fields.refuse(name, otherwise, std::move(hint));
    }
  }

  // What must be there. A field that nobody knows is told first: it may be the one, misspelt.
  static void
  demand(Fields& fields, bool given, std::string_view name, std::string_view otherwise) {
    if (!given) {
      fields.refuse_others();
      fields.refuse(name, otherwise);
    }
  }

  // The first where it is there, else the second; both become fields of the check.
  std::string either(const std::string& first, const std::string& second) {
    bool has_first = m_fields.find(first) != nullptr;
    bool has_second = first != second && m_fields.find(second) != nullptr;
    want(!has_first || !has_second, first, "is given twice, the other time as `" + second + "`");
    return has_first ? first : second;
  }

  // Of the check, or of the object that is its value.
  void read_values(Fields& fields) {
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
    // Read as "none of them" by people and as "not all of them" by programs.
    want(values.size() <= 1 || !m_check.negated,
         name,
         "has more than one text behind a `not_`",
         "write one check for each that must be absent");
    for (const std::string& value : values) {
      if (m_check.kind == CheckKind::regex) {
        if (Result<Pattern> pattern = Pattern::compile(value); !pattern) {
          m_fields.refuse(name, pattern.error().message, pattern.error().hint);
        }
      }
    }
    m_check.values = std::move(values);
  }

  void read_path(std::vector<std::string> names) {
    std::string name = either(names[0], names[1]);
    demand(m_fields, m_fields.find(name) != nullptr, "path", "must name a file of the workspace");
    m_check.path = m_fields.path(name);
  }

  void read_file_contains() {
    const json* value = m_fields.find(m_value);
    if (value == nullptr || !value->is_object()) {
      m_fields.find("path");
      read_values(m_fields);
      return read_path({"path", "path"});
    }
    Fields inner(*value, m_fields.where(), "a check", m_findings);
    m_check.path = inner.path("path");
    read_values(inner);
    demand(inner, !m_check.path.empty(), "path", "must name a file of the workspace");
    inner.refuse_others();
  }

  void read_schema() {
    const json* schema = m_fields.find(either("schema", m_value));
    if (schema == nullptr) {
      return demand(m_fields, false, "schema", "must be a JSON Schema");
    }
    m_check.schema = schema->dump();
    if (Result<void> good = check_schema(m_check.schema); !good) {
      m_fields.refuse("schema", good.error().message, good.error().hint);
    }
  }

  void read_command() {
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
  void read_words(Fields& fields, const std::string& name, const std::string& shell) {
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

  void read_seconds(Fields& fields, const std::string& name) {
    m_check.limit =
        fields.number(name, 0.1, k_longest_command_limit).value_or(k_default_command_limit);
  }

  void read_limit() {
    std::string name = either("limit", m_value);
    demand(m_fields, m_fields.find(name) != nullptr, name, "must be a number");
    m_check.limit = m_fields.number(name, 0, k_largest_limit).value_or(0);
    want(m_check.limit > 0, name, "must be above 0");
  }

  void read_parts(std::size_t depth) {
    std::string name = either("checks", m_value);
    m_check.threshold = m_fields.number("threshold", 0, 1);
    want(m_check.threshold != 0.0, "threshold", "must be above 0", "every answer reaches that");
    const json* parts = m_fields.find(name);
    if (parts == nullptr || !parts->is_array() || parts->empty() || parts->size() > k_max_checks) {
      return want(
          false, name, "must be a list of 1 to " + std::to_string(k_max_checks) + " checks");
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

  const json& m_object;
  CheckForm m_form;
  Fields m_fields;
  Findings& m_findings;
  std::string m_value; // the field with the kind's own value
  Check m_check;
};

} // namespace

Check read_check(const json& object, CheckForm form, const std::string& where, Findings& findings) {
  // A line of prose is for a judge, as in the other formats.
  if (object.is_string() && form == CheckForm::check) {
    json judge = {{"judge", object}};
    return CheckReader(judge, form, where, findings).read(0);
  }
  return CheckReader(object, form, where, findings).read(0);
}

std::vector<Check>
read_checks(Fields& fields, std::string_view name, CheckForm form, Findings& findings) {
  std::vector<Check> checks;
  const json* list = fields.find(name);
  if (list == nullptr) {
    return checks;
  }
  if (!list->is_array() || list->size() > k_max_checks) {
    fields.refuse(name, "must be a list of at most " + std::to_string(k_max_checks) + " checks");
    return checks;
  }
  std::string one = form == CheckForm::verifier ? ", verifier " : ", check ";
  for (std::size_t i = 0; i < list->size() && !findings.problem; ++i) {
    checks.push_back(
        read_check((*list)[i], form, fields.where() + one + std::to_string(i + 1), findings));
  }
  return checks;
}

} // namespace upskill::eval
