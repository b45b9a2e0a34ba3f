#pragma once
#include "skills/eval/case.h"
#include "skills/eval/fields.h"
#include "skills/eval/read_case.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace upskill::eval {

// Reads one check: what kind it is, then what the kind needs. The kind's own value stands behind
// its name (`{"contains": ["x"]}`), in `value`, or in a field of its own; `file_contains` and
// `command` may have an object there. For one check; the object outlives it.
class CheckReader {
public:
  CheckReader(const nlohmann::json& object,
              CheckForm form,
              const std::string& where,
              Findings& findings)
      : m_object(object)
      , m_form(form)
      , m_fields(object, where, "a check", findings)
      , m_findings(findings) {}

  // `depth` is how many checks it is a part of.
  Check read(std::size_t depth);

private:
  // What kind it is (read_check.cpp).
  void find_name();
  void find_verifier_field(const std::string& written);
  std::string first_unknown() const;
  void refuse_kind(const std::string& written);

  // What the kind needs (check_fields.cpp).
  void read_kind(std::size_t depth);
  void read_values(Fields& fields); // of the check, or of the object that is its value
  void read_path(const std::string& other);
  void read_file_contains();
  void read_schema();
  void read_command();
  void read_words(Fields& fields, const std::string& name, const std::string& shell);
  void read_seconds(Fields& fields, const std::string& name);
  void read_limit();
  void read_parts(std::size_t depth);
  void read_reference();

  void want(bool good, std::string_view name, std::string_view otherwise, std::string hint = {});
  // What must be there. A field that nobody knows is told first: it may be the one, misspelt.
  static void demand(Fields& fields, bool given, std::string_view name, std::string_view otherwise);
  // The first where it is there, else the second; both become fields of the check.
  std::string either(const std::string& first, const std::string& second);

  const nlohmann::json& m_object;
  CheckForm m_form;
  Fields m_fields;
  Findings& m_findings;
  std::string m_value = {}; // the field with the kind's own value
  Check m_check = {};
};

} // namespace upskill::eval
