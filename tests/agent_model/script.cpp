#include "tests/agent_model/script.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <stdexcept>

namespace upskill::agent_model {
namespace {

// Requests that no rule is for: titles, whether to go on, what a prompt is about.
constexpr const char* k_other_text = "Understood.";
constexpr const char* k_other_json =
    R"({"title":"A task","reasoning":"It is done.","next_speaker":"user"})";

void check(const Json& rule, std::size_t number) {
  static const std::set<std::string> k_known{
      "last", "result", "lacks", "call", "arguments", "say", "status", "input", "output"};
  if (!rule.is_object()) {
    throw std::runtime_error("rule " + std::to_string(number) + " is no object");
  }
  for (const auto& [name, value] : rule.items()) {
    if (!k_known.contains(name)) {
      throw std::runtime_error("rule " + std::to_string(number) + ": nothing is called " + name);
    }
  }
  if (rule.contains("call") + rule.contains("say") + rule.contains("status") != 1) {
    throw std::runtime_error("rule " + std::to_string(number)
                             + " needs one of `call`, `say` and `status`");
  }
}

bool is_in(const std::string& text, const Json& wanted) {
  return text.find(wanted.get<std::string>()) != std::string::npos;
}

// By its name, or its name behind that of its server: `skill_list` is `mcp__upskill__skill_list`.
const OfferedTool* find_tool(const Asked& asked, const std::string& name) {
  auto is = [&](const OfferedTool& tool) { return tool.name == name; };
  auto found = std::ranges::find_if(asked.tools, is);
  if (found == asked.tools.end()) {
    found = std::ranges::find_if(asked.tools, [&](const OfferedTool& tool) {
      return tool.name.ends_with("_" + name) || tool.name.ends_with("-" + name);
    });
  }
  return found == asked.tools.end() ? nullptr : &*found;
}

bool fits(const Json& rule, const Asked& asked) {
  if (rule.contains("last") && !is_in(asked.fresh, rule["last"])) {
    return false;
  }
  if (rule.contains("result") && !(asked.has_results && is_in(asked.results, rule["result"]))) {
    return false;
  }
  if (rule.contains("lacks") && is_in(asked.fresh, rule["lacks"])) {
    return false;
  }
  return !rule.contains("call") || find_tool(asked, rule["call"].get<std::string>()) != nullptr;
}

} // namespace

Script::Script(const std::string& file) {
  std::ifstream in(file);
  Json document = Json::parse(in, nullptr, false);
  if (!document.is_object() || !at(document, "rules").is_array()) {
    throw std::runtime_error(file + " is no object with a list `rules`");
  }
  for (const Json& rule : document["rules"]) {
    check(rule, m_rules.size());
    m_rules.push_back(rule);
  }
}

Script::Decision Script::decide(const Asked& asked) const {
  for (std::size_t i = 0; i < m_rules.size(); ++i) {
    const Json& rule = m_rules[i];
    if (!fits(rule, asked)) {
      continue;
    }
    Decision decision;
    decision.rule = static_cast<int>(i);
    Said& said = decision.said;
    said.text = string_at(rule, "say");
    said.status = rule.value("status", said.status);
    said.input = rule.value("input", said.input);
    said.output = rule.value("output", said.output);
    if (rule.contains("call")) {
      said.call = Call{*find_tool(asked, rule["call"].get<std::string>()),
                       rule.value("arguments", Json::object())};
    }
    return decision;
  }
  Decision other;
  other.said.text = asked.wants_json ? k_other_json : k_other_text;
  return other;
}

} // namespace upskill::agent_model
