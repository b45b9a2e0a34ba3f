#include "protocol/base/utf8.h"
#include "skills/document/fields.h"
#include "skills/document/unicode.h"
#include "skills/eval/cases.h"
#include "skills/eval/json_text.h"
#include "skills/eval/reply_json.h"
#include "skills/generate/other_texts.h"
#include "skills/generate/prompt_file.h"
#include "skills/generate/prompts.h"
#include "skills/generate/reply_schemas.h"
#include "skills/generate/test_cases.h"
#include "skills/generate/visible_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace upskill::generate {
namespace {

using eval::Case;
using eval::CaseSuite;
using nlohmann::json;

constexpr std::size_t k_most_query = 2000;      // bytes of one that is shown
constexpr std::size_t k_misfires_room = 50'000; // of all of one kind

std::size_t count_of(std::size_t wanted) {
  return std::clamp<std::size_t>(wanted, 2, k_most_queries);
}

void add_skill(OtherTexts& texts, const Draft& draft) {
  texts.add("name", draft.name, document::k_max_name);
  texts.add("description", draft.description, 4 * document::k_max_description);
  texts.add("skill", draft.body, k_max_skill_text);
}

Result<json> member_of(std::string_view reply, std::string_view key) {
  Result<std::string_view> object = eval::find_object(reply, key);
  if (!object) {
    return fail(object.error().code, "the reply " + object.error().message);
  }
  return eval::parse_shallow(*object).at(std::string(key));
}

// What went wrong in one way, a line each.
std::string misfires_text(const std::vector<Misfire>& misfires, bool should_trigger) {
  std::string text;
  for (const Misfire& misfire : misfires) {
    if (misfire.should_trigger == should_trigger) {
      long percent = std::lround(std::clamp(misfire.picked, 0.0, 1.0) * 100);
      std::string query = one_line(misfire.query);
      text +=
          std::to_string(percent) + " %: " + std::string(utf8_prefix(query, k_most_query)) + "\n";
    }
  }
  return text;
}

// Queries of each kind up to half of what was asked for, each once.
CaseSuite sift(CaseSuite written, std::size_t count) {
  CaseSuite kept;
  kept.warnings = std::move(written.warnings);
  std::set<std::string> seen;
  std::size_t kinds[2] = {};
  for (std::size_t i = 0; i < written.cases.size(); ++i) {
    Case& one = written.cases[i];
    std::size_t& of_kind = kinds[one.should_trigger == true ? 1 : 0];
    std::string_view why;
    if (!seen.insert(document::fold_case(one_line(one.input))).second) {
      why = "it repeats another";
    } else if (of_kind >= (count + 1) / 2) {
      why = "there are enough of its kind";
    }
    if (why.empty()) {
      ++of_kind;
      one.id = std::to_string(kept.cases.size() + 1);
      kept.cases.push_back(std::move(one));
    } else if (kept.warnings.size() < k_most_queries) {
      kept.warnings.push_back("query " + std::to_string(i + 1)
                              + " of the reply is left out: " + std::string(why));
    }
  }
  return kept;
}

} // namespace

Prompt queries_prompt(const Draft& draft, std::string_view task, std::size_t count) {
  OtherTexts texts;
  add_task(texts, task);
  add_skill(texts, draft);
  std::string queries = std::to_string(count_of(count)) + " queries";
  return make_prompt("queries", texts, {{"queries", std::move(queries)}}, k_queries_schema);
}

Result<CaseSuite> read_queries(std::string_view reply, std::size_t count) {
  TRY_ASSIGN(json queries, member_of(reply, "queries"));
  if (!queries.is_array() || queries.empty()) {
    return fail(ErrorCode::invalid_argument, "`queries` must be a list of queries");
  }
  for (const json& one : queries) { // another form of case could have commands run
    if (!one.is_object() || !one.contains("query") || one.contains("input")) {
      return fail(ErrorCode::invalid_argument,
                  "each of `queries` must have `query` and `should_trigger` only");
    }
  }
  TRY_ASSIGN(CaseSuite written, eval::read_cases(queries.dump()));
  CaseSuite kept = sift(std::move(written), count_of(count));
  auto triggers = [](const Case& one) { return one.should_trigger == true; };
  if (std::ranges::all_of(kept.cases, triggers) || std::ranges::none_of(kept.cases, triggers)) {
    return fail(ErrorCode::invalid_argument,
                "the queries are all of one kind",
                "write as many with `should_trigger` false as with true");
  }
  return kept;
}

Prompt describe_prompt(const Draft& draft, const std::vector<Misfire>& misfires) {
  OtherTexts texts;
  add_skill(texts, draft);
  texts.add("missed", misfires_text(misfires, true), k_misfires_room);
  texts.add("wrongly picked", misfires_text(misfires, false), k_misfires_room);
  return make_prompt("describe", texts, {}, k_description_schema);
}

Result<std::string> read_description(std::string_view reply) {
  TRY_ASSIGN(json written, member_of(reply, "description"));
  std::string description = written.is_string() ? one_line(written.get<std::string>()) : "";
  if (description.empty()) {
    return fail(ErrorCode::invalid_argument, "`description` must be a line of text");
  }
  if (std::size_t size = code_points(description); size > document::k_max_description) {
    return fail(ErrorCode::invalid_argument,
                "`description` has " + std::to_string(size) + " characters, "
                    + std::to_string(document::k_max_description) + " are allowed",
                "say what the skill does and when to use it");
  }
  return description;
}

} // namespace upskill::generate
