#pragma once
#include "protocol/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::eval {

inline constexpr std::size_t k_max_case_text = 1u << 20; // bytes of one text
inline constexpr std::size_t k_max_case_name = 200;      // bytes of an id or a name
inline constexpr std::size_t k_max_warnings = 100;       // of one suite

// What is found while a document is read: the first problem stays, so that the code that reads is a
// list of fields, and ends it.
struct Findings {
  std::optional<Error> problem = {};
  std::vector<std::string> warnings = {};

  void refuse(std::string message, std::string hint = {});
  void warn(std::string message);
};

// The candidate that was probably meant, as a hint; empty where nothing is near.
std::string meant(std::string_view written, std::span<const std::string> candidates);

// "known are `a`, `b`".
std::string known(std::span<const std::string> words);

// The members of one object of a test file. A field that is null is absent: pydantic writes so.
// Lives as long as the object and the findings do.
class Fields {
public:
  // `where` begins every message: "case 3 (`build-toml`)"; `what` names the object: "a case".
  Fields(const nlohmann::json& object, std::string where, std::string what, Findings& findings);

  const std::string& where() const { return m_where; }

  // Null where it is absent. Whatever is asked for is a field of the object.
  const nlohmann::json* find(std::string_view name);
  // Of the value of `name`, which may be null: then it is empty, and no problem.
  std::string text(std::string_view name, std::size_t limit = k_max_case_text);
  // A list of texts, or one text. None may be empty.
  std::vector<std::string> texts(std::string_view name);
  std::optional<double> number(std::string_view name, double least, double most);
  std::optional<bool> flag(std::string_view name);
  // Relative and inside (case_paths.h).
  std::string path(std::string_view name);

  // Every member that was not asked for is a problem, or a warning.
  void refuse_others();
  void warn_of_others();

  // A problem of the field.
  void refuse(std::string_view name, std::string_view what, std::string hint = {});

private:
  std::string line(std::string_view name, std::string_view what) const;
  std::string text_of(const nlohmann::json& value, std::string_view name, std::size_t limit);

  const nlohmann::json& m_object;
  std::string m_where;
  std::string m_what;
  Findings& m_findings;
  std::set<std::string, std::less<>> m_asked;
};

} // namespace upskill::eval
