#include "skills/agents/table.h"

#include "skills/agents/row_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::agents {

// agents.json, put into the program by the build.
extern const std::string_view k_embedded_agents;

namespace {

Result<void>
lay_over(std::vector<Agent>& agents, const nlohmann::json& rows, std::string_view what) {
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    TRY_ASSIGN(std::string id, row_id(rows[i], i + 1, what));
    if (std::ranges::find(seen, id) != seen.end()) {
      return fail(ErrorCode::invalid_argument,
                  "`" + std::string(what) + "`, agent `" + id + "`: `id` is there twice",
                  "keep one row of that id");
    }
    seen.push_back(id);
    auto at = std::ranges::lower_bound(agents, id, {}, &Agent::id);
    if (at == agents.end() || at->id != id) {
      at = agents.insert(at, Agent{.id = id, .title = {}});
    }
    TRY(read_row(rows[i], what, *at));
  }
  return {};
}

} // namespace

Result<AgentTable> AgentTable::built_in() {
  return parse(k_embedded_agents, "agents.json");
}

Result<AgentTable> AgentTable::parse(std::string_view text, std::string_view what) {
  AgentTable table;
  TRY(table.merge_user(text, what));
  return table;
}

Result<void> AgentTable::merge_user(std::string_view text, std::string_view what) {
  TRY_ASSIGN(nlohmann::json document, parse_table(text, what));
  auto wrong = [&](const std::string& problem) {
    return fail(ErrorCode::invalid_argument,
                "`" + std::string(what) + "`: " + problem,
                "it is an object with `format`, `date` and `agents`");
  };
  if (!document.is_object()) {
    return wrong("must be an object");
  }
  for (const auto& [key, value] : document.items()) {
    if (key != "format" && key != "date" && key != "agents") {
      return wrong("has a key that is not known");
    }
  }
  auto format = document.find("format");
  if (format == document.end() || *format != k_table_format) {
    return wrong("`format` must be 1");
  }
  auto rows = document.find("agents");
  if (rows == document.end() || !rows->is_array()) {
    return wrong("`agents` must be a list");
  }
  auto too_many = [&] {
    return fail(ErrorCode::too_large,
                "`" + std::string(what) + "` makes more than 512 agents",
                "remove agents that you do not have");
  };
  if (rows->size() > k_max_agents) {
    return too_many();
  }
  std::vector<Agent> agents = m_agents;
  TRY(lay_over(agents, *rows, what));
  if (agents.size() > k_max_agents) {
    return too_many();
  }
  auto date = document.find("date");
  if (m_agents.empty() && date != document.end() && date->is_string()) {
    m_date = date->get<std::string>();
  }
  m_agents = std::move(agents);
  return {};
}

const Agent* AgentTable::find(std::string_view id) const {
  auto at = std::ranges::lower_bound(m_agents, id, {}, &Agent::id);
  return at != m_agents.end() && at->id == id ? &*at : nullptr;
}

Result<LoadedTable> load_table(const std::optional<std::string>& user_text, std::string_view what) {
  TRY_ASSIGN(AgentTable table, AgentTable::built_in());
  LoadedTable loaded{std::move(table)};
  if (user_text) {
    if (auto merged = loaded.table.merge_user(*user_text, what); !merged) {
      loaded.problem = merged.error();
    }
  }
  return loaded;
}

} // namespace upskill::agents
