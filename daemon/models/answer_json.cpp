#include "daemon/models/answer_json.h"

#include "daemon/models/wire_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace upskill::models {
namespace {

using Json = nlohmann::json;

constexpr std::size_t k_most_calls = 1000; // of tools, in one answer
constexpr std::array<std::string_view, 4> k_stops{"end", "length", "tool_use", "refusal"};

// The members of an object that somebody else may have written; the first fault counts.
class Fields {
public:
  Fields(const Json& object, std::string where)
      : m_object(object)
      , m_where(std::move(where)) {
    if (!object.is_object()) {
      m_fault = fmt::format("{} is no object", m_where);
    }
  }

  std::string text(const char* key) {
    const Json* value = member(key);
    if (value != nullptr && value->is_string()) {
      return value->get<std::string>();
    }
    blame(key, "is no text");
    return {};
  }

  std::optional<std::int64_t> count(const char* key) {
    const Json* value = member(key);
    if (value == nullptr) {
      return std::nullopt;
    }
    std::optional<std::int64_t> count = count_member(m_object, key);
    if (!count) {
      blame(key, "is no count");
    }
    return count;
  }

  std::optional<double> cost(const char* key) {
    const Json* value = member(key);
    if (value == nullptr) {
      return std::nullopt;
    }
    double cost = value->is_number() ? value->get<double>() : -1;
    if (!std::isfinite(cost) || cost < 0) {
      blame(key, "is no amount of money");
    }
    return cost;
  }

  const Json* member(const char* key) const {
    auto at = m_object.is_object() ? m_object.find(key) : m_object.end();
    return m_object.is_object() && at != m_object.end() ? &*at : nullptr;
  }

  std::string name_of(std::string_view key) const { return fmt::format("{}.{}", m_where, key); }

  void blame(std::string_view key, std::string_view what) {
    blame_as(fmt::format("{} {}", name_of(key), what));
  }

  void blame_as(std::string fault) {
    if (m_fault.empty()) {
      m_fault = std::move(fault);
    }
  }

  const std::string& fault() const { return m_fault; }

private:
  const Json& m_object;
  std::string m_where;
  std::string m_fault;
};

void put(Json& object, const char* key, const auto& value) {
  if (value) {
    object[key] = *value;
  }
}

Stop read_stop(Fields& fields) {
  auto at = std::ranges::find(k_stops, fields.text("stop"));
  if (at == k_stops.end()) {
    fields.blame("stop", "is none of `end`, `length`, `tool_use`, `refusal`");
    return Stop::end;
  }
  return static_cast<Stop>(at - k_stops.begin());
}

std::vector<ToolCall> read_calls(Fields& answer) {
  std::vector<ToolCall> calls;
  const Json* list = answer.member("calls");
  if (list == nullptr) {
    return calls;
  }
  if (!list->is_array() || list->size() > k_most_calls) {
    answer.blame("calls", "is no list of at most 1,000 calls");
    return calls;
  }
  for (const Json& one : *list) {
    Fields fields(one, fmt::format("{}[{}]", answer.name_of("calls"), calls.size()));
    calls.push_back({.id = fields.text("id"),
                     .name = fields.text("name"),
                     .arguments = fields.text("arguments")});
    if (!fields.fault().empty()) {
      answer.blame_as(fields.fault());
      break;
    }
  }
  return calls;
}

Usage read_usage(Fields& answer) {
  const Json* object = answer.member("usage");
  if (object == nullptr) {
    return {};
  }
  Fields fields(*object, answer.name_of("usage"));
  Usage usage{.input = fields.count("input"),
              .cache_read = fields.count("cache_read"),
              .cache_write = fields.count("cache_write"),
              .output = fields.count("output"),
              .reasoning = fields.count("reasoning")};
  if (!fields.fault().empty()) {
    answer.blame_as(fields.fault());
  }
  return usage;
}

} // namespace

Json answer_json(const Answer& answer) {
  Json usage = Json::object();
  put(usage, "input", answer.usage.input);
  put(usage, "cache_read", answer.usage.cache_read);
  put(usage, "cache_write", answer.usage.cache_write);
  put(usage, "output", answer.usage.output);
  put(usage, "reasoning", answer.usage.reasoning);
  Json object{{"text", answer.text},
              {"stop", k_stops[static_cast<std::size_t>(answer.stop)]},
              {"model", answer.model},
              {"provider", answer.provider},
              {"milliseconds", answer.milliseconds},
              {"usage", std::move(usage)}};
  put(object, "cost", answer.cost);
  for (const ToolCall& call : answer.calls) {
    object["calls"].push_back(
        {{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  }
  return object;
}

Result<Answer> read_answer(const Json& object, std::string_view where) {
  Fields fields(object, std::string(where));
  Answer answer;
  answer.text = fields.text("text");
  answer.calls = read_calls(fields);
  answer.stop = read_stop(fields);
  answer.usage = read_usage(fields);
  answer.cost = fields.cost("cost");
  answer.model = fields.text("model");
  answer.provider = fields.text("provider");
  answer.milliseconds = fields.count("milliseconds").value_or(0);
  if (!fields.fault().empty()) {
    return fail(ErrorCode::corrupt, fields.fault());
  }
  return answer;
}

std::string write_answer(const Answer& answer) {
  return dump(answer_json(answer));
}

Result<Answer> parse_answer(std::string_view text, std::string_view where) {
  return read_answer(parse_json(text), where);
}

} // namespace upskill::models
