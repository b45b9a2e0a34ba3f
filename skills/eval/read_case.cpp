#include "skills/eval/read_case.h"

#include "protocol/base/utf8.h"
#include "skills/eval/case_paths.h"
#include "skills/eval/cases.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::eval {
namespace {

using nlohmann::json;

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// An id is text, or a whole number as skill-creator writes it; anything else reads as none here,
// and is refused by read_id().
std::string id_text(const json* id) {
  if (id != nullptr && id->is_number_integer()) {
    return id->dump();
  }
  return id != nullptr && id->is_string() ? id->get<std::string>() : "";
}

std::string place(const json& object, std::size_t number) {
  std::string where = "case " + std::to_string(number);
  if (object.is_object()) {
    for (const char* key : {"id", "eval_id"}) {
      auto at = object.find(key);
      std::string id = at != object.end() ? id_text(&*at) : "";
      if (!id.empty() && id.size() <= k_max_case_name && std::ranges::none_of(id, is_control)) {
        return where + " (" + in_backticks(id) + ")";
      }
    }
  }
  return where;
}

bool needs_expected(const Check& check) {
  return (check.kind == CheckKind::at_least_as_good && check.reference.empty())
         || std::ranges::any_of(check.parts, needs_expected);
}

class CaseReader {
public:
  CaseReader(const json& object, std::size_t number, Findings& findings)
      : m_fields(object, place(object, number), "a case", findings)
      , m_findings(findings)
      , m_number(number) {}

  Case read(CaseForm form) {
    switch (form) {
    case CaseForm::task:
      read_task();
      break;
    case CaseForm::prompt:
      read_prompt();
      break;
    case CaseForm::query:
      read_query();
      break;
    }
    check_input();
    check_checks();
    return std::move(m_case);
  }

private:
  void read_task() {
    read_id("id");
    read_input("input");
    read_context();
    read_expected();
    read_rest();
    refuse_validator();
    append(read_checks(m_fields, "verifiers", CheckForm::verifier, m_findings));
    append(read_checks(m_fields, "checks", CheckForm::check, m_findings));
    m_case.should_trigger = m_fields.flag("should_trigger");
    m_case.expected_output = m_fields.text("expected_output");
    m_fields.refuse_others();
  }

  void read_prompt() {
    read_id(m_fields.find("id") != nullptr ? "id" : "eval_id");
    read_input("prompt");
    read_context();
    read_rest();
    m_fields.find("eval_name");
    m_case.expected_output = m_fields.text("expected_output");
    read_assertions("assertions");
    read_assertions("expectations");
    append(read_checks(m_fields, "checks", CheckForm::check, m_findings));
    if (m_case.checks.empty() && !m_case.expected_output.empty()) {
      judge("the answer is as expected: " + m_case.expected_output, "as expected");
    }
    m_fields.warn_of_others();
  }

  void read_query() {
    read_id("id");
    read_input("query");
    m_case.should_trigger = m_fields.flag("should_trigger");
    if (!m_case.should_trigger) {
      m_fields.refuse("should_trigger", "must be true or false");
    }
    m_case.cluster = m_fields.text("cluster", k_max_case_name);
    m_fields.warn_of_others();
  }

  void read_id(std::string_view name) {
    const json* id = m_fields.find(name);
    m_case.id = id_text(id);
    bool good = !m_case.id.empty() && m_case.id.size() <= k_max_case_name
                && std::ranges::none_of(m_case.id, is_control);
    if (id == nullptr) {
      m_case.id = std::to_string(m_number);
    } else if (!good) {
      m_fields.refuse(name, "must be a line of 1 to 200 bytes, or a whole number");
    }
  }

  void read_input(std::string_view name) {
    m_case.input = m_fields.text(name);
    m_input = name;
  }

  // After the fields that nobody knows: one of them may be this one, misspelt.
  void check_input() {
    if (m_case.input.find_first_not_of(" \t\r\n") == std::string::npos) {
      m_fields.refuse(m_input, "must say what the student is asked");
    }
  }

  void read_context() {
    const json* context = m_fields.find("context");
    if (context == nullptr) {
      return;
    }
    Fields inner(*context, m_fields.where(), "`context`", m_findings);
    const json* files = inner.find("files");
    inner.refuse_others();
    if (files == nullptr) {
      return;
    }
    if (!files->is_object() || files->size() > k_max_case_files) {
      return inner.refuse("files", "must be an object of at most 1000 texts by path");
    }
    Fields texts(*files, m_fields.where() + ", `context.files`", "`files`", m_findings);
    for (const auto& [name, value] : files->items()) {
      Result<std::string> path = inside_path(name);
      if (!path) {
        return texts.refuse(name, path.error().message, path.error().hint);
      }
      std::string text = texts.text(name);
      if (value.is_null() || !m_case.context_files.emplace(*path, std::move(text)).second) {
        return texts.refuse(name, value.is_null() ? "must be text" : "is one file with another");
      }
    }
    refuse_files_as_folders(texts);
  }

  // `a` and `a/b` cannot both be files.
  void refuse_files_as_folders(Fields& texts) {
    for (const auto& [path, text] : m_case.context_files) {
      for (auto slash = path.find('/'); slash != std::string::npos;
           slash = path.find('/', slash + 1)) {
        if (m_case.context_files.contains(path.substr(0, slash))) {
          return texts.refuse(path, "lies in what is a file itself");
        }
      }
    }
  }

  // upskill: `{"contains": [...]}`, and a text for a list of one.
  void read_expected() {
    const json* expected = m_fields.find("expected");
    if (expected == nullptr) {
      return;
    }
    Check check;
    if (expected->is_object()) {
      Fields inner(*expected, m_fields.where(), "`expected`", m_findings);
      check.values = inner.texts("contains");
      inner.refuse_others();
    } else {
      check.values = m_fields.texts("expected");
    }
    if (!check.values.empty()) {
      m_case.checks.push_back(std::move(check));
    }
  }

  // What the forms with a task have in common.
  void read_rest() {
    m_case.output_file = m_fields.path("output_file");
    m_case.cluster = m_fields.text("cluster", k_max_case_name);
    m_case.threshold = m_fields.number("threshold", 0, 1);
    if (m_case.threshold == 0.0) {
      m_fields.refuse("threshold", "must be above 0", "every answer reaches that");
    }
    for (const std::string& file : m_fields.texts("files")) {
      Result<std::string> path = inside_path(file);
      if (!path) {
        return m_fields.refuse("files", "has a path that " + path.error().message);
      }
      m_case.fixture_files.push_back(std::move(*path));
    }
  }

  // upskill 0.2.1 takes `contains` where it does not know the name: a check that says nothing.
  void refuse_validator() {
    std::string validator = m_fields.text("validator", k_max_case_name);
    if (!validator.empty()) {
      m_fields.refuse("validator",
                      in_backticks(validator) + " is not known",
                      "it is a function of a Python program; write a `command` check that runs it");
    }
    if (const json* config = m_fields.find("validator_config");
        config != nullptr && !config->empty() && validator.empty()) {
      m_fields.refuse("validator_config", "is there without a `validator`");
    }
  }

  void read_assertions(std::string_view name) {
    const json* list = m_fields.find(name);
    if (list == nullptr) {
      return;
    }
    if (!list->is_array() || list->size() > k_max_checks) {
      return m_fields.refuse(name, "must be a list of at most 100 assertions");
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const json& one = (*list)[i];
      std::string text = one.is_string() ? one.get<std::string>() : "";
      if (one.is_object()) { // as grading.json writes them
        Fields inner(one, m_fields.where(), "an assertion", m_findings);
        text = inner.text("text");
      }
      if (text.empty() || text.find('\0') != std::string::npos) {
        return m_fields.refuse(name, "must be a list of texts without NUL");
      }
      judge(text, "");
    }
  }

  void judge(std::string rubric, std::string name) {
    Check check;
    check.kind = CheckKind::judge;
    check.rubric = std::move(rubric);
    check.name = std::move(name);
    m_case.checks.push_back(std::move(check));
  }

  void append(std::vector<Check> checks) {
    std::ranges::move(checks, std::back_inserter(m_case.checks));
  }

  // A case that any answer passes measures nothing.
  void check_checks() {
    if (m_findings.problem) {
      return;
    }
    bool counts = std::ranges::any_of(m_case.checks, [](const Check& c) { return c.weight > 0; });
    if (!counts && !m_case.should_trigger) {
      m_findings.refuse(m_fields.where() + ": there is nothing to check",
                        "add `expected`, `checks` with a weight, or assertions");
    }
    if (m_case.expected_output.empty() && std::ranges::any_of(m_case.checks, needs_expected)) {
      m_findings.refuse(m_fields.where() + ": `at_least_as_good` has nothing to compare with",
                        "add `expected_output`, or the text of a `reference`");
    }
  }

  Fields m_fields;
  Findings& m_findings;
  std::size_t m_number;
  std::string_view m_input; // the field that has it
  Case m_case;
};

} // namespace

Case read_case(const json& object, CaseForm form, std::size_t number, Findings& findings) {
  return CaseReader(object, number, findings).read(form);
}

} // namespace upskill::eval
