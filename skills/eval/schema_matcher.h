#pragma once
#include "skills/eval/pattern.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace upskill::eval {

// Holds one document against one schema that check_schema() has seen. Recursion is bounded, and so
// are the steps of one matcher; after either bound nothing it says counts.
class SchemaMatcher {
public:
  explicit SchemaMatcher(const nlohmann::json& root)
      : m_root(root) {}

  // `at` is the JSON pointer of the value in its document.
  bool matches(const nlohmann::json& schema, const nlohmann::json& value, const std::string& at);

  bool spent() const { return m_spent; }

  // The first that was met, as a sentence.
  const std::string& problem() const { return m_problem; }

private:
  using Json = nlohmann::json;

  bool keyword(const Json& schema,
               const std::string& key,
               const Json& wanted,
               const Json& value,
               const std::string& at);
  bool number(const std::string& key, const Json& wanted, const Json& value);
  bool text(const std::string& key, const Json& wanted, const Json& value);
  bool size(const std::string& key, const Json& wanted, const Json& value);
  bool items(const Json& schema, const Json& value, const std::string& at);
  bool contains(const Json& schema, const Json& wanted, const Json& value, const std::string& at);
  bool unique(const Json& value);
  bool properties(const Json& schema, const Json& value, const std::string& at);
  bool required(const Json& names, const Json& value, const std::string& at);
  bool depends(const Json& wanted, const Json& value, const std::string& at);
  bool
  combined(const std::string& key, const Json& wanted, const Json& value, const std::string& at);
  bool one_of(const Json& values, const Json& value);
  bool conditional(const Json& schema, const Json& value, const std::string& at);

  // The same as matches(), without telling what is wrong.
  bool quietly(const Json& schema, const Json& value, const std::string& at);
  bool has_pattern(const std::string& pattern, const std::string& text);
  // True while there are steps left.
  bool spend(std::size_t steps);
  // Notes the problem; false.
  bool tell(const std::string& at, const std::string& what);

  const Json& m_root;
  std::map<std::string, Pattern, std::less<>> m_patterns = {};
  std::string m_problem = {};
  std::size_t m_steps = 0;
  std::size_t m_nested = 0;
  int m_quiet = 0;
  bool m_spent = false;
};

} // namespace upskill::eval
