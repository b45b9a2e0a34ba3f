#include "skills/eval/cases.h"
#include "skills/eval/check_kinds.h"
#include "skills/eval/check_reader.h"

#include <nlohmann/json.hpp>

#include <map>

namespace upskill::eval {
namespace {

using nlohmann::json;

constexpr double k_largest_weight = 1e6;

} // namespace

Check CheckReader::read(std::size_t depth) {
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

void CheckReader::find_name() {
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

void CheckReader::find_verifier_field(const std::string& written) {
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

std::string CheckReader::first_unknown() const {
  for (const auto& [key, value] : m_object.items()) {
    if (key != "name" && key != "weight" && key != "threshold") {
      return key;
    }
  }
  return "";
}

void CheckReader::refuse_kind(const std::string& written) {
  std::vector<std::string> names = kind_names();
  std::string hint = meant(written.starts_with("not") ? written.substr(4) : written, names);
  hint = hint.empty() ? known(names) : hint;
  m_fields.refuse(written, "is not a kind of check", hint);
}

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
