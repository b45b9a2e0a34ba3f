#include "skills/generate/skill_meta.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::generate {
namespace {

using json = nlohmann::ordered_json;

json texts_of(const eval::Case& one) {
  json texts = json::array();
  for (const eval::Check& check : one.checks) {
    for (const std::string& value : check.values) {
      texts.push_back(value);
    }
  }
  return texts;
}

} // namespace

bool is_plain(const eval::Case& one) {
  return !one.checks.empty() && one.context_files.empty() && one.fixture_files.empty()
         && std::ranges::all_of(one.checks, [](const eval::Check& check) {
              return check.kind == eval::CheckKind::contains && !check.negated;
            });
}

std::string write_skill_meta(const SkillMeta& meta) {
  json about = {{"version", "1.0"},
                {"generated_by", meta.generated_by},
                {"generated_at", meta.generated_at},
                {"source_task", meta.source_task}};
  if (meta.test_pass_rate) {
    about["test_pass_rate"] = *meta.test_pass_rate;
  }
  json tests = json::array();
  for (const eval::Case& one : meta.tests.cases) {
    if (is_plain(one)) {
      tests.push_back({{"input", one.input}, {"expected", {{"contains", texts_of(one)}}}});
    }
  }
  json file = {{"metadata", std::move(about)}, {"tests", std::move(tests)}};
  return file.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace upskill::generate
